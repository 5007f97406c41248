package esquery_test

import (
	"strings"
	"testing"

	"github.com/qedkit/qed/esquery"
)

// ofAggs turns the aggregations of the cases into bodies. Each is named x.
func ofAggs(cases []checkCase) []checkCase {
	for i := range cases {
		cases[i].body = `{"size":0,"aggs":{"x":` + cases[i].body + `}}`
		cases[i].want = strings.ReplaceAll(cases[i].want, " /", " /aggs/x/")
		cases[i].want = strings.ReplaceAll(cases[i].want, " .", " /aggs/x")
	}
	return cases
}

func TestAggregationTrees(t *testing.T) {
	runChecks(t, validator(t, nil), []checkCase{
		{"none", `{"aggs":{}}`, ""},
		{"by the long name", `{"aggregations":{"x":{"avg":{"field":"pages"}}}}`, ""},
		{"by both names", `{"aggs":{},"aggregations":{}}`, "malformed /aggregations"},
		{"without a name", `{"aggs":{"avg":{"field":"pages"}}}`, "malformed /aggs/avg"},
		{"a list", `{"aggs":[]}`, "malformed /aggs"},
		{"a name with a dot", `{"aggs":{"a.b":{"avg":{"field":"pages"}}}}`, ""},
		{"two types", `{"aggs":{"x":{"avg":{"field":"pages"},"max":{"field":"pages"}}}}`, "malformed /aggs/x"},
		{"no type", `{"aggs":{"x":{"meta":{"a":1}}}}`, "malformed /aggs/x"},
		{"meta", `{"aggs":{"x":{"avg":{"field":"pages"},"meta":{"a":1}}}}`, ""},
		{"an unknown type", `{"aggs":{"x":{"average":{"field":"pages"}}}}`, "unknown_key /aggs/x/average"},
		{"below a bucket", `{"aggs":{"x":{"terms":{"field":"status"},"aggs":{"y":{"avg":{"field":"pages"}}}}}}`, ""},
		{"within the type", `{"aggs":{"x":{"terms":{"field":"status","aggs":{}}}}}`, "unknown_key /aggs/x/terms/aggs"},
		{"below, twice", `{"aggs":{"x":{"terms":{"field":"status"},"aggs":{},"aggregations":{}}}}`, "malformed /aggs/x"},
		{"scripted_metric", `{"aggs":{"x":{"scripted_metric":{"map_script":"1"}}}}`, "script /aggs/x/scripted_metric"},
		{"bucket_script", `{"aggs":{"x":{"terms":{"field":"status"},"aggs":{"y":{"bucket_script":{"buckets_path":{},"script":"1"}}}}}}`, "script /aggs/x/aggs/y/bucket_script"},
		{"a script for a field", `{"aggs":{"x":{"terms":{"script":"1"}}}}`, "malformed /aggs/x/terms; script /aggs/x/terms/script"},
	})
}

