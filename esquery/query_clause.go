package esquery

// A clauseType is a query on one field. Its forms are {"FIELD": value} and
// {"FIELD": {main: value, ...}}.
type clauseType struct {
	name   string // the name of the query
	need   need   // what it does with the field
	main   string // the parameter that the short form sets
	params []param
}

// A clause is a parsed query on one field.
type clause struct {
	field *Field // nil if a problem was reported
	value *value // the value of the short form, or of main
	long  *value // the parameters; nil for the short form
}

// get returns a parameter of the long form, or nil.
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

// clause parses a query on one field and reports problems of its form and its
// field. It leaves the path at the value: the caller calls back. If it returns
// false, there is nothing more to check.
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
	cl.long = &m.value
	ok := c.params(cl.long, t.name, t.params)
	if cl.value = cl.long.get(t.main); cl.value == nil {
		c.report(ErrMalformed, nil, "%s needs %s in the object of its field", t.name, quoted(t.main))
		return cl, false
	}
	c.in(t.main)
	return cl, ok && c.clauseValue(cl.value, t)
}

// onlyField returns the one member of a query on one field.
func (c *checker) onlyField(v *value, t *clauseType) *member {
	if v.kind == object && len(v.members) == 1 {
		return &v.members[0]
	}
	c.report(ErrMalformed, []string{"bool"},
		`%s is written {"%s": {"FIELD": ...}} with one field, whose object has the parameters; put one %s for each field into a bool`,
		t.name, t.name, t.name)
	return nil
}

// clauseValue reports a main value that is not a single value.
func (c *checker) clauseValue(v *value, t *clauseType) bool {
	if isText(v) {
		return true
	}
	c.report(ErrMalformed, []string{"terms", "bool"},
		"%s takes one string, number or boolean, and this is %s; for several values use terms, or one %s for each in the should of a bool",
		t.name, v.kind, t.name)
	return false
}

// back returns to the location at which the path had that length.
func (c *checker) back(length int) { c.path = c.path[:length] }
