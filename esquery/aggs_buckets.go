package esquery

import (
	"strings"

	"github.com/qedkit/qed/refusal"
)

// histogram checks an aggregation of equal steps, and estimates its buckets.
func (c *checker) histogram(name string, p *value, f *Field, around parent) int {
	switch name {
	case "auto_date_histogram", "variable_width_histogram":
		return count(p, "buckets", defaultSize)
	case "histogram":
		width, _ := numberOf(p.get("interval"))
		if width <= 0 {
			c.in("interval")
			c.report(Malformed, nil, "interval must be above zero")
			c.out()
			return 1
		}
		number := func(v *value) {
			if _, ok := numberOf(v); !ok {
				c.report(InvalidLiteral, nil, "a bound must be a number")
			}
		}
		c.bounds(p, f, number)
		return c.steps(p, f, width, around)
	}
	c.member(p, "interval", func(*value) {
		c.report(UnknownKey, []string{"calendar_interval", "fixed_interval"}, "interval is gone from Elasticsearch 8: write calendar_interval (a day, a month) or fixed_interval (12h, 30d)")
	})
	calendar, fixed := p.get("calendar_interval"), p.get("fixed_interval")
	switch {
	case calendar != nil && fixed != nil:
		c.report(Malformed, nil, "date_histogram has calendar_interval or fixed_interval, not both")
		return 1
	case calendar == nil && fixed == nil:
		if p.get("interval") == nil {
			c.report(Malformed, []string{"calendar_interval", "fixed_interval"}, "date_histogram needs calendar_interval or fixed_interval")
		}
		return 1
	}
	before := len(c.problems)
	c.member(p, "calendar_interval", c.calendarInterval)
	c.member(p, "fixed_interval", c.fixedInterval)
	c.member(p, "offset", c.dateOffset)
	if f == nil || f.family != dateFamily {
		return 1
	}
	format := ""
	if text := p.get("format"); text != nil {
		format = text.text
	}
	c.bounds(p, f, func(v *value) { c.literalAs(f, v, boundLiteral, format) })
	if len(c.problems) > before {
		return 1
	}
	return c.steps(p, f, intervalMillis(calendar, fixed), around)
}

// bounds checks extended_bounds and hard_bounds.
func (c *checker) bounds(p *value, f *Field, literal func(*value)) {
	for _, key := range [...]string{"extended_bounds", "hard_bounds"} {
		c.member(p, key, func(v *value) {
			if !c.params(v, key, boundsParams) {
				return
			}
			unsure := 0.0 // how long months and years are, date math says on the spot
			for i := range v.members {
				bound := &v.members[i].value
				c.in(v.members[i].key)
				literal(bound)
				c.out()
				if strings.HasPrefix(bound.text, "now") || strings.Contains(bound.text, "||") {
					unsure = 35 * day
				}
			}
			at := spanOf()
			if at.bound(f, v, "min", "max", textOf(p, "format")); at.reversed(unsure) {
				c.report(InvalidLiteral, nil, "min is above max")
			}
		})
	}
}

var (
	numberRangeParams = []param{{key: "key", takes: aText}, {key: "from", takes: anything}, {key: "to", takes: anything}}
	ipRangeParams     = append([]param{{key: "mask", takes: aText}}, numberRangeParams...)
)

// ranges checks the ranges of an aggregation, each of which is a bucket.
func (c *checker) ranges(name string, p *value, f *Field) int {
	ranges := p.get("ranges")
	c.in("ranges")
	if !c.must(ranges.kind == array && len(ranges.items) > 0, ranges, "ranges", "an array that is not empty") {
		c.out()
		return 1
	}
	known := numberRangeParams
	if name == "ip_range" {
		known = ipRangeParams
	}
	for i := range ranges.items {
		c.at(i)
		if r := &ranges.items[i]; c.params(r, "a range", known) {
			c.member(r, "from", func(v *value) { c.rangeBound(name, p, f, v) })
			c.member(r, "to", func(v *value) { c.rangeBound(name, p, f, v) })
			c.member(r, "mask", func(v *value) {
				if c.must(strings.Contains(v.text, "/"), v, "mask", "a network such as 10.0.0.0/8") && f != nil {
					c.literal(f, v, exactLiteral)
				}
			})
		}
		c.out()
	}
	c.out()
	if name == "geo_distance" {
		c.member(p, "origin", c.geoPoint)
	}
	return len(ranges.items)
}

func (c *checker) rangeBound(name string, p *value, f *Field, v *value) {
	if v.kind == null || f == nil {
		return
	}
	switch {
	case name == "ip_range":
		c.literal(f, v, boundLiteral)
	case name == "date_range" && f.family == dateFamily:
		format := ""
		if text := p.get("format"); text != nil {
			format = text.text
		}
		c.literalAs(f, v, boundLiteral, format)
	case name == "range" && f.family == dateFamily:
		c.literal(f, v, boundLiteral)
	default:
		if _, ok := numberOf(v); !ok {
			c.report(InvalidLiteral, nil, "a bound must be a number")
		}
	}
}

