package esquery

var spanTermClause = clauseType{name: "span_term", need: needWords, main: "value", alias: "term", params: withCommon(
	param{key: "value"}, param{key: "term"})}

// spanTypes are the queries that find where words stand, with what they take. A
// query in one of them is one of them as well.
var spanTypes = map[string][]param{
	"span_term": nil,
	"span_near": withCommon(
		param{key: "clauses", takes: anArray, required: true},
		param{key: "slop", takes: aNumber},
		param{key: "in_order", takes: aSwitch}),
	"span_or": withCommon(param{key: "clauses", takes: anArray, required: true}),
	"span_not": withCommon(
		param{key: "include", required: true}, param{key: "exclude", required: true},
		param{key: "dist", takes: aCount}, param{key: "pre", takes: aCount}, param{key: "post", takes: aCount}),
	"span_first":         withCommon(param{key: "match", required: true}, param{key: "end", takes: aCount, required: true}),
	"span_containing":    withCommon(param{key: "big", required: true}, param{key: "little", required: true}),
	"span_within":        withCommon(param{key: "big", required: true}, param{key: "little", required: true}),
	"span_multi":         withCommon(param{key: "match", takes: anything, required: true}),
	"field_masking_span": maskingParams,
	"span_field_masking": maskingParams,
}

var maskingParams = withCommon(param{key: "query", required: true}, param{key: "field", takes: aField, need: needWords, required: true})

// spanOf checks a query on where words stand, and returns the field that it is on;
// empty: a problem was noted.
func (c *checker) spanOf(name string, v *value) string {
	if name == "span_term" {
		return c.spanTerm(v)
	}
	if !c.params(v, name, spanTypes[name]) {
		return ""
	}
	switch name {
	case "span_multi":
		return c.spanMulti(v.get("match"))
	case "field_masking_span", "span_field_masking":
		c.spanIn(v, "query")
		return v.get("field").text
	case "span_near", "span_or":
		return c.spanClauses(v.get("clauses"), name)
	case "span_not":
		if v.get("dist") != nil && (v.get("pre") != nil || v.get("post") != nil) {
			c.report(Malformed, nil, "span_not has dist, or pre and post")
		}
		return c.sameField(name, c.spanIn(v, "include"), c.spanIn(v, "exclude"))
	case "span_first":
		return c.spanIn(v, "match")
	default:
		return c.sameField(name, c.spanIn(v, "big"), c.spanIn(v, "little"))
	}
}

func (c *checker) spanTerm(v *value) string {
	defer c.back(len(c.path))
	cl, ok := c.clause(v, &spanTermClause)
	if !ok || cl.field == nil {
		return ""
	}
	c.ofWord(&cl)
	return cl.field.Path
}

// spanIn checks the query of that key.
func (c *checker) spanIn(v *value, key string) string {
	c.in(key)
	defer c.out()
	return c.span(v.get(key))
}

// span checks one query in another of these.
func (c *checker) span(v *value) string {
	if !c.is(v, object, "a span query") || !c.deeper() {
		return ""
	}
	defer c.shallower()
	if len(v.members) != 1 {
		c.report(Malformed, nil, "a span query is an object with one key, its type; this has %d", len(v.members))
		return ""
	}
	m := &v.members[0]
	c.in(m.key)
	defer c.out()
	if _, ok := spanTypes[m.key]; !ok {
		c.report(UnknownKey, []string{"span_term", "span_multi"}, "only span queries can stand in one, and %s is none", quoted(m.key))
		return ""
	}
	if m.value.get("boost") != nil || m.key == "span_term" && len(m.value.members) == 1 && m.value.members[0].value.get("boost") != nil {
		c.report(Malformed, nil, "only the outermost span query has a boost")
		return ""
	}
	return c.spanOf(m.key, &m.value)
}

func (c *checker) spanClauses(v *value, name string) string {
	c.in("clauses")
	defer c.out()
	if len(v.items) == 0 {
		c.report(Malformed, nil, "%s needs clauses", name)
		return ""
	}
	field := ""
	for i := range v.items {
		c.at(i)
		if gap := v.items[i].get("span_gap"); gap != nil && i > 0 && name == "span_near" {
			c.spanGap(gap)
		} else if on := c.span(&v.items[i]); field == "" {
			field = on
		} else {
			field = c.sameField(name, field, on)
		}
		c.out()
	}
	return field
}

// spanGap checks {"FIELD": width}, which stands between the clauses of a span_near.
func (c *checker) spanGap(v *value) {
	c.in("span_gap")
	defer c.out()
	if v.kind != object || len(v.members) != 1 {
		c.report(Malformed, nil, `span_gap is written {"span_gap": {"FIELD": 2}}`)
		return
	}
	m := &v.members[0]
	c.in(m.key)
	c.field(&m.key, needWords)
	c.takes(&m.value, &param{key: "span_gap", takes: aCount})
	c.out()
}

// sameField notes spans on different fields, which have no order to each other.
func (c *checker) sameField(name, a, b string) string {
	if a != "" && b != "" && a != b {
		c.report(Malformed, []string{"field_masking_span"}, "all of a %s must be on one field, and here are %s and %s", name, quoted(a), quoted(b))
		return ""
	}
	return a
}

// spanMulti checks a query on many terms of a text.
func (c *checker) spanMulti(v *value) string {
	c.in("match")
	defer c.out()
	if v.kind != object || len(v.members) != 1 {
		c.report(Malformed, nil, "span_multi has one query: prefix, wildcard, regexp or fuzzy")
		return ""
	}
	m := &v.members[0]
	switch m.key {
	case "prefix", "wildcard", "regexp", "fuzzy":
	default:
		c.report(UnknownKey, []string{"prefix", "wildcard", "regexp", "fuzzy"}, "span_multi takes prefix, wildcard, regexp or fuzzy, and not %s", quoted(m.key))
		return ""
	}
	before := c.faults
	c.query(v)
	if c.faults > before {
		return ""
	}
	path := m.value.members[0].key
	if f := c.index.mapping.lookup(path); !needWords.fits(f) {
		c.in(m.key)
		c.in(path)
		c.unfit(f, needWords)
		c.out()
		c.out()
		return ""
	}
	return path
}