func TestMetrics(t *testing.T) {
	runChecks(t, validator(t, nil), ofAggs([]checkCase{
		{"avg", `{"avg":{"field":"pages","missing":0}}`, ""},
		{"avg of dates", `{"avg":{"field":"createdAt"}}`, ""},
		{"avg of a keyword", `{"avg":{"field":"status"}}`, "field_type /avg/field"},
		{"avg of a text", `{"avg":{"field":"title"}}`, "field_type /avg/field"},
		{"avg of nothing", `{"avg":{}}`, "malformed /avg"},
		{"avg of an unknown field", `{"avg":{"field":"nosuchthing"}}`, "unknown_field /avg/field"},
		{"avg of two fields", `{"avg":{"field":["pages","price"]}}`, "malformed /avg/field"},
		{"avg with a word for what is missing", `{"avg":{"field":"pages","missing":"none"}}`, "invalid_literal /avg/missing"},
		{"value_count of a keyword", `{"value_count":{"field":"status"}}`, ""},
		{"value_count of a text", `{"value_count":{"field":"title"}}`, "field_type /value_count/field"},
		{"cardinality", `{"cardinality":{"field":"status","precision_threshold":100}}`, ""},
		{"cardinality of a point", `{"cardinality":{"field":"place"}}`, ""},
		{"stats", `{"extended_stats":{"field":"pages","sigma":2}}`, ""},
		{"percentiles", `{"percentiles":{"field":"pages","percents":[50,99.9],"tdigest":{"compression":100}}}`, ""},
		{"percentile_ranks", `{"percentile_ranks":{"field":"pages","values":[1,2]}}`, ""},
		{"percentile_ranks of nothing", `{"percentile_ranks":{"field":"pages"}}`, "malformed /percentile_ranks"},
		{"median_absolute_deviation of dates", `{"median_absolute_deviation":{"field":"createdAt"}}`, "forbidden /median_absolute_deviation"},
		{"weighted_avg", `{"weighted_avg":{"value":{"field":"pages"},"weight":{"field":"price"}}}`, ""},
		{"weighted_avg without a weight", `{"weighted_avg":{"value":{"field":"pages"}}}`, "malformed /weighted_avg"},
		{"geo_bounds", `{"geo_bounds":{"field":"place"}}`, "forbidden /geo_bounds"},
		{"geo_bounds of a number", `{"geo_bounds":{"field":"pages"}}`, "forbidden /geo_bounds"},
		{"top_hits", `{"top_hits":{"size":3,"sort":[{"createdAt":"desc"}],"_source":["title"]}}`, ""},
		{"too many top_hits", `{"top_hits":{"size":101}}`, "too_expensive /top_hits"},
		{"top_metrics", `{"top_metrics":{"metrics":[{"field":"pages"}],"sort":{"createdAt":"desc"}}}`, "forbidden /top_metrics"},
		{"string_stats", `{"string_stats":{"field":"status"}}`, "forbidden /string_stats"},
		{"string_stats of a number", `{"string_stats":{"field":"pages"}}`, "forbidden /string_stats"},
		{"t_test", `{"t_test":{"a":{"field":"pages","filter":{"term":{"status":"a"}}},"b":{"field":"pages"}}}`, "forbidden /t_test"},
	}))
}