// namedFilters checks an aggregation whose buckets are queries.
func (c *checker) namedFilters(name string, p *value) int {
	filters := p.get("filters")
	c.in("filters")
	defer c.out()
	n := 0
	switch {
	case filters.kind == object:
		n = len(filters.members)
		for i := range filters.members {
			c.in(filters.members[i].key)
			c.query(&filters.members[i].value)
			c.out()
		}
	case filters.kind == array && name == "filters":
		n = len(filters.items)
		c.queries(filters)
	default:
		c.report(Malformed, nil, "filters must be an object of queries by their names, and is %s", filters.kind)
		return 1
	}
	if n == 0 {
		c.report(Malformed, nil, "filters must not be empty")
	}
	if name == "adjacency_matrix" {
		return n * (n + 1) / 2
	}
	return n + 1
}

func (c *checker) gridPrecision(name string, v *value) {
	n, ok := countOf(v)
	if !ok {
		c.must(name == "geohash_grid" && v.kind == str && v.text != "", v, "precision", "a whole number")
		return
	}
	least, most := 0, 29
	if name == "geohash_grid" {
		least, most = 1, 12
	}
	if n < least || n > most {
		c.report(Malformed, nil, "precision of %s is from %d to %d", name, least, most)
	}
}

var (
	compositeShared = []param{
		{key: "order", takes: aWord, words: orders},
		{key: "missing_bucket", takes: aSwitch},
		{key: "missing_order", takes: aWord, words: []string{"first", "last", "default"}},
		{key: "script", takes: aScript}, {key: "value_type", takes: aText},
	}
	compositeTerms = joined(compositeShared, []param{{key: "field", takes: aField, need: needBuckets, required: true}})
	compositeSteps = joined(compositeShared, []param{
		{key: "field", takes: aField, need: needNumber, required: true}, {key: "interval", takes: aNumber, required: true},
	})
	compositeDates = joined(compositeShared, []param{
		{key: "field", takes: aField, need: needDate, required: true},
		{key: "calendar_interval", takes: anything}, {key: "fixed_interval", takes: anything}, {key: "interval", takes: anything},
		{key: "format", takes: aText}, zoneParam, {key: "offset", takes: anything},
	})
	compositeTiles = joined(compositeShared, []param{
		{key: "field", takes: aField, need: needGeoPoint, required: true},
		{key: "precision", takes: anything}, {key: "bounds", takes: anObject},
	})
	compositeNames = []string{"date_histogram", "geotile_grid", "histogram", "terms"}
)

// composite checks the sources of the aggregation, and after against their names.
func (c *checker) composite(p *value) int {
	sources := p.get("sources")
	c.in("sources")
	items := list(sources)
	if !c.must(len(items) > 0 && (sources.kind == array || sources.kind == object), sources, "sources", "an array that is not empty") {
		c.out()
		return 1
	}
	names := make([]string, 0, len(items))
	for i := range items {
		if sources.kind == array {
			c.at(i)
		}
		source := &items[i]
		if source.kind != object || len(source.members) != 1 {
			c.report(Malformed, nil, `a source is an object with one name, such as {"day": {"date_histogram": ...}}`)
		} else {
			m := &source.members[0]
			for _, other := range names {
				if other == m.key {
					c.report(Malformed, nil, "two sources have the name %s", quoted(m.key))
				}
			}
			names = append(names, m.key)
			c.in(m.key)
			c.compositeSource(&m.value)
			c.out()
		}
		if sources.kind == array {
			c.out()
		}
	}
	c.out()
	c.member(p, "after", func(after *value) {
		for _, name := range names {
			if after.get(name) == nil {
				c.report(Malformed, nil, "after needs a value for the source %s", quoted(name))
			}
		}
		if len(after.members) > len(names) {
			c.report(Malformed, names, "after has values for more than its sources")
		}
	})
	return count(p, "size", defaultSize)
}

func (c *checker) compositeSource(v *value) {
	if v.kind != object || len(v.members) != 1 {
		c.report(Malformed, compositeNames, "a source has exactly one type")
		return
	}
	m := &v.members[0]
	c.in(m.key)
	defer c.out()
	switch m.key {
	case "terms":
		c.params(&m.value, m.key, compositeTerms)
	case "histogram":
		if c.params(&m.value, m.key, compositeSteps) {
			n, _ := numberOf(m.value.get("interval"))
			c.must(n > 0, m.value.get("interval"), "interval", "a number above zero")
		}
	case "date_histogram":
		if c.params(&m.value, m.key, compositeDates) {
			f := c.fieldOf(&m.value)
			c.histogram(m.key, &m.value, f, parent{})
			if f.family == dateFamily {
				c.member(&m.value, "format", c.dateFormat)
			}
		}
	case "geotile_grid":
		if c.params(&m.value, m.key, compositeTiles) {
			c.member(&m.value, "precision", func(n *value) { c.gridPrecision(m.key, n) })
		}
	default:
		c.report(UnknownKey, refusal.Nearest(m.key, compositeNames, maxCandidates), "composite has no source %s", quoted(m.key))
	}
}
