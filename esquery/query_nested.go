package esquery

var nestedParams = withCommon(
	param{key: "path", takes: anything, required: true},
	param{key: "query", takes: anything, required: true},
	param{key: "score_mode", takes: aText},
	param{key: "ignore_unmapped", takes: aSwitch},
	param{key: "inner_hits", takes: refused, why: "it is not supported; _source has the nested objects"})

// nestedQuery checks a query on the objects of a nested field.
func (c *checker) nestedQuery(v *value) {
	if v.kind == object && v.get("path") == nil && v.get("query") != nil {
		c.report(ErrMalformed, c.nestedObjects(), "nested needs a path: the name of a nested object")
		return
	}
	if !c.params(v, "nested", nestedParams) {
		return
	}
	c.in("path")
	f := c.nestedObject(v.get("path"))
	c.out()
	if f == nil {
		return // the scope of its query is not known
	}
	outer := c.nested
	c.nested = f.Path
	c.member(v, "query", c.query)
	c.nested = outer
}
