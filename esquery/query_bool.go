package esquery

var (
	boolParams = withCommon(
		param{key: "must", takes: clauses},
		param{key: "filter", takes: clauses},
		param{key: "should", takes: clauses},
		param{key: "must_not", takes: clauses},
		param{key: "minimum_should_match", takes: minimumMatch},
		param{key: "adjust_pure_negative", takes: aSwitch})
	boostingParams = withCommon(
		param{key: "positive", takes: aQuery, required: true},
		param{key: "negative", takes: aQuery, required: true},
		param{key: "negative_boost", takes: aBoost, required: true})
	constantScoreParams = withCommon(param{key: "filter", takes: aQuery, required: true})
	disMaxParams        = withCommon(
		param{key: "queries", takes: someQueries, required: true},
		param{key: "tie_breaker", takes: aNumber})
)

func (c *checker) boolQuery(v *value) {
	if !c.params(v, "bool", boolParams) {
		return
	}
	minimum, should := v.get("minimum_should_match"), v.get("should")
	if minimum == nil || minimum.kind != number {
		return
	}
	n, _ := countOf(minimum)
	have := 0
	if should != nil {
		if have = len(should.items); should.kind == object {
			have = 1
		}
	}
	if n > have {
		c.in("minimum_should_match")
		c.report(ErrInvalidLiteral, nil, "%d of %d should clauses cannot match, so nothing is found", n, have)
		c.out()
	}
}

// clausesOf checks the value of a key of a bool. Null means no clause.
func (c *checker) clausesOf(v *value, key string) {
	switch v.kind {
	case object, array:
		c.queries(v)
	case null:
	default:
		c.report(ErrMalformed, nil, "%s takes a query or an array of queries, and this is %s", key, v.kind)
	}
}

func (c *checker) constantScore(v *value) {
	if v.kind == object && v.get("filter") == nil && v.get("query") != nil {
		c.report(ErrUnknownKey, []string{"filter"}, "the query of constant_score belongs under filter")
		return
	}
	c.params(v, "constant_score", constantScoreParams)
}
