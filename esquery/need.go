package esquery

import (
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/lists"
)

// A need is what a part of a body does with a field.
type need uint8

const (
	needExist need = iota
	needTerm
	needMatch
	needPhrase
	needPhrasePrefix
	needPrefix
	needPattern
	needFuzzy
	needRange
	needGeoPoint
	needGeo

	needSort
	needGroup
	needNumber
	needDate
	needIP
	needBuckets
	needNumeric
	needHistogram
	needHighlight
)

// A familySet has one bit for each family.
type familySet uint32

func setOf(families ...family) familySet {
	var s familySet
	for _, f := range families {
		s |= 1 << f
	}
	return s
}

// needs are the requirements of each need: the abilities, and the families (0:
// all). what describes such a field in messages, instead names queries for other
// fields.
var needs = [...]struct {
	can      ability
	families familySet
	what     string
	instead  []string
}{
	needExist: {can: canExist, what: "a field whose presence is indexed"},
	needTerm: {can: canTerm, families: ^setOf(textFamily),
		what: "a field of whole values, such as a keyword or number", instead: []string{"match"}},
	needMatch: {can: canMatch, what: "a field that can be searched by value or word"},
	needPhrase: {can: canPhrase,
		what: "a text with positions, or a field of whole values", instead: []string{"match"}},
	needPhrasePrefix: {can: canPhrasePrefix, families: setOf(textFamily, otherFamily),
		what: "a text with positions", instead: []string{"prefix"}},
	needPrefix:  {can: canPrefix, what: "a keyword"},
	needPattern: {can: canPattern, what: "a keyword"},
	needFuzzy:   {can: canFuzzy, what: "a keyword or text"},
	needRange: {can: canRange, families: ^setOf(textFamily, flattenedFamily),
		what: "a number, date, ip or keyword"},
	needGeoPoint: {families: setOf(geoPointFamily), what: "a geo_point"},
	needGeo:      {families: setOf(geoPointFamily, geoShapeFamily), what: "a geo_point or geo_shape"},

	needSort:   {can: canSort, what: "a field that can be sorted by"},
	needGroup:  {can: canCount, what: "a field with doc values"},
	needNumber: {can: canCalculate, what: "a number, date or boolean"},
	needDate:   {can: canGroup, families: setOf(dateFamily), what: "a date"},
	needIP:     {can: canGroup, families: setOf(ipFamily), what: "an ip"},

	needBuckets: {can: canGroup, what: "a field of whole values with doc values"},
	needNumeric: {can: canCalculate, families: setOf(otherFamily, numberFamily), what: "a number"},
	needHistogram: {can: canCount, families: setOf(otherFamily, numberFamily, dateFamily, booleanFamily, histogramFamily),
		what: "a number"},
	needHighlight: {can: canExist, families: ^setOf(objectFamily, nestedFamily, metaFamily), what: "a text or keyword"},
}

func (n need) fits(f *Field) bool {
	want := &needs[n]
	return (f.split == "" || n == needExist || n == needHighlight) &&
		(want.families == 0 || want.families&(1<<f.family) != 0) && f.can(want.can)
}

// field returns the field of that name if it exists, is visible, belongs to the
// current nested object and fits n. Otherwise it reports the problem and returns
// nil. name points into the body: a certain correction replaces it.
func (c *checker) field(name *string, n need) *Field {
	f := c.resolve(name, n)
	if f == nil || !c.scoped(f, n) {
		return nil
	}
	if !n.fits(f) {
		c.unfit(f, n)
		return nil
	}
	c.cuts(f, n)
	return f
}

// visible reports whether the author of the body may know the field.
func (c *checker) visible(path string) bool {
	return c.trusted || !c.index.sensitive.hides(path)
}

// resolve is field without the checks of the nested object and of the need.
func (c *checker) resolve(name *string, n need) *Field {
	m := c.index.mapping
	if f := m.lookup(*name); f != nil && c.visible(*name) {
		if c.revealing(f) {
			return nil
		}
		if whole, ok := strings.CutSuffix(*name, ".keyword"); ok && f.family == keyedFamily {
			c.report(ErrUnknownField, []string{whole},
				"a %s field has no multi-fields, because its keys are keywords; %s is not a field", f.Type, quoted(*name))
			return nil
		}
		return f
	}
	if same, ok := m.same(*name, c.visible); ok {
		if f := m.lookup(same); c.sees(f) && n.fits(f) {
			c.fixed(ErrUnknownField, same, "there is no field %s; its name is %s", quoted(*name), quoted(same))
			*name = same
			return f
		}
	}
	why := m.why(*name)
	if why != "" && c.visible(*name) {
		why = "; " + why
	} else {
		why = ""
	}
	c.report(ErrUnknownField, c.candidates(*name, n), "there is no field %s%s", quoted(*name), why)
	return nil
}

// mayCompare reports whether a name may be compared with all fields once more,
// to find candidates. Both a body and a mapping can have thousands of names.
func (c *checker) mayCompare() bool {
	c.compared += len(c.index.mapping.known)
	return c.compared <= maxCompared
}

