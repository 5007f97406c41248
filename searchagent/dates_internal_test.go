package searchagent

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/dates"
)

func TestRanges(t *testing.T) {
	march := []dates.Bound{{From: "2026-03-01", Before: "2026-04-01", Exact: true}}
	for _, test := range []struct {
		name, body string
		zone       string
		want       []dates.Bound
		complete   bool
	}{
		{"a range", `{"query":{"range":{"at":{"gte":"2026-03-01","lt":"2026-04-01"}}}}`, "UTC", march, true},
		{"in constant_score", `{"query":{"constant_score":{"filter":{"range":{"at":{"gte":"2026-03-01","lt":"2026-04-01"}}}}}}`, "UTC", march, true},
		{"with a range of numbers", `{"query":{"bool":{"must":[{"range":{"size":{"gte":5,"lt":100}}},{"range":{"at":{"gte":"2026-03-01","lt":"2026-04-01","boost":2}}}]}}}`,
			"UTC", march, true},
		{"two fields", `{"query":{"bool":{"filter":[{"range":{"from":{"lt":"2026-04-01"}}},{"range":{"to":{"gte":"2026-03-01"}}}]}}}`, "UTC",
			[]dates.Bound{{Before: "2026-04-01", Exact: true}, {From: "2026-03-01", Exact: true}}, true},
		{"days of another zone", `{"query":{"range":{"at":{"gte":"2026-03-01","lt":"2026-04-01"}}}}`, "Europe/Berlin",
			[]dates.Bound{{From: "2026-03-01", Before: "2026-04-01"}}, true},
		{"days of the calendar's zone", `{"query":{"range":{"at":{"gte":"2026-03-01","lt":"2026-04-01","time_zone":"Europe/Berlin"}}}}`, "Europe/Berlin", march, true},
		{"days of the wrong zone", `{"query":{"range":{"at":{"gte":"2026-03-01","lt":"2026-04-01","time_zone":"+05:00"}}}}`, "UTC",
			[]dates.Bound{{From: "2026-03-01", Before: "2026-04-01"}}, true},
		{"an offset", `{"query":{"range":{"at":{"gte":"2026-03-01T00:00:00+01:00","lt":"2026-03-31T22:00:00Z"}}}}`, "Europe/Berlin",
			[]dates.Bound{{From: "2026-03-01T00:00:00+01:00", Before: "2026-03-31T22:00:00Z", Exact: true}}, true},
		{"lte", `{"query":{"range":{"at":{"gte":"2026-03-01","lte":"2026-03-31"}}}}`, "UTC", []dates.Bound{{From: "2026-03-01"}}, true},
		{"a format", `{"query":{"range":{"at":{"gte":"2026-03-01","lt":"2026-04-01","format":"yyyy-dd-MM"}}}}`, "UTC",
			[]dates.Bound{{From: "2026-03-01", Before: "2026-04-01"}}, true},
		{"date math", `{"query":{"range":{"at":{"gte":"now-1M/M","lt":"now/M"}}}}`, "UTC", []dates.Bound{{From: "now-1M/M", Before: "now/M", Exact: true}}, true},
		{"milliseconds", `{"query":{"range":{"at":{"gte":1772323200000}}}}`, "UTC", nil, false},
		{"a term", `{"query":{"term":{"at":"2026-03-01"}}}`, "UTC", nil, false},
		{"in must_not", `{"query":{"bool":{"must_not":{"range":{"at":{"gte":"2026-03-01"}}}}}}`, "UTC", nil, false},
		{"in a nested query", `{"query":{"nested":{"path":"a","query":{"range":{"a.at":{"gte":"2026-03-01"}}}}}}`, "UTC", nil, false},
		{"in an aggregation", `{"aggs":{"a":{"date_range":{"field":"at","ranges":[{"from":"now-1d"}]}}}}`, "UTC", nil, false},
		{"a script", `{"query":{"script":{"script":"doc['at'].value > 5"}}}`, "UTC", nil, false},
		{"a text", `{"query":{"query_string":{"query":"at:[2026 TO 2027]"}}}`, "UTC", nil, false},
		{"no JSON", `{"query":`, "UTC", nil, false},
		{"odd", `{"query":[{"range":[1]},{"range":{"at":"x"}},7,null]}`, "UTC", nil, false},
		{"no times", `{"query":{"term":{"port":"Miami"}}}`, "UTC", nil, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := ranges{zone: test.zone, complete: true}
			r.read(test.body)
			if diff := cmp.Diff(test.want, r.bounds); diff != "" || r.complete != test.complete {
				t.Errorf("complete %v, -want +got:\n%s", r.complete, diff)
			}
		})
	}
}
