package esquery

import "slices"

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
	unscored := []string{"filter", "must_not", "post_filter", "filters"}
	if c.trusted || slices.ContainsFunc(c.path, func(s step) bool { return slices.Contains(unscored, s.key) }) {
		c.idleShould(v)
	}
	minimum, should := v.get("minimum_should_match"), clauseCount(v, "should")
	if minimum == nil || minimum.kind != number {
		return
	}
	if n, _ := countOf(minimum); n > should {
		c.in("minimum_should_match")
		c.report(ErrInvalidLiteral, nil, "%d of %d should clauses cannot match, so nothing is found", n, should)
		c.out()
	}
}

// clauseCount returns the number of clauses under a key of a bool.
func clauseCount(v *value, key string) int {
	switch m := v.get(key); {
	case m == nil:
		return 0
	case m.kind == object:
		return 1
	default:
		return len(m.items)
	}
}

// idleShould reports the should of a bool that computes no score, if no clause of it has to
// match.
func (c *checker) idleShould(v *value) {
	required := clauseCount(v, "must") + clauseCount(v, "filter")
	if v.get("minimum_should_match") != nil || required == 0 || clauseCount(v, "should") == 0 {
		return
	}
	c.in("should")
	c.report(ErrInvalidLiteral, nil, "next to must or filter, should only adds to a score, and there is none here: "+
		"add minimum_should_match 1 if one of its clauses has to match, or leave should out")
	c.out()
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
