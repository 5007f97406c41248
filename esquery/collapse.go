package esquery

var (
	collapseParams = []param{
		{key: "field", takes: aField, need: needCollapse, required: true},
		{key: "inner_hits", takes: anything},
		{key: "max_concurrent_group_searches", takes: aCount},
	}
	innerCollapseParams = []param{{key: "field", takes: aField, need: needCollapse, required: true}}
)

// collapse checks the grouping of hits.
func (c *checker) collapse(v *value) {
	if !c.params(v, "collapse", collapseParams) {
		return
	}
	c.member(v, "inner_hits", func(hits *value) {
		if hits.kind != array {
			c.collapsedHits(hits)
			return
		}
		for i := range hits.items {
			c.at(i)
			c.collapsedHits(&hits.items[i])
			for j := range hits.items[:i] {
				if a, b := hits.items[i].get("name"), hits.items[j].get("name"); a != nil && b != nil && a.text == b.text {
					c.report(ErrMalformed, nil,
						"two inner_hits have the name %s, and engines return only one of them", quoted(a.text))
				}
			}
			c.out()
		}
	})
}

// collapsedGroups reports more hits in the groups of a collapse than may be
// read, and more searches for them. It returns the number of these hits.
func (c *checker) collapsedGroups(root *value, size int) (hits int) {
	collapse := root.get("collapse")
	if collapse == nil {
		return 0
	}
	c.in("collapse")
	defer c.out()
	inner := collapse.get("inner_hits")
	if inner == nil {
		return 0
	}
	each := 0
	for _, h := range list(inner) {
		each += count(&h, "from", 0) + count(&h, "size", defaultInnerHits)
	}
	searches := times(size, len(list(inner)))
	switch hits = times(size, each); {
	case hits > c.v.opt.MaxHits:
		c.report(ErrTooExpensive, nil,
			"%d groups with %d hits each are %d; at most %d hits can be read", size, each, hits, c.v.opt.MaxHits)
	case searches > maxGroupSearches:
		c.report(ErrTooExpensive, nil,
			"the inner_hits of %d groups are %d searches; at most %d are allowed: use a smaller size",
			size, searches, maxGroupSearches)
	}
	return hits
}

// list returns the items of an array, or a slice with the value itself.
func list(v *value) []value {
	if v.kind == array {
		return v.items
	}
	return []value{*v}
}
