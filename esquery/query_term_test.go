package esquery_test

import (
	"strings"
	"testing"

	"github.com/qedkit/qed/esquery"
)

func TestTermQueries(t *testing.T) {
	runChecks(t, validator(t, &esquery.Options{MaxTerms: 3}), ofQueries([]checkCase{
		{"term", `{"term":{"status":"open"}}`, ""},
		{"term in the long form", `{"term":{"status":{"value":"open","case_insensitive":true,"boost":2}}}`, ""},
		{"term on a number", `{"term":{"pages":12}}`, ""},
		{"term on a boolean", `{"term":{"isPci":true}}`, ""},
		{"term on _id", `{"term":{"_id":"1"}}`, ""},
		{"term on a text", `{"term":{"title":"Annual report"}}`, "field_type /term/title"},
		{"term on a list", `{"term":{"status":["open"]}}`, "malformed /term/status"},
		{"term on two fields", `{"term":{"status":"open","pages":12}}`, "malformed /term"},
		{"term with null", `{"term":{"status":null}}`, "malformed /term/status"},
		{"term with a match's key", `{"term":{"status":{"query":"open"}}}`, "unknown_key /term/status/query; malformed /term/status"},
		{"term on an object", `{"term":{"author":"a"}}`, "field_type /term/author"},
		{"term on a multi-field that is not there", `{"term":{"status.keyword":"open"}}`, "unknown_field /term/status.keyword"},
		{"term on _index", `{"term":{"_index":"docs"}}`, "forbidden /term/_index"},
		{"term on _source", `{"term":{"_source":"docs"}}`, "unknown_field /term/_source"},

		{"terms", `{"terms":{"status":["open","closed"],"boost":2,"_name":"s"}}`, ""},
		{"terms on a text", `{"terms":{"title":["a"]}}`, "field_type /terms/title"},
		{"terms with one value", `{"terms":{"status":"open"}}`, "malformed /terms/status"},
		{"terms without values", `{"terms":{"status":[]}}`, "invalid_literal /terms/status"},
		{"terms with too many values", `{"terms":{"pages":[1,2,3,4]}}`, "too_expensive /terms/pages"},
		{"terms with a null", `{"terms":{"status":["open",null]}}`, "malformed /terms/status/1"},
		{"terms with a list", `{"terms":{"status":[["open"]]}}`, "malformed /terms/status/0"},
		{"terms with a word on a number", `{"terms":{"pages":[1,"two"]}}`, "invalid_literal /terms/pages/1"},
		{"terms on two fields", `{"terms":{"status":["a"],"pages":[1]}}`, "malformed /terms"},
		{"terms without a field", `{"terms":{"boost":1}}`, "malformed /terms"},
		{"terms lookup", `{"terms":{"status":{"index":"other","id":"1","path":"x"}}}`, "forbidden /terms/status"},
		{"terms in the form of a term", `{"terms":{"status":{"value":["open"]}}}`, "malformed /terms/status"},

		{"terms_set", `{"terms_set":{"status":{"terms":["a","b"],"minimum_should_match_field":"pages"}}}`, ""},
		{"terms_set by a keyword", `{"terms_set":{"status":{"terms":["a"],"minimum_should_match_field":"status"}}}`, "field_type /terms_set/status/minimum_should_match_field"},
		{"terms_set by a script", `{"terms_set":{"status":{"terms":["a"],"minimum_should_match_script":{"source":"1"}}}}`, "script /terms_set/status/minimum_should_match_script"},

		{"range", `{"range":{"pages":{"gte":1,"lt":"9","boost":2}}}`, ""},
		{"range of dates", `{"range":{"createdAt":{"gte":"now-1y/d","lt":"2024-02-01","time_zone":"+01:00"}}}`, ""},
		{"range with a format", `{"range":{"createdAt":{"gte":"01/02/2024","format":"dd/MM/yyyy"}}}`, ""},
		{"range from and to", `{"range":{"pages":{"from":1,"to":9,"include_lower":true,"include_upper":false}}}`, ""},
		{"range open at null", `{"range":{"pages":{"gte":null,"lte":9}}}`, ""},
		{"range on a keyword", `{"range":{"status":{"gte":"a"}}}`, ""},
		{"range on an ip", `{"range":{"host":{"gte":"10.0.0.0","lt":"10.1.0.0"}}}`, ""},
		{"range on a range", `{"range":{"valid":{"gte":"2024-01-01","relation":"within"}}}`, ""},
		{"range on a text", `{"range":{"title":{"gte":"a"}}}`, "field_type /range/title"},
		{"range on a key of a flattened field", `{"range":{"labels.release":{"gte":"a","lt":"b"}}}`, ""},
		{"term on a key of a flattened field, as if it had multi-fields", `{"term":{"labels.release.keyword":"a"}}`, "unknown_field /term/labels.release.keyword"},
		{"term on a completion", `{"term":{"suggest":"Running shoes"}}`, "field_type /term/suggest"},
		{"range of a value", `{"range":{"pages":5}}`, "malformed /range/pages"},
		{"range without bounds", `{"range":{"pages":{}}}`, "malformed /range/pages"},
		{"range with an unknown bound", `{"range":{"pages":{"min":1}}}`, "unknown_key /range/pages/min"},
		{"range with two lower bounds", `{"range":{"pages":{"gt":1,"gte":2}}}`, "malformed /range/pages"},
		{"range with nothing in it", `{"range":{"pages":{"gte":9,"lt":9}}}`, "invalid_literal /range/pages"},
		{"range of days with nothing in it", `{"range":{"createdAt":{"gte":"2024-12-31","lte":"2024-01-01T00:00:00Z"}}}`, "invalid_literal /range/createdAt"},
		{"range of one day", `{"range":{"createdAt":{"gte":"2024-01-01","lte":"2024-01-01"}}}`, ""},
		{"range of days with the month last", `{"range":{"createdAt":{"gte":"2024-05-01","lte":"2024-02-12","format":"yyyy-dd-MM"}}}`, ""},
		{"range with date math", `{"range":{"createdAt":{"gte":"2024-12-31||-1y","lte":"2024-01-01"}}}`, ""},
		{"range with a boost next to the field", `{"range":{"pages":{"gte":9},"boost":2}}`, "malformed /range/boost"},
		{"range on two fields", `{"range":{"pages":{"gte":9},"fileSize":{"gte":2}}}`, "malformed /range"},
		{"range with a list", `{"range":{"pages":{"gte":[1]}}}`, "malformed /range/pages/gte"},
		{"range of words on a number", `{"range":{"pages":{"gte":"few"}}}`, "invalid_literal /range/pages/gte"},

		{"exists", `{"exists":{"field":"status","boost":1}}`, ""},
		{"exists of an object", `{"exists":{"field":"author"}}`, ""},
		{"exists of a pattern", `{"exists":{"field":"author.*"}}`, ""},
		{"exists of a vector", `{"exists":{"field":"vec"}}`, ""},
		{"exists as a string", `{"exists":"status"}`, "malformed /exists"},
		{"exists in the form of a term", `{"exists":{"status":true}}`, "malformed /exists"},
		{"exists of a list", `{"exists":{"field":["status"]}}`, "malformed /exists/field"},
		{"exists without a field", `{"exists":{}}`, "malformed /exists"},
		{"exists of an unknown field", `{"exists":{"field":"subject"}}`, "unknown_field /exists/field"},
		{"exists of a nested object", `{"exists":{"field":"items"}}`, "nested_path /exists/field"},
		{"exists of what has no index", `{"exists":{"field":"dark"}}`, "field_type /exists/field"},
		{"exists of a binary", `{"exists":{"field":"blob"}}`, "field_type /exists/field"},
		{"exists of an object that is not enabled", `{"exists":{"field":"settings"}}`, "field_type /exists/field"},

		{"ids", `{"ids":{"values":["1",2]}}`, ""},
		{"ids of none", `{"ids":{"values":[]}}`, "invalid_literal /ids/values"},
		{"ids with a type", `{"ids":{"type":"_doc","values":["1"]}}`, "unknown_key /ids/type"},
	}))
}

