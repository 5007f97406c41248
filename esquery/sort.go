package esquery

import "strings"

var (
	fieldSortParams = []param{
		{key: "order", takes: aText},
		{key: "mode", takes: aText},
		{key: "missing", takes: anything},
		{key: "unmapped_type", takes: aText},
		{key: "numeric_type", takes: aText},
		{key: "format", takes: aText},
		{key: "nested", takes: anything},
		{key: "nested_path", takes: refused, why: `it does not exist since Elasticsearch 8; write "nested": {"path": ...}`},
		{key: "nested_filter", takes: refused,
			why: `it does not exist since Elasticsearch 8; write "nested": {"path": ..., "filter": ...}`},
	}
	orderOnlyParams   = []param{{key: "order", takes: aText}}
	geoDistanceParams = []param{
		{key: "order", takes: aText},
		{key: "unit", takes: aText},
		{key: "mode", takes: aText},
		{key: "distance_type", takes: aText},
		{key: "ignore_unmapped", takes: aSwitch},
		{key: "validation_method", takes: aText},
		{key: "nested", takes: anything},
	}
	nestedSortParams = []param{
		{key: "path", takes: anything, required: true},
		{key: "filter", takes: anything},
		{key: "max_children", takes: aCount},
		{key: "nested", takes: anything},
	}
)

// sort checks the sort of a search or of top_hits.
func (c *checker) sort(v *value) {
	c.each(v, func(item *value) {
		switch item.kind {
		case str:
			c.sortName(item)
		case object:
			c.sortObject(item)
		default:
			c.report(ErrMalformed, nil, "sort takes names of fields and objects such as {\"FIELD\": \"desc\"}, and this is %s", item.kind)
		}
	})
}

// isSortWord reports whether name is a sort without a field.
func isSortWord(name string) bool { return name == "_score" || name == "_doc" || name == "_shard_doc" }

// sortName checks a sort that is only a name. It corrects "field:desc", which is
// the form of the URL parameter.
func (c *checker) sortName(v *value) {
	if isSortWord(v.text) {
		return
	}
	if name, order, ok := strings.Cut(v.text, ":"); ok && (order == "asc" || order == "desc") {
		if f := c.index.mapping.lookup(name); (f != nil && c.visible(name)) || isSortWord(name) {
			corrected := objectValue(member{name, stringValue(order)})
			c.fixed(ErrMalformed, string(corrected.appendTo(nil)), "%s is the form of the URL parameter", quoted(v.text))
			*v = corrected
			c.sortObject(v)
			return
		}
	}
	c.field(&v.text, needSort)
}

func (c *checker) sortObject(v *value) {
	for i := range v.members {
		m := &v.members[i]
		c.in(m.key)
		switch {
		case m.key == "_script":
			c.report(ErrScript, nil, "scripts are refused")
		case m.key == "_geo_distance":
			c.sortByDistance(&m.value)
		case isSortWord(m.key):
			if c.sortOrder(&m.value) {
				c.params(&m.value, m.key, orderOnlyParams)
			}
		default:
			c.sortField(m)
		}
		c.out()
	}
}

// sortOrder checks the short form of a sort, and reports whether the sort has
// the long form.
func (c *checker) sortOrder(v *value) bool {
	if v.kind == object {
		return true
	}
	c.must(isText(v), v, "a sort", "asc, desc or an object")
	return false
}

func (c *checker) sortField(m *member) {
	if !c.sortOrder(&m.value) {
		c.field(&m.key, needSort)
		return
	}
	if !c.params(&m.value, "a sort", fieldSortParams) {
		return
	}
	outer := c.nested
	defer func() { c.nested = outer }()
	if !c.nestedSort(m.value.get("nested")) {
		return
	}
	if c.field(&m.key, needSort) != nil {
		c.member(&m.value, "format", func(v *value) { c.dateFormat(v, false) })
	}
}

func (c *checker) sortByDistance(v *value) {
	if !c.is(v, object, "_geo_distance") {
		return
	}
	outer := c.nested
	defer func() { c.nested = outer }()
	if !c.nestedSort(v.get("nested")) {
		return
	}
	fields := 0
	for i := range v.members {
		m := &v.members[i]
		c.in(m.key)
		if p := paramOf(geoDistanceParams, m.key); p != nil {
			c.takes(&m.value, p)
		} else {
			fields++
			c.field(&m.key, needGeoPoint)
			if n := len(m.value.items); n > 1 {
				c.points += n
			}
			if c.points > maxPoints {
				c.report(ErrTooExpensive, nil, "hits can be sorted by their distance from at most %d points", maxPoints)
			}
		}
		c.out()
	}
	if fields != 1 {
		c.report(ErrMalformed, nil,
			"_geo_distance needs exactly one field with the point from which it is measured; it has %d", fields)
	}
}

// nestedSort checks the nested part of a sort and enters its object. It reports
// whether the rest can be checked. The caller restores c.nested.
func (c *checker) nestedSort(v *value) bool {
	if v == nil {
		return true
	}
	c.in("nested")
	defer c.out()
	if !c.params(v, "nested", nestedSortParams) {
		return false
	}
	c.in("path")
	f := c.nestedObject(v.get("path"))
	c.out()
	if f == nil {
		return false
	}
	c.nested = f.Path
	c.member(v, "filter", c.query)
	return c.nestedSort(v.get("nested"))
}

// nestedObject returns the nested object of that name if it lies in the current
// one.
func (c *checker) nestedObject(v *value) *Field {
	if !c.must(v.kind == str, v, "path", "the name of a nested object") {
		return nil
	}
	f := c.resolve(&v.text, needExist)
	switch {
	case f == nil:
		return nil
	case f.family != nestedFamily:
		c.report(ErrNestedPath, c.nestedObjects(),
			"%s is of type %s and not nested; leave the path out", quoted(f.Path), f.Type)
		return nil
	case c.nested != "" && !strings.HasPrefix(f.Path, c.nested+"."):
		c.report(ErrNestedPath, nil,
			"the nested object %s is not in %s, whose fields are used here", quoted(f.Path), quoted(c.nested))
		return nil
	}
	return f
}

// nestedObjects returns the visible nested objects.
func (c *checker) nestedObjects() []string {
	return c.some(func(f *Field) bool { return f.family == nestedFamily })
}
