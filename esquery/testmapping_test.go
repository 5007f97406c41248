package esquery_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/qedkit/qed/esquery"
)

// docs is a mapping with a field of each kind, of documents in folders.
const docs = `{"docs": {"mappings": {"properties": {
	"title": {"type": "text", "fields": {"raw": {"type": "keyword"}, "sayt": {"type": "search_as_you_type"}}},
	"body": {"type": "text"},
	"code": {"type": "text", "analyzer": "source_code"},
	"bag": {"type": "text", "index_options": "docs"},
	"vectors": {"type": "text", "term_vector": "with_positions_offsets"},
	"status": {"type": "keyword"},
	"state": {"type": "alias", "path": "status"},
	"pattern": {"type": "wildcard"},
	"tenantId": {"type": "keyword"},
	"isPci": {"type": "boolean"},
	"pages": {"type": "integer"},
	"fileSize": {"type": "long"},
	"price": {"type": "scaled_float", "scaling_factor": 100},
	"createdAt": {"type": "date"},
	"dueDay": {"type": "date", "format": "yyyy-MM-dd"},
	"host": {"type": "ip"},
	"valid": {"type": "date_range"},
	"ages": {"type": "integer_range"},
	"nets": {"type": "ip_range"},
	"suggest": {"type": "completion"},
	"labels": {"type": "flattened"},
	"place": {"type": "geo_point"},
	"area": {"type": "geo_shape"},
	"plan": {"type": "shape"},
	"vec": {"type": "dense_vector", "dims": 3, "similarity": "cosine", "index": true},
	"rawVec": {"type": "dense_vector", "dims": 3, "index": false},
	"openVec": {"type": "knn_vector", "dimension": 3},
	"tokens": {"type": "sparse_vector"},
	"popularity": {"type": "rank_feature"},
	"topics": {"type": "rank_features"},
	"meaning": {"type": "semantic_text", "inference_id": "m"},
	"relation": {"type": "join", "relations": {"folder": "file", "file": ["note", "link"]}},
	"blob": {"type": "binary"},
	"dark": {"type": "keyword", "index": false, "doc_values": false},
	"slow": {"type": "keyword", "index": false},
	"settings": {"type": "object", "enabled": false},
	"author": {"properties": {
		"name": {"type": "text", "fields": {"keyword": {"type": "keyword"}}},
		"ssn": {"type": "keyword"},
		"email": {"type": "keyword"}}},
	"items": {"type": "nested", "properties": {
		"sku": {"type": "keyword"},
		"name": {"type": "text"},
		"qty": {"type": "integer"},
		"vec": {"type": "dense_vector", "dims": 3},
		"parts": {"type": "nested", "properties": {"no": {"type": "keyword"}}}}},
	"comments": {"type": "nested", "include_in_root": true, "properties": {"text": {"type": "text"}}}
}}}}`

// validator returns a Validator of docs.
func validator(tb testing.TB, opt *esquery.Options) *esquery.Validator {
	tb.Helper()
	m, err := esquery.ParseMapping([]byte(docs))
	if err != nil {
		tb.Fatal(err)
	}
	v, err := esquery.NewValidator(map[string]*esquery.Mapping{"docs": m}, opt)
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

// A checkCase is a body and the expected problems: "" for none, otherwise the code
// and the path of each, "field_type /query/term/title". A * after the code means
// that the problem is fixed.
type checkCase struct {
	name, body, want string
}

func runChecks(t *testing.T, v *esquery.Validator, cases []checkCase) {
	t.Helper()
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			report := v.Check("docs", []byte(tt.body))
			var want []string
			if tt.want != "" {
				want = strings.Split(tt.want, "; ")
			}
			var got []string
			corrected := true
			for _, p := range report.Problems {
				code := string(p.Code)
				if p.Fix != "" {
					code += "*"
				} else {
					corrected = false
				}
				got = append(got, code+" "+p.Path)
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("Check(%s): problems (-want +got):\n%s%v", tt.body, diff, report.Problems)
			}
			verdict := esquery.OK
			switch {
			case !corrected:
				verdict = esquery.Refused
			case len(want) > 0:
				verdict = esquery.Fixed
			}
			if report.Verdict != verdict {
				t.Errorf("Check(%s) = %s, want %s", tt.body, report.Verdict, verdict)
			}
			if verdict != esquery.Refused && !json.Valid(report.Body()) {
				t.Errorf("Check(%s): the body is no JSON: %s", tt.body, report.Body())
			}
		})
	}
}

// ofQueries turns the queries of the cases into bodies.
func ofQueries(cases []checkCase) []checkCase {
	for i := range cases {
		cases[i].body = `{"query":` + cases[i].body + `}`
		cases[i].want = strings.ReplaceAll(cases[i].want, " /", " /query/")
		if strings.HasSuffix(cases[i].want, " .") {
			cases[i].want = strings.TrimSuffix(cases[i].want, ".") + "/query"
		}
	}
	return cases
}
