package esquery

import "strings"

var (
	termClause = clauseType{name: "term", need: needTerm, main: "value", params: withCommon(
		param{key: "value"}, param{key: "case_insensitive", takes: aSwitch})}
	existsParams = withCommon(param{key: "field", takes: aText, required: true})
	idsParams    = withCommon(param{key: "values", takes: texts, required: true})
)

func (c *checker) term(v *value) {
	defer c.back(len(c.path))
	cl, ok := c.clause(v, &termClause)
	if !ok || cl.field == nil {
		return
	}
	c.searchable(cl.field)
	c.starred(cl.value)
	c.literal(cl.field, cl.value, exactLiteral, "")
}

// terms checks {"FIELD": [values]}.
func (c *checker) terms(v *value) {
	var m *member
	fields := 0
	for i := range v.members {
		p := paramOf(commonParams, v.members[i].key)
		if p == nil {
			m = &v.members[i]
			fields++
			continue
		}
		c.in(p.key)
		c.takes(&v.members[i].value, p)
		c.out()
	}
	if fields != 1 {
		c.report(ErrMalformed, []string{"bool"},
			`terms is written {"terms": {"FIELD": [values]}} with one field; put one terms for each field into a bool`)
		return
	}
	c.in(m.key)
	defer c.out()
	f := c.field(&m.key, needTerm)
	switch {
	case m.value.kind == array:
		c.values(f, m.value.items)
	case m.value.get("index") != nil:
		c.report(ErrForbidden, []string{"terms"},
			"a terms lookup reads another document, which cannot be checked; give the values themselves")
	default:
		c.report(ErrMalformed, []string{"term"}, "terms takes an array of values; use term for one value")
	}
}

// values checks the values of a terms query. The current location is their
// array.
func (c *checker) values(f *Field, items []value) {
	if len(items) > maxTerms {
		c.report(ErrTooExpensive, nil, "there are %d values; at most %d are allowed", len(items), maxTerms)
		return
	}
	if len(items) == 0 {
		c.report(ErrInvalidLiteral, nil, "there are no values, so nothing is found")
	}
	if f != nil {
		c.searchable(f)
	}
	for i := range items {
		item := &items[i]
		c.at(i)
		if !isText(item) {
			c.report(ErrMalformed, nil, "each value must be a string, number or boolean, and this is %s", item.kind)
		} else if f != nil {
			c.starred(item)
			c.literal(f, item, exactLiteral, "")
		}
		c.out()
	}
}

func (c *checker) exists(v *value) {
	if !c.params(v, "exists", existsParams) {
		return
	}
	name := v.get("field")
	c.in("field")
	defer c.out()
	if !c.must(name.kind == str, name, "field", "the name of a field") {
		return
	}
	if strings.Contains(name.text, "*") {
		for _, f := range c.pattern(name.text, needExist, c.sees) {
			if whole := c.indexesAll(f); whole != f && !glob(name.text, whole.Path) {
				c.report(ErrFieldType, []string{whole.Path}, tooLong, quoted(f.Path), f.ignoreAbove)
			}
		}
		return
	}
	f := c.field(&name.text, needExist)
	if f == nil {
		return
	}
	c.searchable(f)
	if whole := c.indexesAll(f); whole != f {
		c.fixed(ErrFieldType, whole.Path, tooLong, quoted(f.Path), f.ignoreAbove)
		name.text = whole.Path
		return
	}
	switch holder := f.family == objectFamily || f.family == nestedFamily; {
	case holder && !c.trusted && c.index.sensitive.within(f.Path):
		c.report(ErrFieldType, c.alternatives(f, needExist), "%s is an object; name a field in it", quoted(f.Path))
	case f.family == objectFamily && !c.index.mapping.anyIn(f.Path), f.family == binaryFamily && !f.Sortable:
		c.report(ErrFieldType, nil, "%s is not indexed, so exists finds nothing", quoted(f.Path))
	}
}

// tooLong says why a field that does not exist can have a value.
const tooLong = "%s does not exist in documents whose value has more than %d characters (ignore_above)"

// indexesAll returns the field that has all values of f in the index: f itself, or the
// field whose values it also holds. If there is none, it reports that.
func (c *checker) indexesAll(f *Field) *Field {
	if f.ignoreAbove == 0 {
		return f
	}
	if whole := c.whole(f); whole != nil {
		return whole
	}
	c.report(ErrFieldType, nil, tooLong+": leave the condition out and read the field", quoted(f.Path), f.ignoreAbove)
	return f
}

// whole returns the field that has all values of f, also the long ones, or nil.
func (c *checker) whole(f *Field) *Field {
	whole := c.index.mapping.fields[f.Parent]
	if whole == nil || whole.ignoreAbove > 0 || !needExist.fits(whole) || !c.visible(whole.Path) {
		return nil
	}
	return whole
}

func (c *checker) ids(v *value) {
	if !c.params(v, "ids", idsParams) {
		return
	}
	c.in("values")
	defer c.out()
	switch values := v.get("values"); {
	case values.kind == array && len(values.items) == 0:
		c.report(ErrInvalidLiteral, nil, "there are no values, so nothing is found")
	case len(values.items) > maxTerms:
		c.report(ErrTooExpensive, nil, "there are %d values; at most %d are allowed", len(values.items), maxTerms)
	}
}
