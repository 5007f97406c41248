package esquery

import "strings"

// aggregationType checks the parameters of an aggregation, looks into the nested
// object that it opens, and returns how many buckets it makes in each one around it.
func (c *checker) aggregationType(typed *member, kind *aggregation, v, beside, below *value, around parent) int {
	p := &typed.value
	switch typed.key {
	case "filter":
		c.query(p)
		return 1
	case "top_hits":
		return c.topHits(p)
	case "nested":
		return c.nestedAggregation(p, kind)
	case "reverse_nested":
		return c.reverseNested(p, kind)
	case "children", "parent":
		return c.joinAggregation(typed.key, p, kind)
	case "global":
		c.params(p, typed.key, kind.params)
		if c.filtered() {
			c.report(FilterBypass, nil, "global counts the documents of others; put its aggregations beside it")
		}
		c.nested = ""
		return 1
	}
	if !c.params(p, typed.key, kind.params) {
		return 1
	}
	switch kind.within {
	case besideBuckets, belowBuckets, belowHistogram:
		c.pipeline(typed.key, kind, p, beside)
		return 1
	}
	f := c.fieldOf(p)
	if f != nil {
		c.valuesOf(f, p)
	}
	c.member(p, "order", func(o *value) { c.bucketOrder(o, below) })
	switch typed.key {
	case "terms", "rare_terms", "multi_terms", "significant_terms", "significant_text":
		return c.termsAggregation(typed.key, p, f)
	case "histogram", "date_histogram", "auto_date_histogram", "variable_width_histogram":
		return c.histogram(typed.key, p, f, around)
	case "range", "date_range", "ip_range", "geo_distance":
		return c.ranges(typed.key, p, f)
	case "filters", "adjacency_matrix":
		return c.namedFilters(typed.key, p)
	case "geohash_grid", "geotile_grid":
		c.member(p, "precision", func(n *value) { c.gridPrecision(typed.key, n) })
		return count(p, "size", 1)
	case "composite":
		return c.composite(p)
	default:
		return c.metric(typed.key, p)
	}
}

// fieldOf returns the field of an aggregation, which was checked.
func (c *checker) fieldOf(p *value) *Field {
	if name := p.get("field"); name != nil {
		return c.index.mapping.lookup(name.text)
	}
	return nil
}

// valuesOf checks what a field's missing values stand for, and the form of its keys.
func (c *checker) valuesOf(f *Field, p *value) {
	format := p.get("format")
	if format != nil {
		c.in("format")
		switch {
		case !c.must(format.kind == str, format, "format", "a string"):
		case f.family == dateFamily:
			c.dateFormat(format)
		case f.family == keywordFamily || f.family == textFamily || f.family == keyedFamily || f.family == ipFamily:
			c.report(FieldType, nil, "%s is of type %s; format is for numbers and dates", quoted(f.Path), f.Type)
		}
		c.out()
	}
	c.member(p, "missing", func(v *value) {
		if f.family == dateFamily && format != nil {
			c.literalAs(f, v, originLiteral, format.text)
		} else {
			c.literal(f, v, originLiteral)
		}
	})
}

func (c *checker) nestedAggregation(p *value, kind *aggregation) int {
	if !c.params(p, "nested", kind.params) {
		return 1
	}
	c.in("path")
	if f := c.nestedObject(p.get("path")); f != nil {
		c.nested = f.Path
	}
	c.out()
	return 1
}

func (c *checker) reverseNested(p *value, kind *aggregation) int {
	if !c.params(p, "reverse_nested", kind.params) {
		return 1
	}
	if c.nested == "" {
		c.report(NestedPath, c.nestedObjects(), "reverse_nested leads out of a nested aggregation, and there is none around it")
		return 1
	}
	path := p.get("path")
	if path == nil {
		c.nested = ""
		return 1
	}
	c.in("path")
	defer c.out()
	if !c.must(path.kind == str, path, "path", "the name of a nested object") {
		return 1
	}
	f := c.resolve(&path.text, needExist)
	switch {
	case f == nil:
	case f.family != nestedFamily || !strings.HasPrefix(c.nested, f.Path+"."):
		c.report(NestedPath, nil, "%s is no nested object around %s; without a path, reverse_nested leads to the document", quoted(f.Path), quoted(c.nested))
	default:
		c.nested = f.Path
	}
	return 1
}

// joinAggregation checks children and parent. The documents that they lead to are
// not those that the query found, and no filter can be put into them.
func (c *checker) joinAggregation(name string, p *value, kind *aggregation) int {
	if !c.params(p, name, kind.params) {
		return 1
	}
	if c.filtered() {
		c.report(FilterBypass, nil, "%s leads to the documents of others", name)
		return 1
	}
	wanted := p.get("type").text
	var kinds []string
	for _, f := range c.index.mapping.joins {
		if !c.visible(f.Path) {
			continue
		}
		for _, children := range f.Relations {
			kinds = append(kinds, children...)
		}
	}
	for _, k := range kinds {
		if k == wanted {
			return 1
		}
	}
	c.in("type")
	c.report(UnknownField, kinds, "no join has children of the type %s", quoted(wanted))
	c.out()
	return 1
}

