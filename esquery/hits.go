package esquery

import (
	"slices"

	"github.com/qedkit/qed/internal/lists"
)

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
	hidden := arrayValue(lists.Map(c.index.sensitive.exclude, stringValue)...)
	switch source := v.get("_source"); {
	case source == nil, source.kind == boolean && source.text == "true":
		v.set("_source", objectValue(member{"excludes", hidden}))
	case source.kind == str, source.kind == array:
		*source = objectValue(member{"includes", arrayValue(list(source)...)}, member{"excludes", hidden})
	case source.kind == object:
		if excludes := source.get("excludes"); excludes != nil {
			hidden.items = slices.Concat(list(excludes), hidden.items)
		}
		source.set("excludes", hidden)
	}
}
