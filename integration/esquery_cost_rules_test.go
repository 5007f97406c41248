package integration_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// A costRule generates bodies at a limit, and beyond it.
type costRule struct {
	name string
	body func(r *rand.Rand, beyond bool) string
}

// upTo returns the limit, or a number beyond it.
func upTo(r *rand.Rand, limit int, beyond bool) int {
	if beyond {
		return limit + 1 + r.IntN(limit)
	}
	return limit
}

func pick(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }

// many joins n parts with commas.
func many(n int, part func(i int) string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = part(i)
	}
	return strings.Join(parts, ",")
}

func aggsBody(format string, args ...any) string {
	return `{"size":0,"aggs":{"a":` + fmt.Sprintf(format, args...) + `}}`
}

func queryBody(format string, args ...any) string {
	return `{"query":` + fmt.Sprintf(format, args...) + `}`
}

// wordsOf returns n words of the texts of the index.
func wordsOf(n int) string {
	return strings.ReplaceAll(many(n, func(i int) string { return fmt.Sprintf("w%d", i) }), ",", " ")
}

// clockSteps is a width of steps of dates, so that there are at most n of them
// from one time to the other, or more.
func clockSteps(r *rand.Rand, n int, beyond bool) (width int, from, to string) {
	minutes := []int{1, 60, 1440}[r.IntN(3)]
	start := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	end := start.Add(time.Duration(upTo(r, n, beyond)*minutes) * time.Minute)
	return minutes, start.Format(time.RFC3339), end.Format(time.RFC3339)
}

