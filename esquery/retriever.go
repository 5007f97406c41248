package esquery

import "github.com/qedkit/qed/refusal"

var (
	retrieverNames = []string{"knn", "standard"}
	standardParams = []param{
		{key: "query", takes: aQuery},
		{key: "filter", takes: someQueries},
		{key: "sort", takes: aSort},
		{key: "search_after", takes: anArray},
		{key: "min_score", takes: aNumber},
		{key: "terminate_after", takes: aCount},
		{key: "collapse", takes: aCollapse},
		{key: "_name", takes: aText},
	}
)

// retriever checks the form of Elasticsearch that nests searches.
func (c *checker) retriever(v *value) {
	if c.filtered() {
		c.report(ErrFilterBypass, nil, "retriever is refused; write query and knn at the top of the body")
		return
	}
	if !c.is(v, object, "retriever") {
		return
	}
	if len(v.members) != 1 {
		c.report(ErrMalformed, nil, "a retriever is an object with exactly one key, its type; this has %d", len(v.members))
		return
	}
	m := &v.members[0]
	c.in(m.key)
	defer c.out()
	switch m.key {
	case "standard":
		c.params(&m.value, "standard", standardParams)
	case "knn":
		c.topKNN(&m.value)
	default:
		c.report(ErrUnknownKey, refusal.Nearest(m.key, retrieverNames, maxCandidates),
			"a retriever %s is not supported; use knn or standard", quoted(m.key))
	}
}
