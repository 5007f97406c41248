package esquery

// clauseType is what a query on one field is like: {"FIELD": value} for short, or
// {"FIELD": {main: value, ...}}.
type clauseType struct {
	name   string // of the query
	need   need   // what it does with the field
	main   string // the parameter that the short form stands for
	alias  string // another name of it; empty: none
	params []param
}

// clause is a query on one field, taken apart.
type clause struct {
	field *Field // nil: a problem with it was noted
	value *value // of the short form, or of main
	long  *value // the parameters; nil in the short form
}

// get returns a parameter of the long form; nil: there is none.
func (cl *clause) get(key string) *value {
	if cl.long == nil {
		return nil
	}
	return cl.long.get(key)
}

// is reports whether a parameter is true.
func (cl *clause) is(key string) bool {
	v := cl.get(key)
	return v != nil && v.text == "true"
}

// clause takes a query on one field apart, and notes what is wrong with its form and
// its field. It leaves the walk at the value: the caller goes back to where it was.
// Where it reports false, there is nothing more to look at.
func (c *checker) clause(v *value, t *clauseType) (clause, bool) {
	m := c.onlyField(v, t)
	if m == nil {
		return clause{}, false
	}
	c.in(m.key)
	cl := clause{value: &m.value, field: c.field(&m.key, t.need)}
	if m.value.kind != object {
		return cl, c.clauseValue(cl.value, t)
	}
	cl.long, cl.value = &m.value, nil
	ok := c.params(cl.long, t.name, t.params)
	for i := range cl.long.members {
		if key := cl.long.members[i].key; key == t.main || key == t.alias && t.alias != "" {
			if cl.value != nil {
				c.report(ErrMalformed, nil, "%s and %s are the same parameter; keep one", t.main, t.alias)
				return cl, false
			}
			cl.value = &cl.long.members[i].value
		}
	}
	if cl.value == nil {
		c.report(ErrMalformed, nil, "%s needs %s in the object of its field", t.name, quoted(t.main))
		return cl, false
	}
	c.in(t.main)
	return cl, ok && c.clauseValue(cl.value, t)
}

// onlyField returns the one member of a query on one field.
func (c *checker) onlyField(v *value, t *clauseType) *member {
	switch {
	case v.kind != object:
		c.report(ErrMalformed, nil, `%s is written {"%s": {"FIELD": ...}}, and this is %s`, t.name, t.name, v.kind)
	case len(v.members) == 0:
		c.report(ErrMalformed, nil, `%s names no field; it is written {"%s": {"FIELD": ...}}`, t.name, t.name)
	case len(v.members) > 1:
		for i := range v.members {
			m := &v.members[i]
			if paramOf(t.params, m.key) != nil && !c.knows(m.key) {
				c.in(m.key)
				c.report(ErrMalformed, nil, "%s belongs into the object of the field: {\"%s\": {\"FIELD\": {%s: ...}}}",
					quoted(m.key), t.name, quoted(m.key))
				c.out()
				return nil
			}
		}
		c.report(ErrMalformed, []string{"bool"}, "%s takes one field, and here are %d; put one %s for each into a bool",
			t.name, len(v.members), t.name)
	default:
		return &v.members[0]
	}
	return nil
}

// clauseValue notes a main value that is no single one.
func (c *checker) clauseValue(v *value, t *clauseType) bool {
	switch {
	case isText(v):
		return true
	case v.kind == array && t.need == needTerm:
		c.report(ErrMalformed, []string{"terms"}, "%s takes one value; several go into terms", t.name)
	case v.kind == array:
		c.report(ErrMalformed, []string{"bool", "terms"}, "%s takes one value; for several, put one %s for each into the should of a bool", t.name, t.name)
	default:
		c.report(ErrMalformed, nil, "%s takes a string, number or boolean, and this is %s", t.name, v.kind)
	}
	return false
}

// back goes back to where the walk was when the path had that length.
func (c *checker) back(length int) { c.path = c.path[:length] }
