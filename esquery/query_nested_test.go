package esquery_test

import "testing"

func TestNestedQueries(t *testing.T) {
	runChecks(t, validator(t, nil), ofQueries([]checkCase{
		{"nested", `{"nested":{"path":"items","query":{"term":{"items.sku":"A1"}},"score_mode":"avg","ignore_unmapped":true}}`, ""},
		{"nested in nested", `{"nested":{"path":"items","query":{"nested":{"path":"items.parts","query":{"term":{"items.parts.no":"p"}}}}}}`, ""},
		{"nested two levels down at once", `{"nested":{"path":"items.parts","query":{"term":{"items.parts.no":"p"}}}}`, ""},
		{"exists of the object itself", `{"nested":{"path":"items","query":{"exists":{"field":"items"}}}}`, ""},
		{"bool in nested", `{"nested":{"path":"items","query":{"bool":{"filter":[{"term":{"items.sku":"A1"}},{"range":{"items.qty":{"gte":2}}}]}}}}`, ""},
		{"without nested", `{"term":{"items.sku":"A1"}}`, "nested_path /term/items.sku"},
		{"included in the document", `{"match":{"comments.text":"a"}}`, ""},
		{"a field of the document in nested", `{"nested":{"path":"items","query":{"term":{"status":"open"}}}}`, "nested_path /nested/query/term/status"},
		{"a deeper field in nested", `{"nested":{"path":"items","query":{"term":{"items.parts.no":"p"}}}}`, "nested_path /nested/query/term/items.parts.no"},
		{"an outer field in nested", `{"nested":{"path":"items.parts","query":{"term":{"items.sku":"A1"}}}}`, "nested_path /nested/query/term/items.sku"},
		{"the same object again", `{"nested":{"path":"items","query":{"nested":{"path":"items","query":{"match_all":{}}}}}}`, "nested_path /nested/query/nested/path"},
		{"a name without its object", `{"nested":{"path":"items","query":{"term":{"sku":"A1"}}}}`, "unknown_field /nested/query/term/sku"},
		{"a path that is not nested", `{"nested":{"path":"author","query":{"match_all":{}}}}`, "nested_path /nested/path"},
		{"a path that is unknown", `{"nested":{"path":"lines","query":{"match_all":{}}}}`, "unknown_field /nested/path"},
		{"a path in another spelling", `{"nested":{"path":"Items","query":{"term":{"items.sku":"A1"}}}}`, "unknown_field* /nested/path"},
		{"no path", `{"nested":{"query":{"match_all":{}}}}`, "malformed /nested"},
		{"no query", `{"nested":{"path":"items"}}`, "malformed /nested"},
		{"a filter", `{"nested":{"path":"items","filter":{"match_all":{}}}}`, "unknown_key /nested/filter; malformed /nested"},
	}))
}

// Words are expanded to words of all documents. A choice of few words would reveal
// whether the documents of others have a word.
func TestFilterAndExpansions(t *testing.T) {
	cases := []checkCase{
		{"match", `{"match":{"title":{"query":"zebr","fuzziness":1,"max_expansions":1}}}`, "/match/title/max_expansions"},
		{"match_phrase_prefix", `{"match_phrase_prefix":{"title":{"query":"zeb","max_expansions":49}}}`, "/match_phrase_prefix/title/max_expansions"},
		{"multi_match", `{"multi_match":{"query":"zeb","fields":["title"],"type":"phrase_prefix","max_expansions":1}}`, "/multi_match/max_expansions"},
		{"simple_query_string", `{"simple_query_string":{"query":"zebr~1","fields":["title"],"fuzzy_max_expansions":1}}`, "/simple_query_string/fuzzy_max_expansions"},
		{"fuzzy", `{"fuzzy":{"status":{"value":"zebr","max_expansions":1}}}`, "/fuzzy/status/max_expansions"},
		{"many", `{"match_phrase_prefix":{"title":{"query":"zeb","max_expansions":50}}}`, ""},
		{"the usual number", `{"match":{"title":{"query":"zebr","fuzziness":"AUTO"}}}`, ""},
	}
	open := make([]checkCase, len(cases))
	for i := range cases {
		open[i] = cases[i]
		if open[i].want = ""; cases[i].want != "" {
			cases[i].want = "filter_bypass " + cases[i].want
		}
	}
	runChecks(t, validator(t, tenant), ofQueries(cases))
	runChecks(t, validator(t, nil), ofQueries(open))
}