func (c *checker) termsAggregation(name string, p *value, f *Field) int {
	significant := name == "significant_terms" || name == "significant_text"
	if least := p.get("min_doc_count"); least != nil && count(p, "min_doc_count", 1) == 0 && c.filtered() && name != "rare_terms" {
		c.in("min_doc_count")
		c.report(FilterBypass, nil, "min_doc_count 0 lists terms of the documents of others; leave it out")
		c.out()
	}
	switch name {
	case "multi_terms":
		c.member(p, "terms", c.termsSources)
	case "rare_terms":
		if count(p, "max_doc_count", 1) > maxRare {
			c.in("max_doc_count")
			c.report(Malformed, nil, "max_doc_count is at most %d", maxRare)
			c.out()
		}
		if f != nil && isFraction[f.Type] {
			c.report(FieldType, nil, "%s is of type %s; rare_terms takes no fractions", quoted(f.Path), f.Type)
		}
	case "significant_text":
		c.member(p, "source_fields", func(v *value) {
			for i := range list(v) {
				if v.kind == array {
					c.at(i)
					c.sourcePattern(&v.items[i])
					c.wholeName(&v.items[i])
					c.out()
				} else {
					c.sourcePattern(v)
					c.wholeName(v)
				}
			}
		})
	}
	if significant && c.filtered() {
		if c.nested != "" {
			c.report(FilterBypass, nil, "%s below nested compares with the documents of others", name)
		} else {
			c.confineMember(p, "background_filter")
		}
	}
	c.choice(p, f)
	if name == "rare_terms" {
		return 1
	}
	return count(p, "size", defaultSize)
}

const maxRare = 100

var isFraction = map[string]bool{"double": true, "float": true, "half_float": true, "scaled_float": true}

// wholeName refuses a pattern where it could match what is hidden.
func (c *checker) wholeName(v *value) {
	if strings.Contains(v.text, "*") && c.index.sensitive.any() {
		c.report(UnknownField, nil, "the pattern %s is too wide; name the fields", quoted(v.text))
	}
}

// choice checks include and exclude.
func (c *checker) choice(p *value, f *Field) {
	for _, key := range [...]string{"include", "exclude"} {
		c.member(p, key, func(v *value) {
			switch v.kind {
			case str:
				if f != nil && (needNumber.fits(f) || f.family == ipFamily) {
					c.report(FieldType, nil, "%s is of type %s, whose values are chosen by a list, not by a regular expression", quoted(f.Path), f.Type)
				} else if len(v.text) > maxRegexp {
					c.report(TooExpensive, nil, "the regular expression is longer than %d bytes", maxRegexp)
				}
			case array:
				c.must(allTexts(v.items), v, key, "an array of values")
			case object:
				if key == "exclude" || !c.params(v, key, partitionParams) {
					c.must(key != "exclude", v, key, "a regular expression or an array of values")
				}
			default:
				c.must(false, v, key, "a regular expression or an array of values")
			}
		})
	}
}

var partitionParams = []param{
	{key: "partition", takes: aCount, required: true}, {key: "num_partitions", takes: aPositive, required: true},
}

// termsSources checks the terms of multi_terms.
func (c *checker) termsSources(v *value) {
	if !c.must(v.kind == array && len(v.items) >= 2, v, "terms", "an array of at least two objects with a field") {
		return
	}
	for i := range v.items {
		c.at(i)
		if item := &v.items[i]; c.params(item, "an entry of terms", termsSourceParams) {
			c.valuesOf(c.fieldOf(item), item)
		}
		c.out()
	}
}

var termsSourceParams = ofField(needBuckets)

// digitsCost is how many buckets a histogram of the values' significant digits weighs
// as much as: it takes up to 350 KB for three digits, 35 MB for five, in each bucket.
var digitsCost = [...]int{1, 1, 5, 50, 500, 5000}

// metric checks what is particular to a metric, and returns how many buckets it weighs
// as much as.
func (c *checker) metric(name string, p *value) int {
	percentages := func(v *value) {
		for _, item := range list(v) {
			if n, ok := numberOf(&item); !ok || n < 0 || n > 100 {
				c.report(Malformed, nil, "percents are numbers from 0 to 100")
				return
			}
		}
		c.must(v.kind != array || len(v.items) > 0, v, "percents", "an array that is not empty")
	}
	switch name {
	case "percentiles":
		c.member(p, "percents", percentages)
	case "percentile_ranks":
		c.member(p, "values", func(v *value) {
			for _, item := range list(v) {
				if _, ok := numberOf(&item); !ok {
					c.report(Malformed, nil, "values are numbers")
					return
				}
			}
			c.must(v.kind != array || len(v.items) > 0, v, "values", "an array that is not empty")
		})
	case "weighted_avg":
		c.member(p, "value", func(v *value) { c.params(v, "value", weightParams) })
		c.member(p, "weight", func(v *value) { c.params(v, "weight", weightParams) })
	case "t_test":
		c.member(p, "a", func(v *value) { c.params(v, "a", populationParams) })
		c.member(p, "b", func(v *value) { c.params(v, "b", populationParams) })
	case "top_metrics":
		c.member(p, "metrics", func(v *value) {
			for i := range list(v) {
				if v.kind == array {
					c.at(i)
					c.params(&v.items[i], "an entry of metrics", topMetricParams)
					c.out()
				} else {
					c.params(v, "metrics", topMetricParams)
				}
			}
		})
	case "random_sampler":
		n, _ := numberOf(p.get("probability"))
		c.must(n == 1 || n > 0 && n <= 0.5, p.get("probability"), "probability", "1, or above 0 and at most 0.5")
	}
	if hdr := p.get("hdr"); hdr != nil {
		return digitsCost[min(count(hdr, "number_of_significant_value_digits", 3), len(digitsCost)-1)]
	}
	return 1
}

var (
	populationParams = []param{
		{key: "field", takes: aField, need: needNumeric, required: true},
		{key: "filter", takes: aQuery}, {key: "missing", takes: aNumber}, {key: "script", takes: aScript},
	}
	topMetricParams = []param{{key: "field", takes: aField, need: needGroup, required: true}}
)
