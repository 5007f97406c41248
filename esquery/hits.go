package esquery

// hitsParams are those of top_hits.
var hitsParams = []param{
	{key: "from", takes: aCount},
	{key: "size", takes: aCount},
	{key: "sort", takes: aSort},
	{key: "_source", takes: aSource},
	{key: "fields", takes: fetchedFields},
	{key: "highlight", takes: aHighlight},
	{key: "version", takes: aSwitch},
	{key: "seq_no_primary_term", takes: aSwitch},
	{key: "track_scores", takes: aSwitch},
	{key: "script_fields", takes: aScript},
}

const defaultTopHits = 3

// checkTopHits checks the aggregation, whose hits are those of each bucket around it.
func (c *checker) checkTopHits(v *value) {
	if c.params(v, "top_hits", hitsParams) {
		each := count(v, "from", 0) + count(v, "size", defaultTopHits)
		if each > maxTopHits {
			c.report(ErrTooExpensive, nil, "from plus size of top_hits is %d; engines return at most %d", each, maxTopHits)
		}
		n := times(c.around, each)
		c.topped = max(c.topped, n)
		if n > maxHits {
			c.report(ErrTooExpensive, nil,
				"%d buckets with their hits have %d; at most %d hits can be read", c.around, n, maxHits)
		}
	}
	c.topHits = append(c.topHits, v)
}

// conceal excludes hidden fields from the documents that a search or top_hits
// return. An exclusion in one place has no effect in the other.
func (c *checker) conceal(v *value) {
	source := v.get("_source")
	if source == nil {
		v.set("_source", objectValue(member{"excludes", c.hiddenPatterns()}))
		return
	}
	switch source.kind {
	case boolean:
		if source.text == "true" {
			*source = objectValue(member{"excludes", c.hiddenPatterns()})
		}
	case str:
		*source = objectValue(member{"includes", arrayValue(*source)}, member{"excludes", c.hiddenPatterns()})
	case array:
		*source = objectValue(member{"includes", *source}, member{"excludes", c.hiddenPatterns()})
	case object:
		hidden := c.hiddenPatterns()
		if excludes := source.get("excludes"); excludes != nil {
			hidden.items = append(append([]value(nil), list(excludes)...), hidden.items...)
		}
		source.set("excludes", hidden)
	}
}

func (c *checker) hiddenPatterns() value {
	patterns := c.index.sensitive.patterns()
	items := make([]value, len(patterns))
	for i, p := range patterns {
		items[i] = stringValue(p)
	}
	return arrayValue(items...)
}
