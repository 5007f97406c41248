package esquery

import (
	"strings"

	"github.com/qedkit/qed/refusal"
)

// bodyParams are the keys of a body in both engines.
var bodyParams = []param{
	{key: "query", takes: aQuery},
	{key: "aggs", takes: aggregationTree},
	{key: "aggregations", takes: aggregationTree},
	{key: "size", takes: aCount},
	{key: "from", takes: aCount},
	{key: "sort", takes: aSort},
	{key: "search_after", takes: anArray},
	{key: "_source", takes: aSource},
	{key: "fields", takes: fetchedFields},
	{key: "highlight", takes: aHighlight},
	{key: "post_filter", takes: aQuery},
	{key: "knn", takes: refused, why: "nobody writes a vector by hand; use a match"},
	{key: "min_score", takes: aNumber},
	{key: "track_total_hits", takes: anything},
	{key: "track_scores", takes: aSwitch},
	{key: "terminate_after", takes: aCount},
	{key: "timeout", takes: aText},
	{key: "version", takes: aSwitch},
	{key: "seq_no_primary_term", takes: aSwitch},

	{key: "script_fields", takes: aScript},
	{key: "derived", takes: aScript, why: "derived fields are scripts, which are refused"},
	{key: "runtime_mappings", takes: refused, why: "a search must not define fields"},
	{key: "collapse", takes: refused, why: "it is not supported; use a terms aggregation with top_hits"},
	{key: "rescore", takes: refused, why: "it is not supported; use boost in the query"},
	{key: "retriever", takes: refused, why: "it is not supported; write the query at the top of the body"},
	{key: "suggest", takes: refused, why: "it is not supported; use a match with fuzziness"},
	{key: "stored_fields", takes: refused, why: "it is not supported; use _source or fields"},
	{key: "docvalue_fields", takes: refused, why: "it is not supported; use fields"},
	{key: "explain", takes: refused, why: "it is expensive, and reveals how often words occur in the documents of others"},
	{key: "profile", takes: refused, why: "it is expensive and reveals details of the engine"},
	{key: "indices_boost", takes: refused, why: "a search has one index"},
	{key: "pit", takes: refused, why: "the program that runs the search opens the point in time"},
	{key: "slice", takes: refused, why: "it is for a scroll or point in time, which a body cannot open"},
	{key: "ext", takes: refused, why: "its meaning depends on plugins and cannot be checked"},
	{key: "rank", takes: refused, why: "results cannot be combined in this way; use one query"},
	{key: "search_pipeline", takes: refused, why: "a pipeline could change the search"},
	{key: "verbose_pipeline", takes: refused, why: "a pipeline could change the search"},
	{key: "min_compatible_shard_node", takes: refused, why: "it is for use within a cluster"},
}

// otherNames are the names that other systems use for the keys of a body.
var otherNames = func() map[string][]string {
	all := map[string][]string{"filter": {"query", "post_filter"}, "index": nil}
	for key, others := range map[string]string{
		"size": "limit top count page_size", "from": "offset skip", "aggs": "aggregation facets group_by",
		"sort": "order order_by sort_by orderBy", "_source": "select source includes excludes",
		"query": "filters must must_not should where",
	} {
		for other := range strings.FieldsSeq(others) {
			all[other] = []string{key}
		}
	}
	return all
}()

// body checks a whole body.
func (c *checker) body(root *value) {
	if !c.is(root, object, "a search's body") {
		return
	}
	sound := true
	for i := range root.members {
		m := &root.members[i]
		c.in(m.key)
		if p := paramOf(bodyParams, m.key); p == nil {
			c.unknownInBody(m.key)
			sound = false
		} else if !c.takes(&m.value, p) {
			sound = false
		}
		c.out()
	}
	c.aggregationsOf(root)
	c.member(root, "track_total_hits", c.trackTotalHits)
	if sound {
		c.together(root)
	}
}

// member checks the member with that key, if v has it.
func (c *checker) member(v *value, key string, check func(*value)) {
	if m := v.get(key); m != nil {
		c.in(key)
		check(m)
		c.out()
	}
}

// each checks the items of an array, or a value alone.
func (c *checker) each(v *value, check func(*value)) {
	if v.kind != array {
		check(v)
		return
	}
	for i := range v.items {
		c.at(i)
		check(&v.items[i])
		c.out()
	}
}

// unknownInBody reports a key that a body does not have, with the keys that may have been
// meant.
func (c *checker) unknownInBody(key string) {
	candidates, ok := otherNames[key]
	switch {
	case ok:
	case queryTypes[key] != nil:
		candidates = []string{"query"}
	case aggregationTypes[key] != nil:
		candidates = []string{"aggs"}
	default:
		candidates = refusal.Nearest(key, proposed(bodyParams), maxCandidates)
	}
	c.report(ErrUnknownKey, candidates,
		"a body has no key %s; conditions belong in query, and aggregations under a name in aggs", quoted(key))
}

// together checks combinations of keys.
func (c *checker) together(root *value) {
	from, size := count(root, "from", 0), count(root, "size", defaultSize)
	if from+size > maxHits {
		c.report(ErrTooExpensive, nil,
			"from plus size is %d; at most %d hits can be read like this: narrow the query, or use search_after",
			from+size, maxHits)
	}
	scored := size > 0 || len(c.topHits) > 0 || root.get("min_score") != nil
	if query := root.get("query"); !scored && query != nil {
		c.in("query")
		c.member(query, "bool", c.idleShould)
		c.out()
	}
	if n := times(max(size, c.topped), c.marked); n > maxHighlights {
		c.report(ErrTooExpensive, nil,
			"up to %d texts would be highlighted; at most %d are allowed: use a smaller size or fewer fields", n, maxHighlights)
	}
}

// defaultSize is the number of hits of a search without a size.
const defaultSize = 10

// count returns the member with that key as a whole number, or otherwise.
func count(v *value, key string, otherwise int) int {
	if m := v.get(key); m != nil {
		if n, ok := countOf(m); ok {
			return n
		}
	}
	return otherwise
}

func (c *checker) trackTotalHits(v *value) {
	_, ok := countOf(v)
	ok = ok || isSwitch(v) || v.text == "-1"
	c.must(ok, v, "track_total_hits", "true, false or a whole number")
}
