package esquery

var (
	rescoreParams = []param{
		{key: "window_size", takes: aCount},
		{key: "query", takes: anything},
		{key: "script", takes: aScript},
		{key: "learning_to_rank", takes: refused, why: "it needs a model of the cluster"},
	}
	rescoreQueryParams = []param{
		{key: "rescore_query", takes: aQuery, required: true},
		{key: "query_weight", takes: aNumber},
		{key: "rescore_query_weight", takes: aNumber},
		{key: "score_mode", takes: aWord, words: []string{"total", "multiply", "avg", "max", "min"}},
	}
)

// rescore checks how the first hits are scored anew.
func (c *checker) rescore(v *value) {
	if v.kind != array {
		c.rescorer(v)
		return
	}
	for i := range v.items {
		c.at(i)
		c.rescorer(&v.items[i])
		c.out()
	}
}

func (c *checker) rescorer(v *value) {
	if !c.params(v, "rescore", rescoreParams) {
		return
	}
	if n := count(v, "window_size", defaultSize); n > c.v.opt.MaxHits {
		c.in("window_size")
		c.report(TooExpensive, nil, "%d hits would be scored anew; at most %d can be", n, c.v.opt.MaxHits)
		c.out()
	}
	if v.get("query") == nil {
		c.report(Malformed, nil, `rescore needs "query": {"rescore_query": ...}`)
		return
	}
	c.member(v, "query", func(q *value) { c.params(q, "query of rescore", rescoreQueryParams) })
}

func (c *checker) rescoreAndSort(root *value) {
	if r := root.get("rescore"); r != nil && !(r.kind == array && len(r.items) == 0) && !onlyByScore(root) {
		c.in("rescore")
		c.report(Malformed, nil, "hits that are sorted by something else than their score cannot be scored anew")
		c.out()
	}
}
