package esquery_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/esquery"
)

// FuzzCheck checks that Check returns for any body, and that an accepted body is
// JSON that does not change if it is checked again.
func FuzzCheck(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `null`, `{"query":{"match":{"title":"a"}}}`, `{"query":{"match":{"Title":{"query":"a","fuzziness":"AUTO:3,6"}}},"size":3}`,
		`{"query":{"bool":{"must":[{"term":{"status":"a"}}],"should":{"range":{"pages":{"gte":1}}},"minimum_should_match":"2<75%"}}}`,
		`{"query":{"nested":{"path":"items","query":{"terms":{"items.sku":["a"]}},"inner_hits":{"size":2}}}}`,
		`{"query":{"geo_distance":{"distance":"1km","place":[1,2]}}}`,
		`{"query":{"regexp":{"status":"a(b|.*)[^c]"}}}`, `{"aggs":{"a":{"terms":{"field":"status"},"aggs":{"b":{"top_hits":{}}}}}}`,
		`{"sort":[{"createdAt":{"order":"desc"}},"_score"],"_source":["title"],"highlight":{"fields":{"title":{}}}}`,
		`{"query":{"multi_match":{"query":"a","fields":["t*","file-size^2"]}}}`, `{"a\u0000":"\ud83d\ude00\\\"\u2028"}`,
	} {
		f.Add([]byte(seed))
	}
	plain := validator(f, nil)
	guarded := validator(f, &esquery.Options{Filter: json.RawMessage(`{"term":{"tenantId":"a"}}`), Sensitive: []string{"author.ssn", "*.qty"}})
	f.Fuzz(func(t *testing.T, body []byte) {
		report := plain.Check("docs", body)
		if again := plain.Check("docs", body); !cmp.Equal(report.Problems, again.Problems) || report.Verdict != again.Verdict {
			t.Fatalf("Check(%s) differs the second time: %v, %v", body, report.Problems, again.Problems)
		}
		if report.Verdict != esquery.Refused {
			if !json.Valid(report.Body()) {
				t.Fatalf("Check(%s): no JSON: %s", body, report.Body())
			}
			again := plain.Check("docs", report.Body())
			if again.Verdict != esquery.OK || string(again.Body()) != string(report.Body()) {
				t.Fatalf("Check(%s) = %s, and again = %s %v", body, report.Body(), again.Body(), again.Problems)
			}
		}
		if report := guarded.Check("docs", body); report.Verdict != esquery.Refused && !json.Valid(report.Body()) {
			t.Fatalf("Check(%s): no JSON: %s", body, report.Body())
		}
	})
}
