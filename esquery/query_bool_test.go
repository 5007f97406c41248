package esquery_test

import (
	"strings"
	"testing"
)

func TestCompoundQueries(t *testing.T) {
	deep := strings.Repeat(`{"bool":{"must":`, 20) + `{"match_all":{}}` + strings.Repeat(`}}`, 20)
	many := `{"bool":{"should":[` + strings.Repeat(`{"match_all":{}},`, 1023) + `{"match_all":{}}]}}`
	v := validator(t, nil)
	runChecks(t, v, ofQueries([]checkCase{
		{"match_all", `{"match_all":{"boost":1.5}}`, ""},
		{"match_none", `{"match_none":{}}`, ""},
		{"match_all of null", `{"match_all":null}`, "malformed /match_all"},
		{"no query", `{}`, "malformed ."},
		{"two queries", `{"term":{"status":"a"},"match":{"title":"b"}}`, "malformed ."},
		{"null", `null`, "malformed ."},
		{"an array", `[{"match_all":{}}]`, "malformed ."},
		{"an unknown query", `{"mach":{"title":"a"}}`, "unknown_key /mach"},
		{"a field as a query", `{"status":"open"}`, "unknown_key /status"},
		{"a clause of bool as a query", `{"must":[{"match_all":{}}]}`, "unknown_key /must"},
		{"a query of long ago", `{"filtered":{"query":{"match_all":{}}}}`, "unknown_key /filtered"},

		{"bool", `{"bool":{"must":[{"match":{"title":"a"}}],"filter":{"term":{"status":"open"}},"should":[],"must_not":[{"exists":{"field":"blob2"}}],
			"minimum_should_match":"75%","adjust_pure_negative":true,"boost":1,"_name":"b"}}`, "unknown_field /bool/must_not/0/exists/field"},
		{"bool of nothing", `{"bool":{}}`, ""},
		{"bool with an unknown clause", `{"bool":{"filters":[{"match_all":{}}]}}`, "unknown_key /bool/filters"},
		{"bool with a bare field", `{"bool":{"must":{"status":"open"}}}`, "unknown_key /bool/must/status"},
		{"bool with an empty query", `{"bool":{"must":[{}]}}`, "malformed /bool/must/0"},
		{"bool with a string", `{"bool":{"must":"open"}}`, "malformed /bool/must"},
		{"bool with queries in one object", `{"bool":{"must":{"match_all":{},"term":{"status":"a"}}}}`, "malformed /bool/must"},
		{"bool that is an array", `{"bool":[{"match_all":{}}]}`, "malformed /bool"},
		{"bool that asks for more than there is", `{"bool":{"should":[{"match_all":{}}],"minimum_should_match":2}}`, "invalid_literal /bool/minimum_should_match"},
		{"bool with a minimum that is none", `{"bool":{"should":[{"match_all":{}}],"minimum_should_match":"1.5"}}`, "malformed /bool/minimum_should_match"},
		{"should next to must", `{"bool":{"must":[{"match_all":{}}],"should":[{"match_all":{}}]}}`, ""},
		{"should next to filter in a filter", `{"bool":{"filter":{"bool":{"filter":[{"match_all":{}}],"should":[{"match_all":{}}]}}}}`, "invalid_literal /bool/filter/bool/should"},
		{"should next to must in must_not", `{"bool":{"must_not":[{"bool":{"must":{"match_all":{}},"should":{"match_all":{}}}}]}}`, "invalid_literal /bool/must_not/0/bool/should"},
		{"should with a minimum in a filter", `{"bool":{"filter":{"bool":{"filter":[{"match_all":{}}],"should":[{"match_all":{}}],"minimum_should_match":0}}}}`, ""},
		{"should next to nothing in a filter", `{"bool":{"filter":{"bool":{"must":[],"must_not":{"match_all":{}},"should":[{"match_all":{}}]}}}}`, ""},
		{"no should next to must in a filter", `{"bool":{"filter":{"bool":{"must":[{"match_all":{}}],"should":[]}}}}`, ""},
		{"as deep as it may be", strings.Replace(strings.Replace(deep, `{"bool":{"must":`, "", 1), "}}", "", 1), ""},
		{"too deep", deep, "too_large " + strings.Repeat("/bool/must", 20)},
		{"too many clauses", many, "too_expensive /bool/should/1023"},

		{"boosting", `{"boosting":{"positive":{"match_all":{}},"negative":{"term":{"status":"a"}},"negative_boost":0.5}}`, ""},
		{"boosting without its boost", `{"boosting":{"positive":{"match_all":{}},"negative":{"term":{"status":"a"}}}}`, "malformed /boosting"},
		{"constant_score", `{"constant_score":{"filter":{"term":{"status":"a"}},"boost":2}}`, ""},
		{"constant_score with a query", `{"constant_score":{"query":{"term":{"status":"a"}}}}`, "unknown_key /constant_score"},
		{"constant_score of an array", `{"constant_score":{"filter":[{"term":{"status":"a"}}]}}`, "malformed /constant_score/filter"},
		{"dis_max", `{"dis_max":{"queries":[{"match_all":{}}],"tie_breaker":0.7}}`, ""},
		{"function_score", `{"function_score":{"field_value_factor":{"field":"pages"}}}`, "forbidden /function_score"},
		{"pinned", `{"pinned":{"ids":["1"],"organic":{"match_all":{}}}}`, "forbidden /pinned"},
		{"pinned from other indices", `{"pinned":{"docs":[{"_index":"x","_id":"1"}],"organic":{"match_all":{}}}}`, "forbidden /pinned"},
	}))
}
