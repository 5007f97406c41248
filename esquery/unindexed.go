package esquery

import "slices"

// Unindexed describes values that a search cannot find, because they are too long to be
// in the index.
type Unindexed struct {
	Fields []string // sorted
	Limit  int      // characters of the longest value in the index (ignore_above)
	// Search counts the documents with such values that match the other conditions.
	Search *Search
}

// Unindexed returns the values that s cannot find, although it could match them: long
// values of fields that are searched by a prefix, a pattern or a range, or that are
// aggregated. It returns nil if there are no such fields. If its Search counts any
// documents, the result of s may lack them. OpenSearch does not record such values: there,
// only those of fields that are also indexed as a text are counted.
func (s *Search) Unindexed() *Unindexed {
	if len(s.cut) == 0 {
		return nil
	}
	u := &Unindexed{Limit: s.cut[0].field.ignoreAbove}
	var any []value
	for _, cut := range s.cut {
		path := cut.field.Path
		u.Fields, u.Limit = append(u.Fields, path), min(u.Limit, cut.field.ignoreAbove)
		any = append(any, objectValue(member{"term", objectValue(member{"_ignored", stringValue(path)})}))
		if cut.whole != nil {
			any = append(any, objectValue(member{"bool", objectValue(
				member{"filter", existsQuery(cut.whole.Path)}, member{"must_not", existsQuery(path)})}))
		}
	}
	slices.Sort(u.Fields)
	others := slices.DeleteFunc(s.clauses(), func(c clauseAt) bool { return c.query.names(u.Fields) })
	u.Search = s.counting(append(others, clauseAt{query: objectValue(member{"bool", objectValue(member{"should", arrayValue(any...)})})}))
	return u
}

func existsQuery(path string) value {
	return objectValue(member{"exists", objectValue(member{"field", stringValue(path)})})
}

// names reports whether a query has one of the fields.
func (v *value) names(fields []string) bool {
	return v.kind == str && slices.Contains(fields, v.text) ||
		slices.ContainsFunc(v.items, func(item value) bool { return item.names(fields) }) ||
		slices.ContainsFunc(v.members, func(m member) bool { return slices.Contains(fields, m.key) || m.value.names(fields) })
}

// A cutField is a field of which long values are not in the index.
type cutField struct {
	field *Field
	whole *Field // the field that has all values; nil if there is none
}

// cutNeeds are the needs for which that matters. A whole value is compared with the
// limit where it is read.
var cutNeeds = []need{needPrefix, needPattern, needFuzzy, needRange, needBuckets, needGroup}

// cuts records that the body uses a field of which long values are not in the index.
func (c *checker) cuts(f *Field, n need) {
	known := func(cut cutField) bool { return cut.field == f }
	if f.ignoreAbove > 0 && !c.trusted && slices.Contains(cutNeeds, n) && !slices.ContainsFunc(c.cut, known) {
		c.cut = append(c.cut, cutField{f, c.whole(f)})
	}
}
