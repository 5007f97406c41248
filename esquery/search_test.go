package esquery_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/refusal"
)

func search(t *testing.T, v *esquery.Validator, body string) *esquery.Search {
	t.Helper()
	s, err := v.Check("docs", []byte(body)).Search()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRefusedSearch(t *testing.T) {
	report := validator(t, nil).Check("docs", []byte(`{"limit":5}`))
	if report.Body() != nil {
		t.Errorf("a refused body is printed: %s", report.Body())
	}
	_, err := report.Search()
	refused, ok := errors.AsType[*refusal.Error](err)
	if !ok || !errors.Is(err, esquery.ErrUnknownKey) || len(refused.Problems) != 1 || !strings.HasPrefix(err.Error(), "esquery: ") {
		t.Errorf("Search() = %v, want a refusal of esquery with its problem", err)
	}
}

func TestSearchQuery(t *testing.T) {
	const filter = `{"term":{"tenantId":"a"}}`
	for _, tt := range []struct{ name, body, want string }{
		{"nothing", ``, `{"query":{"bool":{"filter":[` + filter + `]}}}`},
		{"a query", `{"query":{"match_all":{}},"size":3,"aggs":{}}`, `{"query":{"bool":{"must":[{"match_all":{}}],"filter":[` + filter + `]}}}`},
		{"a post_filter", `{"query":{"match":{"title":"a"}},"post_filter":{"term":{"status":"a"}}}`,
			`{"query":{"bool":{"filter":[{"match":{"title":"a"}},{"term":{"status":"a"}},` + filter + `]}}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, string(search(t, validator(t, tenant), tt.body).Query())); diff != "" {
				t.Errorf("Query() (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPages(t *testing.T) {
	const body = `{"query":{"match_all":{}},"from":0,"size":50,"sort":[{"createdAt":"desc"}],"track_total_hits":true,"aggs":{"x":{"avg":{"field":"pages"}}}}`
	page := esquery.Page{PIT: "p", KeepAlive: "1m", Size: 7, Tiebreak: []string{"_shard_doc"}}
	for _, tt := range []struct{ name, body, after, want string }{
		{"the first", body, ``, `{"query":{"match_all":{}},"track_total_hits":true,"aggs":{"x":{"avg":{"field":"pages"}}},` +
			`"size":7,"sort":[{"createdAt":"desc"},"_shard_doc"],"pit":{"id":"p","keep_alive":"1m"}}`},
		{"the next", body, `[1704067200000,4]`, `{"query":{"match_all":{}},"size":7,"sort":[{"createdAt":"desc"},"_shard_doc"],` +
			`"pit":{"id":"p","keep_alive":"1m"},"search_after":[1704067200000,4],"track_total_hits":false}`},
		{"without a sort", `{}`, ``, `{"size":7,"sort":["_shard_doc"],"pit":{"id":"p","keep_alive":"1m"}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := page
			if tt.after != "" {
				p.After = json.RawMessage(tt.after)
			}
			got, err := search(t, validator(t, nil), tt.body).Page(p)
			if diff := cmp.Diff(tt.want, string(got)); err != nil || diff != "" {
				t.Errorf("Page() (-want +got):\n%s, %v", diff, err)
			}
		})
	}
}

func TestNoPages(t *testing.T) {
	p := esquery.Page{PIT: "p", KeepAlive: "1m", Size: 7, After: json.RawMessage(`1],"x":[`), Tiebreak: []string{"_shard_doc"}}
	if got, err := search(t, validator(t, nil), `{}`).Page(p); err == nil {
		t.Errorf("the page after what is no array is %s", got)
	}
}

func TestProbes(t *testing.T) {
	type probe struct{ Path, Clause, Alone, Without string }
	const filter = `{"term":{"tenantId":"a"}}`
	counts := func(clauses string) string {
		return `{"size":0,"track_total_hits":true,"query":{"bool":{` + clauses + `}}}`
	}
	for _, tt := range []struct {
		name, body string
		want       []probe
	}{
		{"nothing", `{}`, nil},
		{"one query", `{"query":{"term":{"status":"x"}}}`, []probe{
			{"/query", `{"term":{"status":"x"}}`, counts(`"filter":[{"term":{"status":"x"}},` + filter + `]`), ""},
		}},
		{"a bool", `{"query":{"bool":{"filter":[{"term":{"status":"x"}}],"must_not":{"term":{"isPci":true}}}}}`, []probe{
			{"/query/bool/filter/0", `{"term":{"status":"x"}}`, counts(`"filter":[{"term":{"status":"x"}},` + filter + `]`),
				counts(`"filter":[` + filter + `],"must_not":[{"term":{"isPci":true}}]`)},
			{"/query/bool/must_not", `{"term":{"isPci":true}}`, counts(`"filter":[` + filter + `],"must_not":[{"term":{"isPci":true}}]`),
				counts(`"filter":[{"term":{"status":"x"}},` + filter + `]`)},
		}},
		{"alternatives that need not match", `{"query":{"bool":{"must":[{"term":{"status":"x"}}],"should":[{"match":{"title":"a"}}]}}}`, []probe{
			{"/query/bool/must/0", `{"term":{"status":"x"}}`, counts(`"filter":[{"term":{"status":"x"}},` + filter + `]`), ""},
		}},
		{"bools in bools, and a post_filter", `{"query":{"constant_score":{"filter":{"bool":{"must":{"bool":{"filter":{"term":{"status":"x"}}}}}}}},"post_filter":{"term":{"pages":1}}}`, []probe{
			{"/query/constant_score/filter/bool/must/bool/filter", `{"term":{"status":"x"}}`, counts(`"filter":[{"term":{"status":"x"}},` + filter + `]`),
				counts(`"filter":[{"term":{"pages":1}},` + filter + `]`)},
			{"/post_filter", `{"term":{"pages":1}}`, counts(`"filter":[{"term":{"pages":1}},` + filter + `]`),
				counts(`"filter":[{"term":{"status":"x"}},` + filter + `]`)},
		}},
		{"alternatives of which one must match", `{"query":{"bool":{"filter":[{"term":{"pages":1}}],"should":[{"match":{"title":"a"}},{"match":{"body":"a"}}],"minimum_should_match":1}}}`, []probe{
			{"/query/bool/filter/0", `{"term":{"pages":1}}`, counts(`"filter":[{"term":{"pages":1}},` + filter + `]`),
				counts(`"filter":[{"bool":{"should":[{"match":{"title":"a"}},{"match":{"body":"a"}}],"minimum_should_match":1}},` + filter + `]`)},
			{"/query/bool/should", `{"bool":{"should":[{"match":{"title":"a"}},{"match":{"body":"a"}}],"minimum_should_match":1}}`,
				counts(`"filter":[{"bool":{"should":[{"match":{"title":"a"}},{"match":{"body":"a"}}],"minimum_should_match":1}},` + filter + `]`),
				counts(`"filter":[{"term":{"pages":1}},` + filter + `]`)},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []probe
			for _, p := range search(t, validator(t, tenant), tt.body).Probes() {
				one := probe{Path: p.Path, Clause: string(p.Clause), Alone: string(p.Search.Body())}
				if p.Without != nil {
					one.Without = string(p.Without.Body())
				}
				got = append(got, one)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Probes() (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRedactionOfASearch(t *testing.T) {
	const source = `{"author":{"ssn":"1", "email":"e"}}`
	got, err := search(t, validator(t, nil), ``).Redact(json.RawMessage(source))
	if err != nil || string(got) != source {
		t.Errorf("Redact() = %s, %v, although nothing is sensitive", got, err)
	}
	closed := search(t, validator(t, &esquery.Options{Sensitive: []string{"author.ssn"}}), ``)
	got, err = closed.Redact(json.RawMessage(source))
	if err != nil || string(got) != `{"author":{"email":"e"}}` {
		t.Errorf("Redact() = %s, %v", got, err)
	}
}

// TestShown checks that Shown is the body that is sent, without the names of hidden
// fields.
func TestShown(t *testing.T) {
	m, err := esquery.ParseMapping([]byte(`{"properties":{"a":{"type":"keyword"},"secret":{"type":"keyword"},
		"n":{"type":"nested","properties":{"b":{"type":"keyword"}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, body, want string
		sensitive        []string
	}{
		{"nothing is hidden", `{"_source":{"excludes":["a"]}}`, `{"_source":{"excludes":["a"]}}`, nil},
		{"everything is read", `{"size":1}`, `{"size":1}`, []string{"secret"}},
		{"some is read", `{"_source":["a"]}`, `{"_source":["a"]}`, []string{"secret"}},
		{"the author excludes as well", `{"_source":{"excludes":["a"]}}`, `{"_source":{"excludes":["a"]}}`, []string{"secret"}},
		{"top hits", `{"aggs":{"t":{"top_hits":{"size":1}}}}`, `{"aggs":{"t":{"top_hits":{"size":1}}}}`, []string{"secret"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v, err := esquery.NewValidator(map[string]*esquery.Mapping{"i": m}, &esquery.Options{Sensitive: tt.sensitive})
			if err != nil {
				t.Fatal(err)
			}
			search, err := v.Check("i", []byte(tt.body)).Search()
			if err != nil {
				t.Fatal(err)
			}
			if tt.sensitive != nil && !strings.Contains(string(search.Body()), "secret") {
				t.Errorf("what is sent does not exclude the hidden field: %s", search.Body())
			}
			if got := string(search.Shown()); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}
