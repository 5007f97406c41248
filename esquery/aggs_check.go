package esquery

import (
	"slices"
	"strings"
)

// aggregationType checks the parameters of an aggregation, enters the nested
// object that it opens, and returns how many buckets it makes in each bucket
// around it.
func (c *checker) aggregationType(typed *member, kind *aggregation, root *value) bucketCount {
	p := &typed.value
	switch typed.key {
	case "filter":
		c.query(p)
		return oneBucket
	case "top_hits":
		c.topHits(p)
		return oneBucket
	}
	if !c.params(p, typed.key, kind.params) {
		return oneBucket
	}
	f := c.fieldOf(p)
	c.valuesOf(f, p)
	switch typed.key {
	case "nested":
		c.nestedAggregation(p)
	case "reverse_nested":
		c.reverseNested(p)
	case "children", "parent":
		c.joinAggregation(typed.key, p)
		c.others = true
	case "global":
		if c.filtered() {
			c.report(ErrFilterBypass, nil, "global counts the documents of others; put its aggregations next to it")
		}
		c.nested, c.others = "", true
	case "terms", "rare_terms", "multi_terms", "significant_terms":
		return c.termsAggregation(typed.key, p)
	case "histogram":
		width, _ := numberOf(p.get("interval"))
		if width <= 0 {
			c.in("interval")
			c.report(ErrMalformed, nil, "interval must be a number above zero")
			c.out()
		}
		return c.histogram(p, f, width, root)
	case "date_histogram":
		return c.histogram(p, f, c.interval(p), root)
	case "auto_date_histogram":
		return sized(count(p, "buckets", defaultSize))
	case "range", "date_range", "ip_range", "geo_distance":
		return c.ranges(p, f)
	case "filters", "adjacency_matrix":
		return c.namedFilters(typed.key, p)
	case "geohash_grid":
		return cells(p, 32, 5)
	case "geotile_grid":
		return cells(p, 4, 7)
	case "composite":
		return c.composite(p)
	default:
		return sized(c.metric(typed.key, p))
	}
	return oneBucket
}

// fieldOf returns the field of an aggregation, whose name was checked.
func (c *checker) fieldOf(p *value) *Field {
	if name := p.get("field"); name != nil {
		return c.index.mapping.lookup(name.text)
	}
	return nil
}

// valuesOf checks the value for missing ones, and the format of the keys.
func (c *checker) valuesOf(f *Field, p *value) {
	if f == nil {
		return
	}
	if f.family == dateFamily {
		c.member(p, "format", c.dateFormat)
	}
	c.member(p, "missing", func(v *value) { c.literal(f, v, boundLiteral, textOf(p, "format")) })
}

func (c *checker) nestedAggregation(p *value) {
	c.in("path")
	if f := c.nestedObject(p.get("path")); f != nil {
		c.nested = f.Path
	}
	c.out()
}

func (c *checker) reverseNested(p *value) {
	if c.nested == "" {
		c.report(ErrNestedPath, c.nestedObjects(),
			"reverse_nested leaves a nested aggregation, but there is none around it")
		return
	}
	path := p.get("path")
	if path == nil {
		c.nested = ""
		return
	}
	c.in("path")
	defer c.out()
	if !c.must(path.kind == str, path, "path", "the name of a nested object") {
		return
	}
	f := c.resolve(&path.text, needExist)
	switch {
	case f == nil:
	case f.family != nestedFamily || !strings.HasPrefix(c.nested, f.Path+"."):
		c.report(ErrNestedPath, nil,
			"%s is not a nested object around %s; without a path, reverse_nested leads to the document",
			quoted(f.Path), quoted(c.nested))
	default:
		c.nested = f.Path
	}
}

// joinAggregation checks children and parent. The documents that they lead to
// need not match the query, and no filter can be added to them.
func (c *checker) joinAggregation(name string, p *value) {
	if c.filtered() {
		c.report(ErrFilterBypass, nil, "%s leads to the documents of others", name)
		return
	}
	var kinds []string
	for _, f := range c.index.mapping.joins {
		if c.visible(f.Path) {
			for _, children := range f.Relations {
				kinds = append(kinds, children...)
			}
		}
	}
	if wanted := p.get("type").text; !slices.Contains(kinds, wanted) {
		c.in("type")
		c.report(ErrUnknownField, kinds, "no join has children of the type %s", quoted(wanted))
		c.out()
	}
}

func (c *checker) termsAggregation(name string, p *value) bucketCount {
	if c.filtered() && p.get("min_doc_count") != nil && count(p, "min_doc_count", 1) == 0 && name != "rare_terms" {
		c.in("min_doc_count")
		c.report(ErrFilterBypass, nil, "min_doc_count 0 lists terms of the documents of others; leave it out")
		c.out()
	}
	c.member(p, "terms", func(v *value) {
		for i := range v.items {
			c.at(i)
			if item := &v.items[i]; c.params(item, "an entry of terms", termsSourceParams) {
				c.valuesOf(c.fieldOf(item), item)
			}
			c.out()
		}
	})
	for _, key := range [...]string{"include", "exclude"} {
		c.member(p, key, func(v *value) {
			if v.kind == str && len(v.text) > maxRegexp {
				c.report(ErrTooExpensive, nil, "a regular expression can have at most %d characters", maxRegexp)
			}
		})
	}
	if c.filtered() && name == "significant_terms" {
		if c.nested != "" {
			c.report(ErrFilterBypass, nil, "%s below nested compares with the documents of others", name)
		} else {
			c.confineMember(p, "background_filter")
		}
	}
	if name == "rare_terms" {
		return bucketCount{sure: 1, most: tooMany}
	}
	return ofSize(p)
}

// metric checks the parts of a metric, and returns its cost in buckets.
func (c *checker) metric(name string, p *value) int {
	part := func(key string, known []param) {
		c.member(p, key, func(v *value) { c.each(v, func(item *value) { c.params(item, key, known) }) })
	}
	switch name {
	case "weighted_avg":
		part("value", weightParams)
		part("weight", weightParams)
	case "t_test":
		part("a", populationParams)
		part("b", populationParams)
	case "top_metrics":
		part("metrics", topMetricParams)
	}
	if hdr := p.get("hdr"); hdr != nil {
		return digitsCost[min(count(hdr, "number_of_significant_value_digits", 3), len(digitsCost)-1)]
	}
	return 1
}
