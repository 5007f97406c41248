package esquery_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/qedkit/qed/esquery"
)

func TestRefusedQueries(t *testing.T) {
	runChecks(t, validator(t, nil), ofQueries([]checkCase{
		{"script", `{"script":{"script":"1"}}`, "script /script"},
		{"script_score", `{"script_score":{"query":{"match_all":{}},"script":{"source":"1"}}}`, "script /script_score"},
		{"deep down", `{"bool":{"filter":[{"bool":{"must_not":{"script":{"script":"1"}}}}]}}`, "script /bool/filter/0/bool/must_not/script"},
		{"percolate", `{"percolate":{"field":"q","document":{}}}`, "forbidden /percolate"},
		{"wrapper", `{"wrapper":{"query":"e30="}}`, "forbidden /wrapper"},
		{"template", `{"template":{"source":"x"}}`, "forbidden /template"},
		{"rule", `{"rule":{"organic":{"match_all":{}}}}`, "forbidden /rule"},
		{"neural", `{"neural":{"openVec":{"query_text":"a","model_id":"m"}}}`, "forbidden /neural"},
		{"text_expansion", `{"text_expansion":{"tokens":{"model_id":"m","model_text":"a"}}}`, "forbidden /text_expansion"},
		{"positions", `{"span_near":{"clauses":[]}}`, "forbidden /span_near"},
		{"intervals below a bool", `{"bool":{"must":[{"intervals":{"title":{"match":{"query":"a"}}}}]}}`, "forbidden /bool/must/0/intervals"},
		{"more_like_this", `{"more_like_this":{"like":{"_index":"other","_id":"1"},"fields":["title"]}}`, "forbidden /more_like_this"},
		{"rank_feature", `{"rank_feature":{"field":"popularity"}}`, "forbidden /rank_feature"},
		{"sparse_vector", `{"sparse_vector":{"field":"tokens"}}`, "forbidden /sparse_vector"},
		{"has_child", `{"has_child":{"type":"file","query":{"match_all":{}}}}`, "forbidden /has_child"},
		{"has_parent", `{"has_parent":{"parent_type":"folder","query":{"match_all":{}}}}`, "forbidden /has_parent"},
		{"parent_id", `{"parent_id":{"type":"note","id":"1"}}`, "forbidden /parent_id"},
		{"match_bool_prefix", `{"match_bool_prefix":{"title":"zebr"}}`, "forbidden /match_bool_prefix"},
		{"knn", `{"knn":{"field":"vec","query_vector":[1,2,3],"k":5}}`, "forbidden /knn"},
		{"rewrite", `{"prefix":{"status":{"value":"zeb","rewrite":"top_terms_1"}}}`, "unknown_key /prefix/status/rewrite"},
	}))
}

func TestSensitiveFieldsInQueries(t *testing.T) {
	v := validator(t, &esquery.Options{Sensitive: []string{"author.ssn", "labels.secret"}})
	runChecks(t, v, ofQueries([]checkCase{
		{"term", `{"term":{"author.ssn":"1"}}`, "unknown_field /term/author.ssn"},
		{"exists", `{"exists":{"field":"author.ssn"}}`, "unknown_field /exists/field"},
		{"another spelling", `{"term":{"author.SSN":"1"}}`, "unknown_field /term/author.SSN"},
		{"the object around it", `{"exists":{"field":"author"}}`, "field_type /exists/field"},
		{"a key", `{"term":{"labels.secret":"1"}}`, "unknown_field /term/labels.secret"},
		{"another key", `{"term":{"labels.release":"v1"}}`, ""},
		{"all keys", `{"term":{"labels":"v1"}}`, "unknown_field /term/labels"},
		{"all fields", `{"multi_match":{"query":"a"}}`, "forbidden /multi_match"},
		{"all fields by name", `{"multi_match":{"query":"a","fields":["*"]}}`, "forbidden /multi_match/fields/0"},
		{"a pattern", `{"multi_match":{"query":"a","fields":["author.*"]}}`, "forbidden /multi_match/fields/0"},
		{"a pattern of others", `{"multi_match":{"query":"a","fields":["author.n*"]}}`, ""},
		{"simple_query_string", `{"simple_query_string":{"query":"a"}}`, "forbidden /simple_query_string"},
		{"a pattern of exists", `{"exists":{"field":"author.*"}}`, "forbidden /exists/field"},
		{"names of fields", `{"term":{"_ignored":"author.ssn"}}`, "forbidden /term/_ignored"},
		{"another name of exists", `{"exists":{"author.ssn":1}}`, "unknown_key /exists/author.ssn; malformed /exists"},
		{"as a query", `{"author.ssn":"1"}`, "unknown_key /author.ssn"},
	}))
	for _, body := range []string{
		`{"query":{"term":{"author.sn":"1"}}}`, `{"query":{"term":{"author.ssn":"1"}}}`, `{"query":{"multi_match":{"query":"a","fields":["author.*"]}}}`,
	} {
		for _, p := range v.Check("docs", []byte(body)).Problems {
			for _, candidate := range p.Candidates {
				if strings.Contains(candidate, "ssn") {
					t.Errorf("Check(%s) offers the sensitive %s", body, candidate)
				}
			}
		}
	}
}

