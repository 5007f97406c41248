package esquery_test

import (
	"fmt"
	"strings"
	"testing"
)

// repeated returns n parts with commas between them.
func repeated(n int, part string) string { return strings.TrimSuffix(strings.Repeat(part+",", n), ",") }

// TestCost has a body at each limit of cost.go, and one beyond it.
func TestCost(t *testing.T) {
	agg := func(s string) string { return `{"aggs":{"a":` + s + `}}` }
	query := func(s string) string { return `{"query":` + s + `}` }
	days := func(field, bounds string) string {
		return agg(`{"date_histogram":{"field":"` + field + `","calendar_interval":"day"` + bounds + `}}`)
	}
	parents := func(outer string) string {
		return agg(`{` + outer + `,"aggs":{"b":{"terms":{"field":"pages","size":10}}}}`)
	}
	filters := func(kind string, n int) string {
		return agg(`{"` + kind + `":{"filters":[` + repeated(n, `{"match_all":{}}`) + `]}}`)
	}
	marked := func(size, fields int) string {
		return fmt.Sprintf(`{"size":%d,"highlight":{"fields":[%s]}}`, size, repeated(fields, `{"title":{}}`))
	}
	fuzzy := func(words, expansions int) string {
		return query(fmt.Sprintf(`{"match":{"title":{"query":%q,"fuzziness":"AUTO","max_expansions":%d}}}`, strings.Repeat("ab ", words), expansions))
	}
	const noHistogram, noParents = "too_expensive /aggs/a/date_histogram", "too_expensive /aggs/a/aggs/b/terms"
	runChecks(t, validator(t, nil), []checkCase{
		{"maxGaps of days", days("createdAt", ""), ""},
		{"maxGaps of hours", agg(`{"date_histogram":{"field":"createdAt","calendar_interval":"hour"}}`), noHistogram},
		{"maxGaps of hours without empty ones", agg(`{"date_histogram":{"field":"createdAt","calendar_interval":"hour","min_doc_count":1}}`), ""},
		{"maxGaps in groups", agg(`{"terms":{"field":"status","size":30},"aggs":{"b":{"date_histogram":{"field":"createdAt","calendar_interval":"month"}}}}`), ""},
		{"maxGaps in more groups", agg(`{"terms":{"field":"status","size":31},"aggs":{"b":{"date_histogram":{"field":"createdAt","calendar_interval":"month"}}}}`), "too_expensive /aggs/a/aggs/b/date_histogram"},
		{"maxGaps of numbers", agg(`{"histogram":{"field":"price","interval":0.000001}}`), "too_expensive* /aggs/a/histogram/min_doc_count"},
		{"maxGaps of numbers of a type", agg(`{"histogram":{"field":"pages","interval":1074}}`), ""},
		{"maxGaps of a boolean", agg(`{"histogram":{"field":"isPci","interval":1}}`), ""},
		{"maxGaps of numbers in a range", `{"query":{"range":{"price":{"gte":0,"lt":1000}}},"aggs":{"a":{"histogram":{"field":"price","interval":1}}}}`, ""},
		{"maxGaps of documents next to the query", `{"query":{"range":{"createdAt":{"gte":"now-1h","lte":"now"}}},"aggs":{"g":{"global":{},"aggs":{"a":{"date_histogram":{"field":"createdAt","calendar_interval":"minute"}}}}}}`, "too_expensive /aggs/g/aggs/a/date_histogram"},

		{"bounds in a format of one's own", days("createdAt", `,"format":"dd/MM/yyyy","hard_bounds":{"min":"01/02/2024","max":"03/02/2024"}`), ""},
		{"bounds with a longer year", days("createdAt", `,"format":"yyyyyy","hard_bounds":{"min":"002024","max":"202424"}`), "invalid_literal /aggs/a/date_histogram/format; invalid_literal /aggs/a/date_histogram/hard_bounds/min; invalid_literal /aggs/a/date_histogram/hard_bounds/max"},
		{"bounds without a year", days("createdAt", `,"format":"MM-dd","hard_bounds":{"min":"01-02"}`), "invalid_literal /aggs/a/date_histogram/hard_bounds/min"},
		{"bounds in seconds that look like years", agg(`{"date_histogram":{"field":"createdAt","fixed_interval":"1s","format":"epoch_second","hard_bounds":{"min":"2024","max":"999999"}}}`), "too_expensive /aggs"},
		{"bounds of two digits of a year", days("createdAt", `,"format":"yy-MM-dd","hard_bounds":{"min":"70-01-01"}`), "invalid_literal /aggs/a/date_histogram/hard_bounds/min"},

		{"maxParents", parents(`"terms":{"field":"status","size":2000}`), ""},
		{"maxParents and more", parents(`"terms":{"field":"status","size":2001}`), noParents},
		{"maxParents in a month of what is not known", parents(`"date_histogram":{"field":"createdAt","calendar_interval":"month"}`), ""},
		{"maxParents in five years", `{"query":{"range":{"createdAt":{"gte":"2020-01-01","lt":"2025-01-01"}}},` + parents(`"date_histogram":{"field":"createdAt","calendar_interval":"day"}`)[1:], ""},
		{"maxParents in hours of what is not known", parents(`"date_histogram":{"field":"createdAt","calendar_interval":"hour","min_doc_count":1}`), noParents},
		{"maxParents in ranges", parents(`"range":{"field":"pages","ranges":[` + repeated(31, `{"from":1}`) + `]}`), ""},
		{"maxParents in more ranges", parents(`"range":{"field":"pages","ranges":[` + repeated(32, `{"from":1}`) + `]}`), noParents},

		{"maxFilters", filters("filters", 100), ""},
		{"maxFilters and more", filters("filters", 101), "too_expensive /aggs/a/filters/filters"},
		{"maxAggregations", `{"aggs":{` + numbered(64, `"a%d":{"avg":{"field":"pages"}}`) + `}}`, ""},
		{"maxAggregations and more", `{"aggs":{` + numbered(65, `"a%d":{"avg":{"field":"pages"}}`) + `}}`, "too_expensive /aggs/a64/avg"},

		{"maxLookups", fuzzy(100, 50), ""},
		{"maxLookups and more", fuzzy(101, 50), "too_expensive /query/match/title/query"},
		{"maxLookups of fields", query(`{"multi_match":{"query":"` + strings.Repeat("ab ", 51) + `","fields":["title","body"],"fuzziness":1}}`), "too_expensive /query/multi_match"},
		{"maxLookups of a string", query(`{"simple_query_string":{"query":"` + strings.Repeat("ab~ ", 101) + `","fields":["title"]}}`), "too_expensive /query/simple_query_string"},
		{"maxLookups of patterns", query(`{"bool":{"should":[` + repeated(20, `{"wildcard":{"status":"a*b"}}`) + `]}}`), ""},
		{"maxLookups of more patterns", query(`{"bool":{"should":[` + repeated(21, `{"regexp":{"status":"a.*b"}}`) + `]}}`), "too_expensive /query/bool/should/20/regexp/status"},
		{"maxExpansions", query(`{"match_phrase_prefix":{"title":{"query":"a","max_expansions":50}}}`), ""},
		{"maxExpansions and more", query(`{"match_phrase_prefix":{"title":{"query":"a","max_expansions":51}}}`), "too_expensive /query/match_phrase_prefix/title/max_expansions"},

		{"maxHighlights", marked(250, 2), ""},
		{"maxHighlights and more", marked(251, 2), "too_expensive "},
		{"maxExplained", `{"size":100,"explain":true}`, "forbidden /explain"},
		{"maxExplained and more", `{"size":101,"explain":true}`, "forbidden /explain"},
		{"maxPoints", `{"sort":[{"_geo_distance":{"place":[` + repeated(20, `[1,2]`) + `]}}]}`, ""},
		{"maxPoints and more", `{"sort":[{"_geo_distance":{"place":[` + repeated(21, `[1,2]`) + `]}}]}`, "too_expensive /sort/0/_geo_distance/place"},
	})
}

// numbered returns n parts with commas between them, each with its number.
func numbered(n int, part string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprintf(part, i)
	}
	return strings.Join(parts, ",")
}
