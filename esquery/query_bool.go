package esquery

var (
	boolParams = withCommon(
		param{key: "must", takes: clauses},
		param{key: "filter", takes: clauses},
		param{key: "should", takes: clauses},
		param{key: "must_not", takes: clauses},
		param{key: "mustNot", takes: clauses, old: true},
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
	pinnedParams = withCommon(
		param{key: "organic", takes: aQuery, required: true},
		param{key: "ids", takes: texts},
		param{key: "docs", takes: refused, why: "it names other indices; give ids"})
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
		c.report(InvalidLiteral, nil, "%d of %d should clauses cannot match: it finds nothing", n, have)
		c.out()
	}
}

// clausesOf checks what stands under one key of a bool. Null is no clause.
func (c *checker) clausesOf(v *value, key string) {
	switch v.kind {
	case object, array:
		c.queries(v)
	case null:
	default:
		c.report(Malformed, nil, "%s takes a query or an array of queries, and this is %s", key, v.kind)
	}
}

func (c *checker) boosting(v *value) { c.params(v, "boosting", boostingParams) }

func (c *checker) constantScore(v *value) {
	if v.kind == object && v.get("filter") == nil && v.get("query") != nil {
		c.report(UnknownKey, []string{"filter"}, "constant_score has its query under filter")
		return
	}
	c.params(v, "constant_score", constantScoreParams)
}

func (c *checker) disMax(v *value) {
	if !c.params(v, "dis_max", disMaxParams) {
		return
	}
	if queries := v.get("queries"); queries.kind == array && len(queries.items) == 0 {
		c.report(Malformed, nil, "dis_max needs a query at least")
	}
	c.tieBreaker(v)
}

// tieBreaker notes a tie_breaker that is no part of one.
func (c *checker) tieBreaker(v *value) {
	if tie := v.get("tie_breaker"); tie != nil {
		if n, _ := numberOf(tie); n < 0 || n > 1 {
			c.in("tie_breaker")
			c.report(Malformed, nil, "tie_breaker must be a number from 0 to 1")
			c.out()
		}
	}
}

func (c *checker) pinned(v *value) {
	if c.params(v, "pinned", pinnedParams) && v.get("ids") == nil {
		c.report(Malformed, nil, "pinned needs ids")
	}
}
