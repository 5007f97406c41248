package esquery_test

import (
	"strings"
	"testing"
)

func TestTextQueries(t *testing.T) {
	runChecks(t, validator(t, nil), ofQueries([]checkCase{
		{"match", `{"match":{"title":"annual report"}}`, ""},
		{"match with everything", `{"match":{"title":{"query":"annual report","operator":"AND","fuzziness":"AUTO:3,6","prefix_length":1,
			"max_expansions":10,"fuzzy_transpositions":true,"fuzzy_rewrite":"top_terms_10","minimum_should_match":"2<75%","analyzer":"english",
			"lenient":false,"zero_terms_query":"all","auto_generate_synonyms_phrase_query":true,"boost":2,"_name":"t"}}}`, ""},
		{"match of a number on a text", `{"match":{"title":2024}}`, ""},
		{"match on a keyword", `{"match":{"status":"open"}}`, ""},
		{"match on an alias", `{"match":{"state":"open"}}`, ""},
		{"match on a multi-field", `{"match":{"title.raw":"Annual report"}}`, ""},
		{"match on a number", `{"match":{"pages":"12"}}`, ""},
		{"match on a key of a flattened field", `{"match":{"labels.release":"v1"}}`, ""},
		{"match on an analyzer of the mapping", `{"match":{"code":{"query":"x","analyzer":"source_code"}}}`, ""},
		{"match with a list", `{"match":{"title":["a","b"]}}`, "malformed /match/title"},
		{"match with a list in the long form", `{"match":{"title":{"query":["a","b"]}}}`, "malformed /match/title/query"},
		{"match without a query", `{"match":{"title":{"operator":"and"}}}`, "malformed /match/title"},
		{"match with null", `{"match":{"title":null}}`, "malformed /match/title"},
		{"match without a field", `{"match":{}}`, "malformed /match"},
		{"match of a string", `{"match":"title"}`, "malformed /match"},
		{"match on two fields", `{"match":{"title":"a","body":"b"}}`, "malformed /match"},
		{"match with a boost beside", `{"match":{"title":"a","boost":2}}`, "malformed /match/boost"},
		{"match with an unknown parameter", `{"match":{"title":{"query":"a","slop":1}}}`, "unknown_key /match/title/slop"},
		{"match with a wrong fuzziness", `{"match":{"title":{"query":"a","fuzziness":3}}}`, "malformed /match/title/fuzziness"},
		{"match with lengths the wrong way round", `{"match":{"title":{"query":"a","fuzziness":"AUTO:6,3"}}}`, "malformed /match/title/fuzziness"},
		{"match with a wrong minimum", `{"match":{"title":{"query":"a","minimum_should_match":"most"}}}`, "malformed /match/title/minimum_should_match"},
		{"match with a negative boost", `{"match":{"title":{"query":"a","boost":-1}}}`, "malformed /match/title/boost"},
		{"match on an unknown field", `{"match":{"subject":"a"}}`, "unknown_field /match/subject"},
		{"match on a name in another spelling", `{"match":{"file_size":12}}`, "unknown_field* /match/file_size"},
		{"match of a word on a number", `{"match":{"pages":"many"}}`, "invalid_literal /match/pages"},
		{"match that is lenient with a word on a number", `{"match":{"pages":{"query":"many","lenient":true}}}`, "invalid_literal /match/pages/query"},
		{"match with fuzziness on a number", `{"match":{"pages":{"query":"12","fuzziness":1}}}`, "field_type /match/pages/query"},
		{"match on an object", `{"match":{"author":"a"}}`, "field_type /match/author"},
		{"match on what has no index", `{"match":{"dark":"a"}}`, "field_type /match/dark"},
		{"match on what has doc values alone", `{"match":{"slow":"a"}}`, ""},
		{"match in what is not enabled", `{"match":{"settings.colour":"a"}}`, "unknown_field /match/settings.colour"},
		{"match on a point", `{"match":{"place":"1,2"}}`, "field_type /match/place"},
		{"match on a vector", `{"match":{"vec":"1"}}`, "field_type /match/vec"},
		{"match of a pattern of fields", `{"match":{"tit*":"a"}}`, "unknown_field /match/tit*"},

		{"phrase", `{"match_phrase":{"title":{"query":"annual report","slop":2}}}`, ""},
		{"phrase on a keyword", `{"match_phrase":{"status":"open"}}`, ""},
		{"phrase with an operator", `{"match_phrase":{"title":{"query":"a b","operator":"and"}}}`, "unknown_key /match_phrase/title/operator"},
		{"phrase without positions", `{"match_phrase":{"bag":"a b"}}`, "field_type /match_phrase/bag"},
		{"phrase prefix", `{"match_phrase_prefix":{"title":{"query":"annual rep","max_expansions":10}}}`, ""},
		{"phrase prefix on a keyword", `{"match_phrase_prefix":{"status":"op"}}`, "field_type /match_phrase_prefix/status"},
		{"phrase prefix on a date", `{"match_phrase_prefix":{"createdAt":"2024"}}`, "field_type /match_phrase_prefix/createdAt"},
		{"bool prefix", `{"match_bool_prefix":{"title":"annual rep"}}`, ""},
		{"bool prefix on a keyword", `{"match_bool_prefix":{"status":"op"}}`, ""},

		{"multi_match", `{"multi_match":{"query":"annual","fields":["title^3","body"],"type":"cross_fields","tie_breaker":0.3}}`, ""},
		{"match of a long text with fuzziness", `{"match":{"title":{"query":"` + strings.Repeat("word ", 201) + `","fuzziness":"AUTO"}}}`, "too_expensive /match/title/query"},
		{"match of a long text", `{"match":{"title":{"query":"` + strings.Repeat("word ", 201) + `"}}}`, ""},
		{"multi_match on one field", `{"multi_match":{"query":"annual","fields":"title"}}`, ""},
		{"multi_match on all fields", `{"multi_match":{"query":"annual"}}`, ""},
		{"multi_match on a star", `{"multi_match":{"query":"annual","fields":["*"]}}`, ""},
		{"multi_match on a pattern", `{"multi_match":{"query":"annual","fields":["author.*"]}}`, ""},
		{"multi_match on a pattern of nothing", `{"multi_match":{"query":"annual","fields":["subject.*"]}}`, "unknown_field /multi_match/fields/0"},
		{"multi_match mends a name", `{"multi_match":{"query":"12","fields":["file-size^2","title"]}}`, "unknown_field* /multi_match/fields/0"},
		{"multi_match on an unknown field", `{"multi_match":{"query":"a","fields":["title","subject"]}}`, "unknown_field /multi_match/fields/1"},
		{"multi_match of a word with a number", `{"multi_match":{"query":"annual","fields":["title","pages"]}}`, "invalid_literal /multi_match/fields/1"},
		{"multi_match that is lenient", `{"multi_match":{"query":"annual","fields":["title","pages"],"lenient":true}}`, ""},
		{"multi_match of a phrase prefix on a keyword", `{"multi_match":{"query":"a","fields":["status"],"type":"phrase_prefix"}}`, "field_type /multi_match/fields/0"},
		{"multi_match without a query", `{"multi_match":{"fields":["title"]}}`, "malformed /multi_match"},
		{"multi_match on a nested field", `{"multi_match":{"query":"a","fields":["title","items.name"]}}`, "nested_path /multi_match/fields/1"},

		{"combined_fields", `{"combined_fields":{"query":"annual","fields":["title","body^2"],"operator":"and"}}`, ""},
		{"combined_fields on a keyword", `{"combined_fields":{"query":"annual","fields":["title","status"]}}`, "field_type /combined_fields/fields/1"},

		{"simple_query_string", `{"simple_query_string":{"query":"annual +report -draft","fields":["title^2","body"],"default_operator":"and","flags":"AND|NOT|PREFIX"}}`, ""},
		{"simple_query_string on all fields", `{"simple_query_string":{"query":"annual"}}`, ""},
		{"simple_query_string on one field", `{"simple_query_string":{"query":"a","fields":"title"}}`, "malformed /simple_query_string/fields"},
		{"simple_query_string of a prefix on a number", `{"simple_query_string":{"query":"12*","fields":["pages"]}}`, "field_type /simple_query_string/fields/0"},
		{"query_string", `{"query_string":{"query":"title:annual"}}`, "forbidden /query_string"},

		{"more_like_this", `{"more_like_this":{"like":"annual report","fields":["title","body"],"min_term_freq":1}}`, ""},
		{"more_like_this of a document", `{"more_like_this":{"like":[{"_id":"1"},"a"],"fields":["title"]}}`, ""},
		{"more_like_this of another index", `{"more_like_this":{"like":{"_index":"other","_id":"1"},"fields":["title"]}}`, "forbidden /more_like_this/like/_index"},
		{"more_like_this without fields", `{"more_like_this":{"like":"a"}}`, "malformed /more_like_this"},
		{"more_like_this on a number", `{"more_like_this":{"like":"a","fields":["pages"]}}`, "field_type /more_like_this/fields/0"},

		{"intervals", `{"intervals":{"title":{"all_of":{"ordered":true,"intervals":[{"match":{"query":"annual","max_gaps":0}},
			{"any_of":{"intervals":[{"prefix":{"prefix":"rep"}},{"fuzzy":{"term":"budgt"}}]}}]},"boost":2}}}`, ""},
		{"intervals with a filter", `{"intervals":{"title":{"match":{"query":"a","filter":{"not_containing":{"match":{"query":"b"}}}}}}}`, ""},
		{"intervals on a keyword", `{"intervals":{"status":{"match":{"query":"a"}}}}`, "field_type /intervals/status"},
		{"intervals with an unknown rule", `{"intervals":{"title":{"term":{"query":"a"}}}}`, "unknown_key /intervals/title/term"},
		{"intervals with a script", `{"intervals":{"title":{"match":{"query":"a","filter":{"script":{"source":"1"}}}}}}`, "script /intervals/title/match/filter/script"},
		{"intervals with a leading wildcard", `{"intervals":{"title":{"wildcard":{"pattern":"*a"}}}}`, "too_expensive /intervals/title/wildcard/pattern"},
	}))
}

