package esquery

import (
	"maps"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/refusal"
)

// queryTypes are the checks of the queries by name. Some of them use the table
// again, so it is filled in init.
var queryTypes map[string]func(c *checker, v *value)

func init() {
	queryTypes = map[string]func(c *checker, v *value){
		"match_all":  func(c *checker, v *value) { c.params(v, "match_all", commonParams) },
		"match_none": func(c *checker, v *value) { c.params(v, "match_none", commonParams) },

		"match":               (*checker).match,
		"match_phrase":        (*checker).matchPhrase,
		"match_phrase_prefix": (*checker).matchPhrasePrefix,
		"multi_match":         (*checker).multiMatch,
		"simple_query_string": (*checker).simpleQueryString,

		"term":     (*checker).term,
		"terms":    (*checker).terms,
		"range":    (*checker).rangeQuery,
		"exists":   (*checker).exists,
		"ids":      (*checker).ids,
		"prefix":   (*checker).prefix,
		"wildcard": (*checker).wildcard,
		"regexp":   (*checker).regexp,
		"fuzzy":    (*checker).fuzzy,

		"bool":           (*checker).boolQuery,
		"boosting":       func(c *checker, v *value) { c.params(v, "boosting", boostingParams) },
		"constant_score": (*checker).constantScore,
		"dis_max":        func(c *checker, v *value) { c.params(v, "dis_max", disMaxParams) },

		"nested": (*checker).nestedQuery,

		"geo_distance":     (*checker).geoDistance,
		"geo_bounding_box": (*checker).geoBoundingBox,
	}
	for name := range refusedQueries {
		queryTypes[name] = func(c *checker, _ *value) { c.refuseQuery(name) }
	}
}

// commonParams are the parameters of every query.
var commonParams = []param{{key: "boost", takes: aBoost}, {key: "_name", takes: aText}}

func withCommon(more ...param) []param { return append(more, commonParams...) }

// query checks one query with everything in it.
func (c *checker) query(q *value) {
	if !c.is(q, object, "a query") || !c.deeper() {
		return
	}
	defer c.shallower()
	if c.clauses++; c.clauses > maxClauses {
		if c.clauses == maxClauses+1 {
			c.report(ErrTooExpensive, nil, "a body can have at most %d queries", maxClauses)
		}
		return
	}
	if len(q.members) != 1 {
		c.notOneQuery(q)
		return
	}
	m := &q.members[0]
	c.in(m.key)
	defer c.out()
	if check := queryTypes[m.key]; check != nil {
		check(c, &m.value)
		return
	}
	c.unknownQuery(m.key)
}

// queries checks one query or an array of queries.
func (c *checker) queries(v *value) { c.each(v, c.query) }

// deeper enters a query or aggregation, or reports that the nesting is too deep.
// If it returns true, shallower must be called.
func (c *checker) deeper() bool {
	if c.depth >= maxDepth {
		c.report(ErrBodyTooLarge, nil, "queries and aggregations can be nested at most %d levels deep", maxDepth)
		return false
	}
	c.depth++
	return true
}

func (c *checker) shallower() { c.depth-- }

func (c *checker) notOneQuery(q *value) {
	keys := lists.Map(q.members, func(m member) string { return quoted(m.key) })
	c.report(ErrMalformed, []string{"bool", "match_all"},
		"a query is an object with one key, the type of the query; this has %d: %s; put several queries into the arrays of a bool",
		len(keys), strings.Join(keys, ", "))
}

// misplaced are names that are not queries, and the queries to use instead.
var misplaced = map[string]string{
	"must": "bool", "must_not": "bool", "mustNot": "bool", "should": "bool", "filter": "bool",
	"minimum_should_match": "bool", "and": "bool", "or": "bool", "not": "bool", "filtered": "bool",
	"missing": "exists", "in": "terms", "equals": "term", "eq": "term", "like": "wildcard", "between": "range",
	"gte": "range", "lte": "range", "gt": "range", "lt": "range", "text": "match", "phrase": "match_phrase",
	"common": "match", "limit": "bool",
}

func (c *checker) unknownQuery(name string) {
	if instead := misplaced[name]; instead != "" {
		c.report(ErrUnknownKey, []string{instead}, "%s is not a query; use %s", quoted(name), instead)
		return
	}
	if f := c.index.mapping.lookup(name); f != nil && f.family != metaFamily && c.visible(name) {
		query := "match"
		if needTerm.fits(f) {
			query = "term"
		}
		c.report(ErrUnknownKey, []string{query},
			"%s is a field and not a query: put it into a query, such as {\"%s\": {%s: ...}}", quoted(name), query, quoted(name))
		return
	}
	isRefused := func(s string) bool { return refusedQueries[s].why != "" }
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(queryTypes)), isRefused)
	c.report(ErrUnknownKey, refusal.Nearest(name, names, maxCandidates), "there is no query %s", quoted(name))
}