// costRules are the rules of cost.go in package esquery, and the limits of
// esquery.Options.
var costRules = []costRule{
	{"empty buckets of dates", func(r *rand.Rand, beyond bool) string {
		width := pick(r, `"calendar_interval":"day"`, `"calendar_interval":"1w"`, `"fixed_interval":"24h"`)
		if beyond {
			width = pick(r, `"calendar_interval":"hour"`, `"calendar_interval":"minute"`, `"fixed_interval":"1ms"`, `"fixed_interval":"12h"`)
		}
		return aggsBody(`{"date_histogram":{"field":"day",%s}}`, width)
	}},
	{"empty buckets in groups", func(r *rand.Rand, beyond bool) string {
		return aggsBody(`{"terms":{"field":"group","size":%d},"aggs":{"b":{"date_histogram":{"field":"day","calendar_interval":"month"}}}}`, upTo(r, 30, beyond))
	}},
	{"empty buckets of numbers", func(r *rand.Rand, beyond bool) string {
		if beyond { // corrected
			return aggsBody(`{"histogram":{"field":%q,"interval":%s}}`, pick(r, "n", "x", "i"), pick(r, "0.000001", "1", "50", "1e-9"))
		}
		return aggsBody(`{"histogram":{"field":%q,"interval":%s,"hard_bounds":{"min":0,"max":60000}}}`, pick(r, "n", "x", "i"), pick(r, "1", "50", "600"))
	}},
	{"empty buckets within a range", func(r *rand.Rand, beyond bool) string {
		width, from, to := clockSteps(r, 60_000, beyond)
		return fmt.Sprintf(`{"size":0,"query":{"range":{"day":{"gte":%q,"lt":%q}}},"aggs":{"a":{"date_histogram":{"field":"day","fixed_interval":"%dm"}}}}`, from, to, width)
	}},
	{"formats of bounds", func(r *rand.Rand, beyond bool) string {
		format, from, to := "dd/MM/yyyy", "01/01/2024", "31/12/2024"
		if beyond {
			switch r.IntN(4) {
			case 0:
				format, from, to = "yyyyyy", "002024", "202424"
			case 1:
				format, from, to = "MM-dd", "01-01", "12-31"
			case 2:
				format, from, to = "epoch_second", "2024", "999999999999"
			default:
				format, from, to = "yyyy[-MM]||yyyy-dd", "2024", "2024-01"
			}
		}
		return aggsBody(`{"date_histogram":{"field":"day","fixed_interval":"1h","format":%q,"hard_bounds":{"min":%q,"max":%q}}}`, format, from, to)
	}},
	{"buckets", func(r *rand.Rand, beyond bool) string {
		return aggsBody(`{"terms":{"field":%q,"size":%d}}`, pick(r, "key", "long", "n"), upTo(r, 65_535, beyond)+1)
	}},
	{"buckets in buckets", func(r *rand.Rand, beyond bool) string {
		n := upTo(r, 2000, beyond)
		return aggsBody(`{"terms":{"field":%q,"size":%d,"collect_mode":%q},"aggs":{"b":{"terms":{"field":%q,"size":%d}}}}`,
			pick(r, "key", "n"), n, pick(r, "depth_first", "breadth_first"), pick(r, "x", "n", "long"), 1+r.IntN(60_000/n))
	}},
	{"buckets in a histogram", func(r *rand.Rand, beyond bool) string {
		width, from, to := clockSteps(r, 1900, beyond)
		return fmt.Sprintf(`{"size":0,"query":{"range":{"day":{"gte":%q,"lt":%q}}},"aggs":{"a":{"date_histogram":{"field":"day","fixed_interval":"%dm"},"aggs":{"b":{"terms":{"field":"n"}}}}}}`, from, to, width)
	}},
	{"buckets in one of unknown width", func(r *rand.Rand, beyond bool) string {
		outer := pick(r, `"date_histogram":{"field":"day","calendar_interval":"month"}`, `"date_histogram":{"field":"day","calendar_interval":"week"}`)
		if beyond {
			outer = pick(r, `"date_histogram":{"field":"day","calendar_interval":"hour","min_doc_count":1}`, `"histogram":{"field":"n","interval":1,"min_doc_count":1}`)
		}
		return aggsBody(`{%s,"aggs":{"b":{"terms":{"field":"n","size":%d}}}}`, outer, 1+r.IntN(10))
	}},
	{"buckets in overlapping ones", func(r *rand.Rand, beyond bool) string {
		n := upTo(r, 30, beyond)
		if r.IntN(2) == 0 {
			return aggsBody(`{"range":{"field":"x","ranges":[%s]},"aggs":{"b":{"terms":{"field":"n"}}}}`, many(n+1, func(i int) string { return fmt.Sprintf(`{"from":%d}`, i) }))
		}
		return aggsBody(`{"filters":{"filters":[%s]},"aggs":{"b":{"terms":{"field":"n"}}}}`, many(n, func(i int) string { return fmt.Sprintf(`{"range":{"x":{"gte":%d}}}`, i) }))
	}},
	{"filters", func(r *rand.Rand, beyond bool) string {
		return aggsBody(`{"filters":{"filters":[%s]}}`, many(upTo(r, 100, beyond), func(i int) string { return fmt.Sprintf(`{"range":{"x":{"gte":%d}}}`, i) }))
	}},
	{"aggregations", func(r *rand.Rand, beyond bool) string {
		kind := pick(r, `"percentiles":{"field":"x"}`, `"cardinality":{"field":"key"}`, `"terms":{"field":"key"}`, `"stats":{"field":"n"}`)
		return `{"size":0,"aggs":{` + many(upTo(r, 64, beyond), func(i int) string { return fmt.Sprintf(`"a%d":{%s}`, i, kind) }) + `}}`
	}},
	{"hits of buckets", func(r *rand.Rand, beyond bool) string {
		return aggsBody(`{"terms":{"field":%q,"size":%d},"aggs":{"b":{"top_hits":{"size":10,"_source":%t}}}}`, pick(r, "key", "n"), upTo(r, 1000, beyond), r.IntN(2) == 0)
	}},
	{"hits", func(r *rand.Rand, beyond bool) string {
		return fmt.Sprintf(`{"size":%d,"_source":["key","n"]}`, upTo(r, 10_000, beyond))
	}},
	{"highlighted texts", func(r *rand.Rand, beyond bool) string {
		return fmt.Sprintf(`{"size":%d,"_source":false,"query":{"match":{"body":%q}},"highlight":{"type":%q,"fields":{"body":{}}}}`,
			upTo(r, 500, beyond), wordsOf(100), pick(r, "unified", "plain"))
	}},
	{"points of a sort", func(r *rand.Rand, beyond bool) string {
		return fmt.Sprintf(`{"sort":[{"_geo_distance":{"place":[%s]}}]}`, many(upTo(r, 20, beyond), func(i int) string { return fmt.Sprintf("[%d,%d]", i, i) }))
	}},
	{"words with fuzziness", func(r *rand.Rand, beyond bool) string {
		n := upTo(r, 50, beyond)
		return queryBody(`{"multi_match":{"query":%q,"fuzziness":2,"max_expansions":%d,"fields":["title","key"]}}`, wordsOf(n), 1+r.IntN(50))
	}},
	{"fuzzy words of a string", func(r *rand.Rand, beyond bool) string {
		return queryBody(`{"simple_query_string":{"query":%q,"fields":["title","key"]}}`, strings.ReplaceAll(wordsOf(upTo(r, 50, beyond)), " ", "~2 ")+"~2")
	}},
	{"patterns", func(r *rand.Rand, beyond bool) string {
		part := pick(r, `{"regexp":{"long":"x.*a.{8}%d"}}`, `{"wildcard":{"long":"x*y*y*y*y*y*%d"}}`)
		return queryBody(`{"bool":{"should":[%s]}}`, many(upTo(r, 20, beyond), func(i int) string { return fmt.Sprintf(part, i) }))
	}},
	{"expansions", func(r *rand.Rand, beyond bool) string {
		return queryBody(`{"match_phrase_prefix":{"body":{"query":"w1 w","slop":%d,"max_expansions":%d}}}`, r.IntN(1000), upTo(r, 50, beyond))
	}},
	{"values", func(r *rand.Rand, beyond bool) string {
		return queryBody(`{"terms":{"key":[%s]}}`, many(upTo(r, 1024, beyond), func(i int) string { return fmt.Sprintf(`"k%d"`, i) }))
	}},
	{"queries", func(r *rand.Rand, beyond bool) string {
		return queryBody(`{"bool":{"should":[%s]}}`, many(upTo(r, 1023, beyond), func(i int) string { return fmt.Sprintf(`{"match":{"body":"w%d"}}`, i) }))
	}},
	{"beginnings", func(r *rand.Rand, beyond bool) string {
		if beyond {
			return queryBody("%s", pick(r, `{"prefix":{"key":""}}`, `{"wildcard":{"key":"*a"}}`, `{"regexp":{"key":".*a"}}`, `{"regexp":{"key":"(a|.)*b"}}`))
		}
		return queryBody("%s", pick(r, `{"prefix":{"key":"k"}}`, `{"wildcard":{"key":"k*9"}}`, `{"regexp":{"key":"k.*9"}}`, `{"prefix":{"body":"w"}}`))
	}},
	{"long patterns", func(r *rand.Rand, beyond bool) string {
		return queryBody(`{"wildcard":{"long":"x%s*"}}`, strings.Repeat("y", upTo(r, 998, beyond)))
	}},
	{"strings of a query", func(r *rand.Rand, beyond bool) string {
		return queryBody(`{"simple_query_string":{"query":"%s","fields":["title"]}}`, strings.Repeat("w1 ", upTo(r, 1365, beyond)))
	}},
}

