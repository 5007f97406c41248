package esquery_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/qedkit/qed/esquery"
)

// The count of values that are too long for the index has the mandatory filter and the
// other conditions of the search.
func TestUnindexed(t *testing.T) {
	m := parse(t, `{"docs":{"mappings":{"properties":{"tenant":{"type":"keyword","ignore_above":9},"status":{"type":"keyword"},
		"name":{"type":"text","fields":{"key":{"type":"keyword","ignore_above":8}}}}}}}`)
	v, err := esquery.NewValidator(map[string]*esquery.Mapping{"docs": m}, &esquery.Options{Filter: json.RawMessage(`{"prefix":{"tenant":"a"}}`)})
	if err != nil {
		t.Fatal(err)
	}
	for body, want := range map[string]string{
		`{"query":{"bool":{"must":[{"prefix":{"name.key":"x"}},{"term":{"status":"open"}}],"must_not":{"term":{"status":"new"}}}}}`: `{"bool":{"filter":[` +
			`{"term":{"status":"open"}},{"bool":{"should":[{"term":{"_ignored":"name.key"}},` +
			`{"bool":{"filter":{"exists":{"field":"name"}},"must_not":{"exists":{"field":"name.key"}}}}]}},{"prefix":{"tenant":"a"}}],` +
			`"must_not":[{"term":{"status":"new"}}]}}`,
		`{"query":{"term":{"name.key":"x"}}}`:  "",
		`{"query":{"prefix":{"status":"op"}}}`: "",
		`{}`:                                   "",
	} {
		s, err := v.Check("docs", []byte(body)).Search()
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if u := s.Unindexed(); u != nil {
			got = string(u.Search.Query())
			if u.Limit != 8 || strings.Join(u.Fields, " ") != "name.key" {
				t.Errorf("%s: %+v", body, u)
			}
		}
		if want != "" {
			want = `{"query":` + want + `}`
		}
		if got != want {
			t.Errorf("%s counts\n%s, want\n%s", body, got, want)
		}
	}
}
