package esquery_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/qedkit/qed/esquery"
)

// wide returns a mapping of n fields of the usual kinds.
func wide(tb testing.TB, n int) *esquery.Mapping {
	tb.Helper()
	var b strings.Builder
	b.WriteString(`{"properties":{"createdAt":{"type":"date"},"items":{"type":"nested","properties":{"sku":{"type":"keyword"},"qty":{"type":"integer"}}}`)
	for i := 5; i < n; {
		fmt.Fprintf(&b, `,"group%d":{"properties":{`, i)
		for j := range 9 {
			if j > 0 {
				b.WriteByte(',')
			}
			switch j % 3 {
			case 0:
				fmt.Fprintf(&b, `"name%d":{"type":"text","fields":{"raw":{"type":"keyword"}}}`, i+j)
			case 1:
				fmt.Fprintf(&b, `"state%d":{"type":"keyword"}`, i+j)
			default:
				fmt.Fprintf(&b, `"count%d":{"type":"long"}`, i+j)
			}
		}
		b.WriteString(`}}`)
		i += 13 // the object, nine fields, three multi-fields
	}
	b.WriteString(`}}`)
	m, err := esquery.ParseMapping([]byte(b.String()))
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

const benchBody = `{
	"query": {"bool": {
		"must": [
			{"match": {"group5.name5": {"query": "annual report", "operator": "and", "fuzziness": "AUTO"}}},
			{"multi_match": {"query": "budget", "fields": ["group18.name18^3", "group31.name31"], "type": "best_fields"}}
		],
		"filter": [
			{"term": {"group44.state45": "open"}},
			{"range": {"createdAt": {"gte": "2024-01-01", "lt": "now/d"}}}
		],
		"must_not": [{"nested": {"path": "items", "query": {"terms": {"items.sku": ["A1", "A2", "A3"]}}}}]
	}},
	"aggs": {
		"states": {"terms": {"field": "group57.state58", "size": 20}, "aggs": {"pages": {"avg": {"field": "group57.count59"}}}},
		"months": {"date_histogram": {"field": "createdAt", "calendar_interval": "month"}}
	},
	"size": 20,
	"sort": [{"createdAt": "desc"}]
}`

// BenchmarkValidate checks a body of a bool with five clauses and two aggregations.
func BenchmarkValidate(b *testing.B) {
	m := wide(b, 300)
	if n := len(m.Fields()); n < 290 {
		b.Fatalf("the mapping has %d fields", n)
	}
	for _, bb := range []struct {
		name string
		opt  *esquery.Options
	}{
		{"plain", nil},
		{"filter", &esquery.Options{Filter: []byte(`{"term":{"group70.state71":"a"}}`), Sensitive: []string{"group83.*"}}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			v, err := esquery.NewValidator(map[string]*esquery.Mapping{"docs": m}, bb.opt)
			if err != nil {
				b.Fatal(err)
			}
			body := []byte(benchBody)
			if r := v.Check("docs", body); r.Verdict != esquery.OK {
				b.Fatal(r.Problems)
			}
			b.ReportAllocs()
			for b.Loop() {
				if v.Check("docs", body).Verdict != esquery.OK {
					b.Fatal("refused")
				}
			}
		})
	}
}