// honestBodies are accepted.
var honestBodies = []string{
	aggsBody(`{"date_histogram":{"field":"day","calendar_interval":"month"}}`),
	aggsBody(`{"date_histogram":{"field":"day","calendar_interval":"day"}}`),
	aggsBody(`{"date_histogram":{"field":"day","calendar_interval":"year"},"aggs":{"b":{"terms":{"field":"group"},"aggs":{"c":{"sum":{"field":"x"}}}}}}`),
	aggsBody(`{"date_histogram":{"field":"day","calendar_interval":"month"},"aggs":{"b":{"terms":{"field":"group"}}}}`),
	aggsBody(`{"terms":{"field":"group","size":20},"aggs":{"b":{"date_histogram":{"field":"day","calendar_interval":"month"}}}}`),
	`{"size":0,"query":{"range":{"day":{"gte":"2020-01-01","lt":"2025-01-01"}}},"aggs":{"a":{"date_histogram":{"field":"day","calendar_interval":"day"},"aggs":{"b":{"terms":{"field":"group"}}}}}}`,
	`{"size":0,"query":{"range":{"day":{"gte":"2024-01-01","lt":"2025-01-01"}}},"aggs":{"a":{"terms":{"field":"group","size":100},"aggs":{"b":{"date_histogram":{"field":"day","calendar_interval":"day"}}}}}}`,
	`{"size":0,"query":{"range":{"day":{"gte":"2024-01-01T10:00:00Z","lt":"2024-01-01T11:00:00Z"}}},"aggs":{"a":{"date_histogram":{"field":"day","fixed_interval":"1m"}}}}`,
	`{"size":0,"query":{"range":{"day":{"gte":"now-1h","lte":"now"}}},"aggs":{"a":{"date_histogram":{"field":"day","calendar_interval":"minute"}}}}`,
	aggsBody(`{"date_histogram":{"field":"day","calendar_interval":"hour","hard_bounds":{"min":"2024-01-01","max":"2024-02-01"}}}`),
	aggsBody(`{"date_histogram":{"field":"day","fixed_interval":"1h","min_doc_count":1}}`),
	aggsBody(`{"histogram":{"field":"x","interval":50}}`),
	aggsBody(`{"histogram":{"field":"i","interval":10,"min_doc_count":1},"aggs":{"b":{"avg":{"field":"x"}}}}`),
	aggsBody(`{"histogram":{"field":"flag","interval":1}}`),
	aggsBody(`{"terms":{"field":"group","size":100},"aggs":{"b":{"terms":{"field":"key","size":100}}}}`),
	aggsBody(`{"terms":{"field":"key","size":1000},"aggs":{"b":{"stats":{"field":"x"}},"c":{"top_hits":{"size":3}}}}`),
	aggsBody(`{"range":{"field":"x","ranges":[{"to":10},{"from":10,"to":100},{"from":100}]},"aggs":{"b":{"terms":{"field":"group"}}}}`),
	aggsBody(`{"nested":{"path":"lines"},"aggs":{"b":{"terms":{"field":"lines.sku","size":50},"aggs":{"c":{"avg":{"field":"lines.price"}}}}}}`),
	`{"size":50,"query":{"multi_match":{"query":"the quick brown fox jumps","fields":["title^2","body","key"],"fuzziness":"AUTO"}},"highlight":{"fields":{"title":{},"body":{}}}}`,
	`{"size":100,"query":{"match":{"body":"w1 w2 w3"}},"highlight":{"fields":{"title":{},"body":{}}}}`,
	`{"query":{"bool":{"should":[{"wildcard":{"key":"key0*"}},{"regexp":{"key":"key[0-9]+-a.*"}},{"prefix":{"key":"key1"}}]}}}`,
}