func TestCandidates(t *testing.T) {
	v := validator(t, nil)
	for _, tt := range []struct{ query, want string }{
		{`{"term":{"title":"a"}}`, "title.raw"},
		{`{"wildcard":{"title":"Ann*"}}`, "title.raw"},
		{`{"match":{"titel":"a"}}`, "title"},
		{`{"term":{"author.name":"a"}}`, "author.name.keyword"},
		{`{"term":{"status.keyword":"a"}}`, "status"},
		{`{"term":{"sku":"a"}}`, "items.sku"},
		{`{"range":{"created":{"gte":"now"}}}`, "createdAt"},
		{`{"term":{"items.sku":"a"}}`, "items"},
		{`{"nested":{"path":"items","query":{"term":{"no":"a"}}}}`, "items.parts.no"},
		{`{"matchphrase":{"title":"a"}}`, "match_phrase"},
		{`{"bool":{"mst":[]}}`, "must"},
		{`{"match":{"title":{"query":"a","opertor":"and"}}}`, "operator"},
		{`{"term":{"status":["a"]}}`, "terms"},
		{`{"terms":{"status":"a"}}`, "term"},
		{`{"status":"open"}`, "term"},
		{`{"query_string":{"query":"a"}}`, "simple_query_string"},
	} {
		report := v.Check("docs", []byte(`{"query":`+tt.query+`}`))
		if len(report.Problems) == 0 || len(report.Problems[0].Candidates) == 0 || report.Problems[0].Candidates[0] != tt.want {
			t.Errorf("Check(%s): problems %+v, want %s as the first candidate", tt.query, report.Problems, tt.want)
		}
	}
}

// Wrong names and patterns are compared with all fields. The number of these
// comparisons is limited.
func TestManyWrongNames(t *testing.T) {
	var mapping, names strings.Builder
	mapping.WriteString(`{"properties":{"title":{"type":"text"}`)
	for i := range 4000 {
		fmt.Fprintf(&mapping, `,"some_field_%d":{"type":"keyword"}`, i)
		fmt.Fprintf(&names, `,"sme_fild_%d"`, i)
	}
	m := parse(t, mapping.String()+"}}")
	v, err := esquery.NewValidator(map[string]*esquery.Mapping{"docs": m}, nil)
	if err != nil {
		t.Fatal(err)
	}
	report := v.Check("docs", []byte(`{"fields":["titel"`+names.String()+`]}`))
	if report.Verdict != esquery.Refused || len(report.Problems) != 100 || !slices.Contains(report.Problems[0].Candidates, "title") {
		t.Errorf("Check = %s with %d problems, the first %v", report.Verdict, len(report.Problems), report.Problems[:1])
	}
	if last := report.Problems[99]; last.Candidates != nil {
		t.Errorf("the last of many wrong names has candidates: %v", last)
	}
	few, many := strings.Repeat(`,"some*"`, 29), strings.Repeat(`,"some*"`, 30)
	runChecks(t, v, []checkCase{
		{"patterns", `{"fields":["some*"` + few + `]}`, ""},
		{"too many patterns", `{"fields":["some*"` + many + `]}`, "too_expensive /fields/30"},
	})
}
