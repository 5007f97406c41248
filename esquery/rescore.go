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
func (c *checker) rescore(v *value) {
	n := 0
	c.each(v, func(rescorer *value) {
		c.rescorer(rescorer)
		n += count(rescorer, "window_size", defaultSize)
	})
	if n > c.v.opt.MaxHits {
		c.report(ErrTooExpensive, nil, "%d hits would be scored again; at most %d are allowed", n, c.v.opt.MaxHits)
	}
}

func (c *checker) rescorer(v *value) {
	if !c.params(v, "rescore", rescoreParams) {
		return
	}
	c.member(v, "query", func(q *value) { c.params(q, "query of rescore", rescoreQueryParams) })
}
