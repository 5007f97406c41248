package esquery

import "github.com/qedkit/qed/refusal"

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

var (
	compositeShared = []param{
		{key: "order", takes: aText},
		{key: "missing_bucket", takes: aSwitch},
		{key: "missing_order", takes: aText},
		{key: "script", takes: aScript}, {key: "value_type", takes: aText},
	}
	compositeSources = map[string][]param{
		"terms": joined(compositeShared, []param{{key: "field", takes: aField, need: needBuckets, required: true}}),
		"histogram": joined(compositeShared, []param{
			{key: "field", takes: aField, need: needNumber, required: true}, {key: "interval", takes: aNumber, required: true},
		}),
		"date_histogram": joined(compositeShared, []param{
			{key: "field", takes: aField, need: needDate, required: true},
			{key: "calendar_interval", takes: aText}, {key: "fixed_interval", takes: aText},
			{key: "format", takes: aText}, zoneParam, {key: "offset", takes: anything},
		}),
	}
	compositeNames = []string{"date_histogram", "histogram", "terms"}
)

// composite checks the sources of the aggregation: objects with a name above the
// type of the source.
func (c *checker) composite(p *value) bucketCount {
	c.member(p, "sources", func(sources *value) {
		c.each(sources, func(source *value) {
			if !c.is(source, object, "a source") {
				return
			}
			for i := range source.members {
				c.in(source.members[i].key)
				c.compositeSource(&source.members[i].value)
				c.out()
			}
		})
	})
	return ofSize(p)
}

func (c *checker) compositeSource(v *value) {
	if !c.is(v, object, "a source") {
		return
	}
	for i := range v.members {
		m := &v.members[i]
		c.in(m.key)
		known := compositeSources[m.key]
		if known == nil {
			c.report(ErrUnknownKey, refusal.Nearest(m.key, compositeNames, maxCandidates),
				"composite has no source %s", quoted(m.key))
		} else if c.params(&m.value, m.key, known) && m.key == "date_histogram" {
			c.interval(&m.value)
			c.valuesOf(c.fieldOf(&m.value), &m.value)
		}
		c.out()
	}
}