const maxCompared = 100_000

// some returns the first visible fields, by name, that fits accepts.
func (c *checker) some(fits func(*Field) bool) []string {
	if !c.mayCompare() {
		return nil
	}
	var found []string
	m := c.index.mapping
	for _, name := range m.known {
		if fits(m.fields[name]) && c.visible(name) {
			if found = append(found, name); len(found) == maxCandidates {
				break
			}
		}
	}
	return found
}

// candidates returns the fields that may have been meant by name, those first
// that fit n in the current nested object.
func (c *checker) candidates(name string, n need) []string {
	m := c.index.mapping
	if !c.mayCompare() {
		return nil
	}
	fits := func(f *Field) bool { return c.visible(f.Path) && n.fits(f) && c.sees(f) }
	// Most likely are a name without the path of the nested object, and a
	// multi-field that does not exist.
	found := lists.Filter([]string{c.nested + "." + name, name[:max(0, strings.LastIndexByte(name, '.'))]}, func(path string) bool {
		f := m.fields[path]
		return f != nil && f.family != metaFamily && fits(f)
	})
	found = lists.Add(found, m.nearest(name, fits)...)
	others := lists.Filter(m.known, func(path string) bool { return strings.HasSuffix(path, "."+name) && c.visible(path) })
	others = append(others, m.nearest(name, func(f *Field) bool { return c.visible(f.Path) })...)
	for _, path := range others {
		if len(found) >= maxCandidates {
			break
		}
		switch f := m.fields[path]; {
		case n.fits(f):
			found = lists.Add(found, path)
		case f.family == objectFamily || f.family == nestedFamily: // its fields would only be guesses
		default: // in its place, the fields that hold its values
			holders := c.alternatives(f, n)
			if len(holders) == 0 {
				holders = []string{path}
			}
			found = lists.Add(found, holders...)
		}
	}
	return found[:min(len(found), maxCandidates)]
}

// sees reports whether the current part of the body sees a field.
func (c *checker) sees(f *Field) bool { return f.inScope(c.nested) }

// scoped reports a field that the current part does not see, because it looks
// into another nested object.
func (c *checker) scoped(f *Field, n need) bool {
	nested, sees := f.Nested, c.sees(f)
	if n == needExist && f.family == nestedFamily {
		nested, sees = f.Path, f.holds(c.nested)
	}
	switch {
	case sees:
	case nested == "":
		c.report(ErrNestedPath, nil,
			"%s is a field of the document; a query on the nested object %s does not see it; put it next to "+
				"the nested part",
			quoted(f.Path), quoted(c.nested))
	default:
		c.report(ErrNestedPath, []string{nested},
			"%s is in the nested object %s; only a nested query, aggregation or sort with the path %s sees it",
			quoted(f.Path), quoted(nested), quoted(nested))
	}
	return sees
}

// unfit reports a field that does not fit n.
func (c *checker) unfit(f *Field, n need) {
	want := &needs[n]
	candidates := append(c.alternatives(f, n), want.instead...)
	candidates = candidates[:min(len(candidates), maxCandidates)]
	switch {
	case f.family == objectFamily || f.family == nestedFamily:
		c.report(ErrFieldType, candidates, "%s is an object without a value of its own; name a field in it", quoted(f.Path))
	case f.split != "":
		indices, remedy := c.index.mapping.indices, "search each index by its own name, or use a field that is alike in all"
		if len(indices) == 0 || slices.ContainsFunc(indices, func(name string) bool { return c.v.indices[name] == nil }) {
			indices, remedy = nil, "use a field that is alike in all"
		}
		c.report(ErrIndicesDiffer, indices,
			"%s differs between the indices that are searched together: it is %s; only some of them would answer: %s",
			quoted(f.Path), f.split, remedy)
	case f.family == textFamily && n == needTerm:
		c.report(ErrFieldType, candidates,
			"%s is a text and is searched by its words, so a whole value is not found; use %s", quoted(f.Path), want.what)
	case !f.Searchable && n < needSort && want.can != 0:
		c.report(ErrFieldType, candidates, "%s is not indexed, and cannot be searched", quoted(f.Path))
	default:
		c.report(ErrFieldType, candidates, "%s is of type %s; this needs %s", quoted(f.Path), f.Type, want.what)
	}
}

// alternatives returns the fields that fit n and hold the values of f, or lie in
// the object f.
func (c *checker) alternatives(f *Field, n need) []string {
	base := f.Path
	if f.Target != "" {
		base = f.Target
	}
	if f.Parent != "" {
		base = f.Parent
	}
	holds := f.family == objectFamily || f.family == nestedFamily
	return c.some(func(o *Field) bool {
		related := o.Parent == base || o.Path == base || holds && strings.HasPrefix(o.Path, base+".")
		return related && o.Path != f.Path && n.fits(o)
	})
}

// anyIn reports whether the mapping has a field below that path.
func (m *Mapping) anyIn(path string) bool {
	i, _ := slices.BinarySearch(m.known, path+".")
	return i < len(m.known) && strings.HasPrefix(m.known[i], path+".")
}
