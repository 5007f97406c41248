package esquery

var spanTermClause = clauseType{name: "span_term", need: needWords, main: "value", alias: "term", params: withCommon(
	param{key: "value"}, param{key: "term"})}

// spanTypes are the queries on the positions of words, with their parameters. The
// engines check that their clauses are such queries, and all on one field.
var spanTypes = map[string][]param{
	"span_or": withCommon(param{key: "clauses", takes: someQueries, required: true}),
	"span_not": withCommon(
		param{key: "include", takes: aQuery, required: true}, param{key: "exclude", takes: aQuery, required: true},
		param{key: "dist", takes: aCount}, param{key: "pre", takes: aCount}, param{key: "post", takes: aCount}),
	"span_first": withCommon(param{key: "match", takes: aQuery, required: true},
		param{key: "end", takes: aCount, required: true}),
	"span_containing":    withCommon(bigSpan, littleSpan),
	"span_within":        withCommon(bigSpan, littleSpan),
	"span_multi":         withCommon(param{key: "match", takes: aQuery, required: true}),
	"field_masking_span": maskingParams,
	"span_field_masking": maskingParams,
}

var (
	spanNearParams = withCommon(
		param{key: "clauses", takes: anArray, required: true},
		param{key: "slop", takes: aNumber},
		param{key: "in_order", takes: aSwitch})
	bigSpan       = param{key: "big", takes: aQuery, required: true}
	littleSpan    = param{key: "little", takes: aQuery, required: true}
	maskingParams = withCommon(
		param{key: "query", takes: aQuery, required: true},
		param{key: "field", takes: aField, need: needWords, required: true})
)

func (c *checker) spanTerm(v *value) {
	defer c.back(len(c.path))
	if cl, ok := c.clause(v, &spanTermClause); ok {
		c.ofWord(&cl)
	}
}

// spanNear checks words near each other. Its clauses can have a span_gap between
// them, {"span_gap": {"FIELD": width}}, which engines accept nowhere else.
func (c *checker) spanNear(v *value) {
	if !c.params(v, "span_near", spanNearParams) {
		return
	}
	c.member(v, "clauses", func(clauses *value) {
		for i := range clauses.items {
			c.at(i)
			if gap := clauses.items[i].get("span_gap"); gap != nil && i > 0 && len(clauses.items[i].members) == 1 {
				c.spanGap(gap)
			} else {
				c.query(&clauses.items[i])
			}
			c.out()
		}
	})
}

func (c *checker) spanGap(v *value) {
	c.in("span_gap")
	defer c.out()
	if !c.is(v, object, "span_gap") {
		return
	}
	for i := range v.members {
		m := &v.members[i]
		c.in(m.key)
		c.field(&m.key, needWords)
		c.takes(&m.value, &param{key: "span_gap", takes: aCount})
		c.out()
	}
}