func TestBuckets(t *testing.T) {
	runChecks(t, validator(t, nil), ofAggs([]checkCase{
		{"terms", `{"terms":{"field":"status","size":5,"include":"o.*","exclude":["x"],"missing":"none","min_doc_count":0}}`, ""},
		{"terms on a text", `{"terms":{"field":"title"}}`, "field_type /terms/field"},
		{"terms on its keyword", `{"terms":{"field":"title.raw"}}`, ""},
		{"terms on an object", `{"terms":{"field":"author"}}`, "field_type /terms/field"},
		{"terms on a nested field", `{"terms":{"field":"items.sku"}}`, "nested_path /terms/field"},
		{"terms on what has no doc values", `{"terms":{"field":"dark"}}`, "field_type /terms/field"},
		{"terms on a point", `{"terms":{"field":"place"}}`, "field_type /terms/field"},
		{"no terms", `{"terms":{"field":"status","size":0}}`, "malformed /terms/size"},
		{"terms with a list on a number", `{"terms":{"field":"pages","include":[1,2]}}`, ""},
		{"terms in partitions", `{"terms":{"field":"status","include":{"partition":0,"num_partitions":5}}}`, ""},
		{"terms by a long pattern", `{"terms":{"field":"status","include":"` + strings.Repeat("a", 1001) + `"}}`, "too_expensive /terms/include"},
		{"rare_terms", `{"rare_terms":{"field":"status","max_doc_count":2}}`, "forbidden /rare_terms"},
		{"multi_terms", `{"multi_terms":{"terms":[{"field":"status"},{"field":"pages"}]}}`, ""},
		{"significant_terms", `{"significant_terms":{"field":"status","background_filter":{"term":{"isPci":true}},"jlh":{}}}`, "forbidden /significant_terms"},

		{"histogram", `{"histogram":{"field":"pages","interval":10,"extended_bounds":{"min":0,"max":100},"hard_bounds":{"min":0,"max":100}}}`, ""},
		{"histogram without an interval", `{"histogram":{"field":"pages"}}`, "malformed /histogram"},
		{"histogram with no interval", `{"histogram":{"field":"pages","interval":0}}`, "malformed /histogram/interval"},
		{"date_histogram by the calendar", `{"date_histogram":{"field":"createdAt","calendar_interval":"1M","time_zone":"Europe/Rome","format":"yyyy-MM","offset":"+6h"}}`, ""},
		{"date_histogram by the clock", `{"date_histogram":{"field":"createdAt","fixed_interval":"24h"}}`, ""},
		{"date_histogram of two weeks of the calendar", `{"date_histogram":{"field":"createdAt","calendar_interval":"2w"}}`, "invalid_literal /date_histogram/calendar_interval"},
		{"date_histogram of a month by the clock", `{"date_histogram":{"field":"createdAt","fixed_interval":"1M"}}`, "invalid_literal /date_histogram/fixed_interval"},
		{"date_histogram in the old form", `{"date_histogram":{"field":"createdAt","interval":"day"}}`, "unknown_key /date_histogram/interval"},
		{"date_histogram with both intervals", `{"date_histogram":{"field":"createdAt","calendar_interval":"1d","fixed_interval":"1d"}}`, "malformed /date_histogram"},
		{"date_histogram without an interval", `{"date_histogram":{"field":"createdAt"}}`, "malformed /date_histogram"},
		{"date_histogram of numbers", `{"date_histogram":{"field":"pages","calendar_interval":"1d"}}`, "field_type /date_histogram/field"},
		{"date_histogram of ranges of dates", `{"date_histogram":{"field":"valid","calendar_interval":"month"}}`, "field_type /date_histogram/field"},
		{"date_histogram of seconds as milliseconds", `{"date_histogram":{"field":"createdAt","calendar_interval":"month","missing":1704067200}}`, "invalid_literal /date_histogram/missing"},
		{"date_histogram of ranges of numbers", `{"date_histogram":{"field":"ages","calendar_interval":"month"}}`, "field_type /date_histogram/field"},
		{"auto_date_histogram of ranges of dates", `{"auto_date_histogram":{"field":"valid"}}`, "field_type /auto_date_histogram/field"},
		{"histogram of ranges", `{"histogram":{"field":"ages","interval":10,"hard_bounds":{"min":0,"max":120}}}`, "field_type /histogram/field"},
		{"histogram of ranges of addresses", `{"histogram":{"field":"nets","interval":10}}`, "field_type /histogram/field"},
		{"terms of ranges", `{"terms":{"field":"ages"}}`, "field_type /terms/field"},
		{"date_histogram with a bound that is no date", `{"date_histogram":{"field":"createdAt","calendar_interval":"1d","hard_bounds":{"min":"soon"}}}`, "invalid_literal /date_histogram/hard_bounds/min"},
		{"auto_date_histogram", `{"auto_date_histogram":{"field":"createdAt","buckets":12,"minimum_interval":"day"}}`, ""},
		{"variable_width_histogram", `{"variable_width_histogram":{"field":"pages"}}`, "forbidden /variable_width_histogram"},
		{"significant_text", `{"significant_text":{"field":"body"}}`, "forbidden /significant_text"},

		{"range", `{"range":{"field":"pages","ranges":[{"to":5},{"key":"more","from":5}]}}`, ""},
		{"range in words of the query", `{"range":{"field":"pages","ranges":[{"gte":5}]}}`, "unknown_key /range/ranges/0/gte"},
		{"date_range", `{"date_range":{"field":"createdAt","ranges":[{"from":"now-7d/d"}],"format":"yyyy-MM-dd"}}`, ""},
		{"date_range from seconds", `{"date_range":{"field":"createdAt","ranges":[{"from":1704067200}]}}`, "invalid_literal /date_range/ranges/0/from"},
		{"geo_distance from a point that does not exist", `{"geo_distance":{"field":"place","origin":[13.4,92],"ranges":[{"to":100}]}}`, "invalid_literal /geo_distance/origin"},
		{"ip_range", `{"ip_range":{"field":"host","ranges":[{"mask":"10.0.0.0/8"},{"to":"10.0.0.9"}]}}`, ""},
		{"geo_distance", `{"geo_distance":{"field":"place","origin":"1,2","unit":"km","ranges":[{"to":100}]}}`, ""},
		{"geo_distance from nowhere", `{"geo_distance":{"field":"place","ranges":[{"to":100}]}}`, "malformed /geo_distance"},
		{"geohash_grid", `{"geohash_grid":{"field":"place","precision":"1km"}}`, "forbidden /geohash_grid"},

		{"filter", `{"filter":{"term":{"status":"open"}}}`, ""},
		{"filter without a query", `{"filter":{}}`, "malformed /filter"},
		{"filters", `{"filters":{"filters":{"a":{"term":{"status":"a"}},"b":{"match_all":{}}},"other_bucket":true}}`, ""},
		{"filters as a list", `{"filters":{"filters":[{"match_all":{}}]}}`, ""},
		{"no filters", `{"filters":{"filters":{}}}`, "malformed /filters/filters"},
		{"filters with a fault", `{"filters":{"filters":{"a":{"term":{"title":"a"}}}}}`, "field_type /filters/filters/a/term/title"},
		{"missing", `{"missing":{"field":"status"}}`, ""},
		{"global", `{"global":{},"aggs":{"y":{"avg":{"field":"pages"}}}}`, ""},
		{"sampler", `{"sampler":{"shard_size":10},"aggs":{"y":{"terms":{"field":"status"}}}}`, "forbidden /sampler"},
		{"random_sampler", `{"random_sampler":{"probability":0.1},"aggs":{"y":{"avg":{"field":"pages"}}}}`, "forbidden /random_sampler"},

		{"nested", `{"nested":{"path":"items"},"aggs":{"y":{"terms":{"field":"items.sku"}}}}`, ""},
		{"nested in nested", `{"nested":{"path":"items"},"aggs":{"y":{"nested":{"path":"items.parts"},"aggs":{"z":{"terms":{"field":"items.parts.no"}}}}}}`, ""},
		{"nested on a plain object", `{"nested":{"path":"author"}}`, "nested_path /nested/path"},
		{"nested on nothing", `{"nested":{"path":"nosuchthing"}}`, "unknown_field /nested/path"},
		{"nested and a field of the document", `{"nested":{"path":"items"},"aggs":{"y":{"terms":{"field":"status"}}}}`, "nested_path /aggs/y/terms/field"},
		{"reverse_nested", `{"nested":{"path":"items"},"aggs":{"y":{"reverse_nested":{},"aggs":{"z":{"terms":{"field":"status"}}}}}}`, ""},
		{"reverse_nested to one around", `{"nested":{"path":"items.parts"},"aggs":{"y":{"reverse_nested":{"path":"items"},"aggs":{"z":{"terms":{"field":"items.parts.no"}}}}}}`, "unknown_key /aggs/y/reverse_nested/path"},
		{"reverse_nested out of nothing", `{"reverse_nested":{}}`, "nested_path /reverse_nested"},
		{"children", `{"children":{"type":"file"}}`, "forbidden /children"},
		{"children of no join", `{"children":{"type":"image"}}`, "forbidden /children"},

		{"the name of a member of buckets", `{"terms":{"field":"status"},"aggs":{"key":{"avg":{"field":"pages"}}}}`, "malformed /aggs/key"},
		{"composite", `{"composite":{"size":100,"sources":[{"s":{"terms":{"field":"status","missing_bucket":true}}},{"d":{"date_histogram":{"field":"createdAt","calendar_interval":"1M"}}}],"after":{"s":"a","d":1}}}`, "forbidden /composite"},
	}))
}

