package esquery

// ranges checks the ranges of an aggregation, each of which is a bucket.
func (c *checker) ranges(p *value, f *Field) bucketCount {
	ranges := p.get("ranges")
	c.in("ranges")
	for i := range ranges.items {
		c.at(i)
		if r := &ranges.items[i]; c.params(r, "a range", rangeBucketParams) && f != nil {
			for _, key := range [...]string{"from", "to"} {
				c.member(r, key, func(v *value) {
					if v.kind != null {
						c.literal(f, v, boundLiteral, textOf(p, "format"))
					}
				})
			}
			if from, to := r.get("from"), r.get("to"); from != nil && to != nil {
				c.between(f, from, to, true, textOf(p, "format"))
			}
		}
		c.out()
	}
	c.out()
	c.member(p, "origin", c.geoPoint)
	return overlapping(len(ranges.items))
}

// namedFilters checks an aggregation whose buckets are queries.
func (c *checker) namedFilters(p *value) bucketCount {
	filters := p.get("filters")
	c.in("filters")
	defer c.out()
	for i := range filters.members {
		c.in(filters.members[i].key)
		c.query(&filters.members[i].value)
		c.out()
	}
	if filters.kind == array {
		c.queries(filters)
	}
	n := len(filters.members) + len(filters.items)
	if n == 0 {
		c.report(ErrMalformed, nil, "filters needs at least one query")
	}
	if c.filters += n; c.filters > maxFilters && c.filters-n <= maxFilters {
		c.report(ErrTooExpensive, nil,
			"the filters of a body's aggregations can be at most %d queries, each of which is run on all documents", maxFilters)
	}
	return overlapping(n + 1)
}