func TestPatternQueries(t *testing.T) {
	runChecks(t, validator(t, nil), ofQueries([]checkCase{
		{"prefix", `{"prefix":{"status":{"value":"op","case_insensitive":true,"rewrite":"constant_score"}}}`, ""},
		{"prefix of a word of a text", `{"prefix":{"title":"rep"}}`, ""},
		{"prefix with a capital on a text", `{"prefix":{"title":"Rep"}}`, "field_type /prefix/title"},
		{"prefix with a capital where letter case does not count", `{"prefix":{"title":{"value":"Rep","case_insensitive":true}}}`, ""},
		{"prefix with a capital where an analyzer can keep it", `{"prefix":{"code":"Rep"}}`, ""},
		{"prefix of two words on a text", `{"prefix":{"title":"annual rep"}}`, "field_type /prefix/title"},
		{"prefix of nothing", `{"prefix":{"status":""}}`, "too_expensive /prefix/status"},
		{"prefix on a number", `{"prefix":{"pages":"1"}}`, "field_type /prefix/pages"},
		{"prefix on a key of a flattened field", `{"prefix":{"labels.release":"v"}}`, ""},
		{"prefix with an unknown rewrite", `{"prefix":{"status":{"value":"op","rewrite":"top_terms_x"}}}`, "malformed /prefix/status/rewrite"},
		{"prefix with two fields", `{"prefix":{"status":"op","pages":"x"}}`, "malformed /prefix"},

		{"wildcard", `{"wildcard":{"status":"op*n"}}`, ""},
		{"wildcard with its old key", `{"wildcard":{"status":{"wildcard":"op*n"}}}`, ""},
		{"wildcard with both keys", `{"wildcard":{"status":{"value":"a*","wildcard":"op*n"}}}`, "malformed /wildcard/status"},
		{"wildcard at the beginning", `{"wildcard":{"status":"*pen"}}`, "too_expensive /wildcard/status"},
		{"wildcard alone", `{"wildcard":{"status":"*"}}`, "too_expensive /wildcard/status"},
		{"wildcard at the beginning on a wildcard field", `{"wildcard":{"pattern":"*pen*"}}`, ""},
		{"wildcard with a capital on a text", `{"wildcard":{"title":"Ann*"}}`, "field_type /wildcard/title"},
		{"wildcard on a number", `{"wildcard":{"pages":"1*"}}`, "field_type /wildcard/pages"},
		{"wildcard on a key of a flattened field", `{"wildcard":{"labels.release":"v*"}}`, "field_type /wildcard/labels.release"},

		{"regexp", `{"regexp":{"status":{"value":"op(en|ac)[a-z]*","flags":"INTERVAL|EMPTY","max_determinized_states":1000}}}`, ""},
		{"regexp that begins with anything", `{"regexp":{"status":".*pen"}}`, "too_expensive /regexp/status"},
		{"regexp of which an alternative does", `{"regexp":{"status":"(open|.+ed)"}}`, "too_expensive /regexp/status"},
		{"regexp that does behind what can be missing", `{"regexp":{"status":"o?.*"}}`, "too_expensive /regexp/status"},
		{"regexp with a point first", `{"regexp":{"status":".pen.*"}}`, ""},
		{"regexp of a group that begins with anything", `{"regexp":{"status":"(a|.)*pen"}}`, "too_expensive /regexp/status"},
		{"regexp of a group of one that does", `{"regexp":{"status":"(o|.)pen"}}`, ""},
		{"regexp of a group behind a letter", `{"regexp":{"status":"o(.)*"}}`, ""},
		{"wildcard that is long", `{"wildcard":{"status":"` + strings.Repeat("a?", 501) + `"}}`, "too_expensive /wildcard/status"},
		{"fuzzy that is long", `{"fuzzy":{"status":"` + strings.Repeat("a", 1001) + `"}}`, "too_expensive /fuzzy/status"},
		{"regexp with many states", `{"regexp":{"status":{"value":"op.*","max_determinized_states":100000}}}`, "too_expensive /regexp/status/value"},
		{"regexp that is long", `{"regexp":{"status":"` + strings.Repeat("a", 1001) + `"}}`, "too_expensive /regexp/status"},

		{"fuzzy", `{"fuzzy":{"status":{"value":"opne","fuzziness":1,"transpositions":true}}}`, ""},
		{"fuzzy on a word of a text", `{"fuzzy":{"title":"reprot"}}`, ""},
		{"fuzzy on two words", `{"fuzzy":{"title":"annual reprot"}}`, "field_type /fuzzy/title"},
		{"fuzzy on a number", `{"fuzzy":{"pages":12}}`, "field_type /fuzzy/pages"},
		{"fuzzy with a wrong fuzziness", `{"fuzzy":{"status":{"value":"opne","fuzziness":"high"}}}`, "malformed /fuzzy/status/fuzziness"},
	}))
}