func TestSpanQueries(t *testing.T) {
	runChecks(t, validator(t, nil), ofQueries([]checkCase{
		{"term", `{"span_term":{"title":"annual"}}`, ""},
		{"term with a capital", `{"span_term":{"title":"Annual"}}`, "field_type /span_term/title"},
		{"term on a keyword", `{"span_term":{"status":"open"}}`, "field_type /span_term/status"},
		{"near", `{"span_near":{"clauses":[{"span_term":{"title":"annual"}},{"span_gap":{"title":1}},{"span_or":{"clauses":[{"span_term":{"title":{"value":"report"}}}]}}],"slop":2,"in_order":true}}`, ""},
		{"near with masking", `{"span_near":{"clauses":[{"span_term":{"title":"a"}},{"field_masking_span":{"query":{"span_term":{"body":"b"}},"field":"title"}}],"slop":2}}`, ""},
		{"not", `{"span_not":{"include":{"span_term":{"title":"a"}},"exclude":{"span_term":{"title":"b"}},"pre":1,"post":1}}`, ""},
		{"first", `{"span_first":{"match":{"span_term":{"title":"a"}},"end":3}}`, ""},
		{"first without an end", `{"span_first":{"match":{"span_term":{"title":"a"}}}}`, "malformed /span_first"},
		{"containing", `{"span_containing":{"big":{"span_term":{"title":"a"}},"little":{"span_term":{"title":"a"}}}}`, ""},
		{"within", `{"span_within":{"big":{"span_term":{"title":"a"}},"little":{"span_term":{"title":"a"}}}}`, ""},
		{"multi", `{"span_multi":{"match":{"prefix":{"title":{"value":"ann"}}}}}`, ""},
	}))
}
