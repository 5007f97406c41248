package esquery

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
		c.checkTopHits(p)
		return oneBucket
	}
	if !c.params(p, typed.key, kind.params) {
		return oneBucket
	}
	f := c.fieldOf(p)
	c.valuesOf(f, p)
	switch typed.key {
	case "missing":
		c.missing(typed, f)
	case "nested":
		c.nestedAggregation(p)
	case "reverse_nested":
		c.reverseNested()
	case "global":
		if c.filtered() {
			c.report(ErrFilterBypass, nil, "global counts the documents of others; put its aggregations next to it")
		}
		c.nested, c.others = "", true
	case "terms", "multi_terms":
		return c.termsAggregation(p)
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
	case "filters":
		return c.namedFilters(p)
	case "weighted_avg":
		for _, key := range []string{"value", "weight"} {
			c.member(p, key, func(v *value) { c.params(v, key, weightParams) })
		}
	}
	return oneBucket
}

// missing makes the aggregation a filter if the field lacks values that its documents
// have.
func (c *checker) missing(typed *member, f *Field) {
	if f == nil {
		return
	}
	whole := c.indexesAll(f)
	if whole == f {
		return
	}
	*typed = member{"filter", objectValue(member{"bool", objectValue(member{"must_not", existsQuery(whole.Path)})})}
	c.fixed(ErrFieldType, string(typed.value.appendTo(nil)), tooLong, quoted(f.Path), f.ignoreAbove)
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
		reads := p.get("ranges") != nil || p.get("missing") != nil
		c.member(p, "format", func(v *value) { c.dateFormat(v, reads) })
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

func (c *checker) reverseNested() {
	if c.nested == "" {
		c.report(ErrNestedPath, c.nestedObjects(),
			"reverse_nested leaves a nested aggregation, but there is none around it")
	}
	c.nested = ""
}

func (c *checker) termsAggregation(p *value) bucketCount {
	if c.filtered() && p.get("min_doc_count") != nil && count(p, "min_doc_count", 1) == 0 {
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
			for i := range v.items {
				c.at(i)
				c.starred(&v.items[i])
				c.out()
			}
			if v.kind == str {
				c.regexpSyntax(v.text, regexpOfTerms)
			}
		})
	}
	return ofSize(p)
}