func TestPaths(t *testing.T) {
	const avg = `"m":{"avg":{"field":"pages"}}`
	order := func(by, below string) string {
		return `{"terms":{"field":"status","order":` + by + `},"aggs":{` + below + `}}`
	}
	runChecks(t, validator(t, nil), ofAggs([]checkCase{
		{"order by the key", order(`{"_key":"asc"}`, avg), ""},
		{"order by several", order(`[{"m":"desc"},{"_count":"desc"}]`, avg), ""},
		{"order by one of several values", order(`{"s.max":"asc"}`, `"s":{"stats":{"field":"pages"}}`), ""},
		{"order by a percentile", order(`{"p[99.9]":"asc"}`, `"p":{"percentiles":{"field":"pages","percents":[99.9]}}`), ""},
		{"order by the same with a dot", order(`{"p.99.9":"asc"}`, `"p":{"percentiles":{"field":"pages","percents":[99.9]}}`), ""},
		{"order by a name with a dot", order(`{"m.x":"asc"}`, `"m.x":{"avg":{"field":"pages"}}`), ""},
		{"order by what is missing", order(`{"avg_pages":"desc"}`, avg), "malformed /terms/order"},
		{"order by the count of buckets", order(`{"doc_count":"desc"}`, avg), "malformed /terms/order"},
		{"order by the beginning of a name", order(`{"mm":"desc"}`, avg), "malformed /terms/order"},
		{"order by an aggregation around it", order(`{"a>m":"desc"}`, avg), "malformed /terms/order"},
		{"order by several, one missing", order(`[{"m":"desc"},{"n":"desc"}]`, avg), "malformed /terms/order/1"},
		{"order through a bucket", order(`{"f>m":"asc"}`, `"f":{"filter":{"match_all":{}},"aggs":{`+avg+`}}`), ""},
	}))
	runChecks(t, validator(t, nil), []checkCase{
		{"avg_bucket", `{"aggs":{"h":{"terms":{"field":"status"},"aggs":{` + avg + `}},"a":{"avg_bucket":{"buckets_path":"h>m"}}}}`, ""},
		{"avg_bucket of counts", `{"aggs":{"h":{"terms":{"field":"status"}},"a":{"avg_bucket":{"buckets_path":"h>_count"}}}}`, ""},
		{"max_bucket of one of several values", `{"aggs":{"h":{"terms":{"field":"status"},"aggs":{"s":{"stats":{"field":"pages"}}}},"a":{"max_bucket":{"buckets_path":"h>s.avg"}}}}`, ""},
		{"avg_bucket without a path", `{"aggs":{"a":{"avg_bucket":{}}}}`, "malformed /aggs/a/avg_bucket"},
		{"derivative", `{"aggs":{"h":{"date_histogram":{"field":"createdAt","calendar_interval":"1M"},"aggs":{` + avg + `,"d":{"derivative":{"buckets_path":"m"}},"c":{"cumulative_sum":{"buckets_path":"_count"}}}}}}`, ""},
		{"bucket_sort", `{"aggs":{"h":{"terms":{"field":"status"},"aggs":{` + avg + `,"b":{"bucket_sort":{"sort":[{"m":{"order":"desc"}},"_key"],"size":3}}}}}}`, ""},
	})
}

