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
		{key: "score_mode", takes: aText},
	}
)

// rescore checks the second scoring of the first hits.
func (c *checker) rescore(v *value) { c.each(v, c.rescorer) }

func (c *checker) rescorer(v *value) {
	if !c.params(v, "rescore", rescoreParams) {
		return
	}
	if n := count(v, "window_size", defaultSize); n > c.v.opt.MaxHits {
		c.in("window_size")
		c.report(ErrTooExpensive, nil, "%d hits would be scored again; at most %d are allowed", n, c.v.opt.MaxHits)
		c.out()
	}
	c.member(v, "query", func(q *value) { c.params(q, "query of rescore", rescoreQueryParams) })
}
