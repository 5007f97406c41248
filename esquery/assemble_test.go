package esquery_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/esquery"
)

// sent returns the body that is sent for a written body.
func sent(t *testing.T, v *esquery.Validator, body string) string {
	t.Helper()
	report := v.Check("docs", []byte(body))
	if report.Verdict != esquery.OK {
		t.Fatalf("Check(%s): %v", body, report.Problems)
	}
	return string(report.Body())
}

func TestTheFilterIsPutIn(t *testing.T) {
	const filter = `{"term":{"tenantId":"a"}}`
	for _, tt := range []struct{ name, body, want string }{
		{"nothing", ``, `{"query":{"bool":{"filter":[` + filter + `]}}}`},
		{"a query", `{"query":{"match":{"title":"a"}},"size":1}`,
			`{"query":{"bool":{"must":[{"match":{"title":"a"}}],"filter":[` + filter + `]}},"size":1}`},
		{"a bool", `{"query":{"bool":{"should":[{"match_all":{}}]}}}`,
			`{"query":{"bool":{"must":[{"bool":{"should":[{"match_all":{}}]}}],"filter":[` + filter + `]}}}`},
		{"post_filter alone", `{"post_filter":{"term":{"status":"a"}}}`,
			`{"post_filter":{"term":{"status":"a"}},"query":{"bool":{"filter":[` + filter + `]}}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, sent(t, validator(t, tenant), tt.body)); diff != "" {
				t.Errorf("what is sent for %s (-want +got):\n%s", tt.body, diff)
			}
		})
	}
}

func TestSeveralFilters(t *testing.T) {
	v, err := validator(t, tenant).Filtered(json.RawMessage(`{"term":{"isPci":false}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"query":{"bool":{"filter":[{"term":{"tenantId":"a"}},{"term":{"isPci":false}}]}}}`
	if diff := cmp.Diff(want, sent(t, v, ``)); diff != "" {
		t.Errorf("what is sent (-want +got):\n%s", diff)
	}
}

func TestHiddenFieldsAreLeftOut(t *testing.T) {
	v := validator(t, &esquery.Options{Sensitive: []string{"author.ssn"}})
	const hide = `"excludes":["author.ssn","author.ssn.*"]`
	for _, tt := range []struct{ name, body, want string }{
		{"nothing", ``, `{"_source":{` + hide + `}}`},
		{"all", `{"_source":true}`, `{"_source":{` + hide + `}}`},
		{"none", `{"_source":false}`, `{"_source":false}`},
		{"a name", `{"_source":"title"}`, `{"_source":{"includes":["title"],` + hide + `}}`},
		{"a list", `{"_source":["author","title"]}`, `{"_source":{"includes":["author","title"],` + hide + `}}`},
		{"includes", `{"_source":{"includes":["author"]}}`, `{"_source":{"includes":["author"],` + hide + `}}`},
		{"excludes", `{"_source":{"excludes":"body"}}`, `{"_source":{"excludes":["body","author.ssn","author.ssn.*"]}}`},
		{"top hits", `{"_source":false,"aggs":{"x":{"top_hits":{"_source":"title"}}}}`,
			`{"_source":false,"aggs":{"x":{"top_hits":{"_source":{"includes":["title"],` + hide + `}}}}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, sent(t, v, tt.body)); diff != "" {
				t.Errorf("what is sent for %s (-want +got):\n%s", tt.body, diff)
			}
		})
	}
}

func TestHiddenFieldsDoNotExist(t *testing.T) {
	runChecks(t, validator(t, &esquery.Options{Sensitive: []string{"author.ssn"}}), []checkCase{
		{"sort", `{"sort":"author.ssn"}`, "unknown_field /sort"},
		{"aggregation", `{"aggs":{"x":{"terms":{"field":"author.ssn"}}}}`, "unknown_field /aggs/x/terms/field"},
		{"highlight", `{"highlight":{"fields":{"author.ssn":{}}}}`, "unknown_field /highlight/fields/author.ssn"},
		{"fields", `{"fields":["author.ssn"]}`, "unknown_field /fields/0"},
		{"a pattern with it", `{"fields":["author.*"]}`, "forbidden /fields/0"},
		{"a pattern without it", `{"fields":["author.e*"]}`, ""},
		{"fields that the mapping does not list", `{"fields":[{"field":"settings.*","include_unmapped":true}]}`, "unknown_key /fields/0/include_unmapped"},
		{"docvalue_fields", `{"docvalue_fields":["author.ssn"]}`, "forbidden /docvalue_fields"},
		{"stored_fields", `{"stored_fields":["*"]}`, "forbidden /stored_fields"},
		{"_source", `{"_source":["author.ssn"]}`, "unknown_field /_source/0"},
		{"top_hits", `{"aggs":{"x":{"top_hits":{"sort":["author.ssn"]}}}}`, "unknown_field /aggs/x/top_hits/sort/0"},
		{"names of fields as buckets", `{"aggs":{"x":{"terms":{"field":"_ignored"}}}}`, "forbidden /aggs/x/terms/field"},
		{"names of fields as a sort", `{"sort":["_ignored"]}`, "forbidden /sort/0"},
		{"names of fields as fields", `{"fields":["_ignored"]}`, "forbidden /fields/0"},
		{"the length of documents", `{"sort":["_size"]}`, "forbidden /sort/0"},
	})
}

// OpenSearch returns the whole object for a key of a flat_object.
func TestKeysOfFlatObjects(t *testing.T) {
	mapping := parse(t, `{"properties":{"labels":{"type":"flat_object"},"tags":{"type":"flattened"}}}`)
	v, err := esquery.NewValidator(map[string]*esquery.Mapping{"docs": mapping}, nil)
	if err != nil {
		t.Fatal(err)
	}
	runChecks(t, v, []checkCase{
		{"fields", `{"fields":["labels.color"]}`, "field_type /fields/0"},
		{"fields of top_hits", `{"aggs":{"x":{"top_hits":{"fields":["labels.color"]}}}}`, "field_type /aggs/x/top_hits/fields/0"},
		{"_source", `{"_source":["labels.color"]}`, ""},
		{"a search", `{"query":{"term":{"labels.color":"red"}}}`, ""},
		{"fields of flattened", `{"fields":["tags.color"]}`, ""},
	})
}

// The corrected body has no filter and names no hidden field.
func TestCorrected(t *testing.T) {
	v := validator(t, &esquery.Options{Filter: json.RawMessage(`{"term":{"tenantId":"a"}}`), Sensitive: []string{"status"}})
	const with, want = `{"query":{"match_all":{}},"sort":["Pages"],"aggs":{"a":{"top_hits":{"size":1}}}}`,
		`{"query":{"match_all":{}},"sort":["pages"],"aggs":{"a":{"top_hits":{"size":1}}}}`
	report := v.Check("docs", []byte(with))
	if got := string(report.Corrected()); report.Verdict != esquery.Fixed || got != want {
		t.Errorf("%v: %s, want %s", report.Verdict, got, want)
	}
	if got := v.Check("docs", []byte(want)).Corrected(); got != nil {
		t.Errorf("a body without corrections: %s", got)
	}
}