func TestBucketCost(t *testing.T) {
	nested := func(outer, inner string) string {
		return `{"aggs":{"a":{"terms":{"field":"status","size":` + outer + `},"aggs":{"b":{"terms":{"field":"pages","size":` + inner + `}}}}}}`
	}
	perMinute := func(query string) string {
		return `{"query":` + query + `,"aggs":{"a":{"date_histogram":{"field":"createdAt","calendar_interval":"minute"}}}}`
	}
	runChecks(t, validator(t, nil), []checkCase{
		{"a product within the limit", nested("256", "256"), ""},
		{"a product above it", nested("300", "300"), "too_expensive /aggs"},
		{"one of many terms", `{"aggs":{"a":{"terms":{"field":"status","size":65536}}}}`, ""},
		{"one of too many", `{"aggs":{"a":{"terms":{"field":"status","size":65537}}}}`, "too_expensive /aggs"},
		{"two of many", `{"aggs":{"a":{"terms":{"field":"status","size":40000}},"b":{"terms":{"field":"pages","size":40000}}}}`, "too_expensive /aggs"},
		{"a number beyond all", nested("2000000000", "2000000000"), "too_expensive /aggs/a/aggs/b/terms; too_expensive /aggs"},
		{"a minute of what is not known", perMinute(`{"match_all":{}}`), "too_expensive /aggs/a/date_histogram"},
		{"an hour of what is not known", `{"aggs":{"a":{"date_histogram":{"field":"createdAt","calendar_interval":"hour"}}}}`, "too_expensive /aggs/a/date_histogram"},
		{"a day of what is not known", `{"aggs":{"a":{"date_histogram":{"field":"createdAt","calendar_interval":"day"}}}}`, ""},
		{"a minute without the empty ones", `{"aggs":{"a":{"date_histogram":{"field":"createdAt","fixed_interval":"1m","min_doc_count":1}}}}`, ""},
		{"a minute since this morning", perMinute(`{"range":{"createdAt":{"gte":"now/d","lte":"now"}}}`), ""},
		{"a minute from this morning on", perMinute(`{"range":{"createdAt":{"gte":"now/d"}}}`), "too_expensive /aggs/a/date_histogram"},
		{"a minute since long ago", perMinute(`{"range":{"createdAt":{"gte":"2001-01-01"}}}`), "too_expensive /aggs/a/date_histogram"},
		{"a minute between long ago and now", perMinute(`{"range":{"createdAt":{"gte":"2001-01-01","lte":"now"}}}`), "too_expensive /aggs"},
		{"a minute of a year by its end", perMinute(`{"range":{"createdAt":{"gte":"2024-01-01||-1y","lte":"2024-01-01"}}}`), "too_expensive /aggs"},
		{"a minute of a year in another format", perMinute(`{"range":{"createdAt":{"gte":"01/02/2001","lte":"01/02/2002","format":"dd/MM/yyyy"}}}`), "too_expensive /aggs"},
		{"a minute of a day in another format", perMinute(`{"range":{"createdAt":{"gte":"01/02/2001","lte":"02/02/2001","format":"dd/MM/yyyy"}}}`), ""},
		{"bounds in another format", `{"aggs":{"a":{"date_histogram":{"field":"createdAt","fixed_interval":"1h","format":"dd/MM/yyyy","extended_bounds":{"min":"01/01/0001","max":"01/01/9999"}}}}}`, "too_expensive /aggs/a/date_histogram"},
		{"bounds around now", `{"aggs":{"a":{"date_histogram":{"field":"createdAt","fixed_interval":"1h","extended_bounds":{"min":"1000-01-01","max":"now"}}}}}`, "too_expensive /aggs/a/date_histogram"},
		{"bounds of about a month", `{"aggs":{"a":{"date_histogram":{"field":"createdAt","calendar_interval":"day","extended_bounds":{"min":"now-1M","max":"now-29d"}}}}}`, ""},
		{"hits in many buckets", `{"aggs":{"a":{"terms":{"field":"status","size":10000},"aggs":{"h":{"top_hits":{"size":10}}}}}}`, "too_expensive /aggs/a/aggs/h/top_hits"},
		{"hits in some buckets", `{"aggs":{"a":{"terms":{"field":"status","size":100},"aggs":{"h":{"top_hits":{"size":10}}}}}}`, ""},
		{"a minute of a year", perMinute(`{"bool":{"filter":[{"range":{"createdAt":{"gte":"2024-01-01","lt":"2025-01-01"}}}]}}`), "too_expensive /aggs"},
		{"a minute of the last year", perMinute(`{"range":{"createdAt":{"gte":"now-1y/d","lte":"now"}}}`), "too_expensive /aggs"},
		{"a minute of a day", perMinute(`{"range":{"createdAt":{"gte":"now-1d","lte":"now"}}}`), ""},
		{"a minute of a day that only scores", perMinute(`{"bool":{"should":[{"range":{"createdAt":{"gte":"2024-01-01","lt":"2024-01-02"}}}]}}`), "too_expensive /aggs/a/date_histogram"},
		{"a fine histogram with bounds", `{"aggs":{"a":{"histogram":{"field":"pages","interval":0.1,"extended_bounds":{"min":0,"max":100000}}}}}`, "too_expensive* /aggs/a/histogram/min_doc_count; too_expensive /aggs"},
		{"a coarse one", `{"aggs":{"a":{"histogram":{"field":"pages","interval":100,"extended_bounds":{"min":0,"max":100000}}}}}`, "too_expensive* /aggs/a/histogram/min_doc_count"},
	})
	deep := strings.Repeat(`{"a":{"filter":{"match_all":{}},"aggs":`, 30) + `{}` + strings.Repeat(`}}`, 30)
	report := validator(t, nil).Check("docs", []byte(`{"aggs":`+deep+`}`))
	if report.Verdict != esquery.Refused || report.Problems[0].Code != esquery.ErrBodyTooLarge {
		t.Errorf("aggregations 30 deep: %s %v, want them refused as too deep", report.Verdict, report.Problems)
	}
}
