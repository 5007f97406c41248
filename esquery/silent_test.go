package esquery_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/qedkit/qed/esquery"
)

// Searches that both engines answer with the wrong documents and without an error are
// refused, or completed. What looks like them and is right is left alone.
func TestSilentlyWrong(t *testing.T) {
	m := parse(t, `{"docs":{"mappings":{"properties":{
		"name":{"type":"text","fields":{"key":{"type":"keyword","ignore_above":8}}},"code":{"type":"keyword","ignore_above":8},
		"labels":{"type":"flattened","ignore_above":8},"status":{"type":"keyword"},"at":{"type":"date"},
		"month":{"type":"date","format":"yyyy-MM"},"run":{"type":"date","format":"yyyyMMddHHmmssSSS"},"german":{"type":"date","format":"d. MMMM yyyy||yyyy"},
		"flag":{"type":"boolean"},"ip":{"type":"ip"},"nets":{"type":"ip_range"},"n":{"type":"integer"},"ages":{"type":"integer_range"},
		"span":{"type":"date_range"},"vec":{"type":"dense_vector","dims":3}}}}}`)
	v, err := esquery.NewValidator(map[string]*esquery.Mapping{"docs": m}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range []struct{ name, queries string }{
		{"", `{"term":{"name.key":"12345678"}}
			{"term":{"code":"Größe…äö"}} {"prefix":{"code":"12345678"}} {"wildcard":{"code":"1234*5678*"}} {"fuzzy":{"code":"1234567890"}}
			{"match_phrase":{"name":"a longer name"}} {"exists":{"field":"na*"}} {"bool":{"must_not":{"exists":{"field":"status"}}}}
			{"term":{"status":"M*A*S*H"}} {"term":{"status":"2 * 3"}} {"wildcard":{"status":"5\\*"}} {"match_phrase_prefix":{"name":"annu*"}}
			{"wildcard":{"status":{"value":"open","case_insensitive":true}}} {"regexp":{"status":"x[y]*\\d*z.?"}}
			{"multi_match":{"query":"a longer name","fields":["name","code"]}}
			{"term":{"at":"2024-03-15"}} {"term":{"at":"2024-03-15T10"}} {"term":{"at":"2024-03||/M"}} {"term":{"at":"now/d"}} {"term":{"at":1704153600000}}
			{"range":{"at":{"gte":"2024","lt":"2025"}}}
			{"range":{"at":{"gte":"2024-03-15T10:00+01:00"}}} {"range":{"at":{"gte":"2024-03-15T10:00:00.123456789Z"}}} {"range":{"at":{"gte":"-86400000"}}}
			{"range":{"run":{"gte":"20240315103005123"}}} {"range":{"german":{"gte":"2. Januar 2024"}}} {"range":{"at":{"gte":"now-1d/d"}}} {"range":{"at":{"gte":"2024-03-15||-1M/M"}}}
			{"range":{"at":{"gte":"15.03.2024 10:30","format":"dd.MM.yyyy HH:mm"}}}
			{"range":{"at":{"gte":"2024-03-15","format":"strict_date"}}} {"range":{"at":{"gte":"20240315","format":"basic_date"}}}
			{"regexp":{"status":"op[e\\d]n(a|b)\\..{2}"}} {"regexp":{"status":"a[$^@]b"}} {"regexp":{"status":"a\\$"}}
			{"range":{"status":{"gte":"nowhere","lt":"now or later"}}} {"range":{"status":{"gte":"2024-03-05T10:00"}}} {"range":{"status":{"gte":"12b","lt":"5 kings"}}}
			{"range":{"status":{"gte":"a","lt":"b"}}} {"range":{"status":{"gte":"2024-01-01"}}} {"range":{"labels.x":{"gte":"a","lt":"b"}}}
			{"term":{"flag":"true"}} {"term":{"flag":false}} {"term":{"ip":"10.0.0.0/8"}} {"range":{"ip":{"gte":"2001:db8::1"}}} {"term":{"nets":"10.0.0.1"}}
			{"range":{"ages":{"gte":"10"}}}`},
		{"invalid_literal", `{"term":{"name.key":"123456789"}}
			{"terms":{"code":["a","123456789"]}} {"match":{"code":"123456789"}} {"match_phrase":{"code":"123456789"}} {"prefix":{"code":"123456789"}}
			{"wildcard":{"code":"1234*56789"}} {"fuzzy":{"code":"12345678901"}} {"term":{"labels.x":"123456789"}} {"term":{"labels":"123456789"}}
			{"multi_match":{"query":"123456789","fields":["code"]}}
			{"multi_match":{"query":"2024-03","fields":["at","name"]}}
			{"range":{"at":{"gte":"2024-03-15","format":"yyyy-mm-dd"}}} {"range":{"at":{"gte":"2024-075","format":"yyyy-DDD"}}} {"range":{"at":{"gte":"03-15","format":"MM-dd"}}} {"range":{"at":{"gte":"10:30","format":"HH:mm"}}}
			{"range":{"at":{"gte":"10:30:00","format":"hour_minute_second"}}} {"range":{"at":{"gte":"2024-15","format":"yyyy-dd"}}}
			{"range":{"at":{"gte":"2024-03-15 01:00","format":"yyyy-MM-dd hh:mm"}}} {"range":{"at":{"gte":"2024-03-15 10:30","format":"yyyy-MM-dd HH:MM"}}}
			{"range":{"at":{"gte":"2024-03-15 10:30:05","format":"yyyy-MM-dd HH:mm:SS"}}}
			{"regexp":{"status":"^open"}} {"regexp":{"status":"open$"}} {"regexp":{"status":"o(?i)pen"}} {"regexp":{"status":"a(?=b)"}} {"regexp":{"status":"a\\b"}}
			{"regexp":{"status":"a[[:alpha:]]"}} {"regexp":{"status":"a@b"}} {"regexp":{"status":"R&D"}} {"regexp":{"status":"a~b"}} {"regexp":{"status":"a<1-5>"}}
			{"regexp":{"status":"a#"}} {"regexp":{"status":"a\"b\""}}
			{"regexp":{"status":"open"}} {"regexp":{"status":"/open/"}} {"regexp":{"status":"%open%"}} {"regexp":{"status":"op*"}}
			{"wildcard":{"status":"open"}} {"wildcard":{"status":"%op%"}} {"wildcard":{"status":"open|closed"}}
			{"prefix":{"status":"op*"}} {"prefix":{"status":"op.*"}} {"prefix":{"status":"^op"}}
			{"term":{"status":"op*"}} {"term":{"status":"*"}} {"terms":{"status":["op.*","x"]}} {"match":{"status":"*pen"}} {"match":{"name":"annu* report"}}
			{"range":{"status":{"gte":"01.03.2024"}}} {"range":{"status":{"gte":" 9"}}} {"range":{"status":{"lt":"1,000"}}} {"range":{"code":{"gte":"3/1/24"}}}
			{"range":{"status":{"gte":"now-7d/d"}}} {"range":{"labels.x":{"lt":"now"}}} {"range":{"code":{"gte":"2024||/M"}}}
			{"range":{"status":{"gte":"2024-3-5"}}} {"range":{"status":{"gte":"2024-03-5"}}} {"range":{"status":{"lt":"$5"}}} {"range":{"status":{"gte":"5 kg"}}} {"range":{"status":{"gte":"7.5%"}}}
			{"range":{"at":{"gte":1710460800000,"format":"epoch_second"}}} {"range":{"at":{"gte":"2024-03-15","lt":"2024-03-15"}}}
			{"range":{"status":{"gte":5}}} {"range":{"status":{"lt":"5.5"}}} {"range":{"labels.x":{"gte":"5","lte":"b"}}} {"range":{"code":{"gte":"-1"}}}
			{"range":{"at":{"gte":"15.03.2024"}}} {"range":{"at":{"gte":"2024-02-30"}}} {"range":{"at":{"gte":"today"}}} {"range":{"at":{"gte":"now-1month"}}}
			{"range":{"at":{"gte":"now/Q"}}} {"range":{"at":{"gte":"2024-01-01||+1 d"}}} {"range":{"at":{"gte":""}}} {"range":{"at":{"gte":true}}} {"match":{"at":"last week"}}
			{"term":{"span":"tomorrow"}} {"term":{"flag":"yes"}} {"term":{"flag":1}} {"term":{"flag":""}} {"match":{"flag":{"query":"on","lenient":true}}}
			{"term":{"ip":"10.0.0.300"}} {"term":{"ip":"10.0.0.01"}} {"range":{"ip":{"gte":"10.0.0.0/8"}}} {"term":{"nets":"10.0.0.0/8"}}
			{"term":{"n":true}} {"range":{"ages":{"gte":"ten"}}}`},
		{"invalid_literal*", `{"term":{"at":"2024-03"}} {"match":{"at":"2024"}} {"terms":{"at":["2024-03"]}} {"range":{"at":{"lte":"2024-03"}}}
			{"range":{"at":{"gt":"2024"}}}
			{"range":{"at":{"lte":"2024","format":"yyyy"}}} {"range":{"at":{"lte":2024,"format":"yyyy"}}} {"term":{"month":"2024-03"}} {"term":{"span":"2024-03"}}`},
		{"field_type", `{"exists":{"field":"code"}} {"exists":{"field":"cod*"}} {"exists":{"field":"name.*"}} {"exists":{"field":"labels"}}
			{"bool":{"must_not":{"exists":{"field":"code"}}}} {"bool":{"must_not":[{"bool":{"should":[{"exists":{"field":"code"}}]}}]}}`},
		{"field_type*", `{"exists":{"field":"name.key"}} {"bool":{"must_not":{"exists":{"field":"name.key"}}}}`},
	} {
		for query := range strings.FieldsFuncSeq(strings.ReplaceAll(group.queries, "} {", "}\n{"), func(r rune) bool { return r == '\n' }) {
			body := `{"query":` + strings.TrimSpace(query) + `}`
			report := v.Check("docs", []byte(body))
			got := ""
			if len(report.Problems) == 1 {
				got = string(report.Problems[0].Code)
				if report.Problems[0].Fix != "" {
					got += "*"
				}
			}
			if got != group.name || len(report.Problems) > 1 {
				t.Errorf("%s: %q, want %q: %v", body, got, group.name, report.Problems)
			}
		}
	}
	for _, filter := range []string{`{"bool":{"must_not":{"exists":{"field":"name.key"}}}}`, `{"bool":{"must_not":{"term":{"code":"123456789"}}}}`} {
		if _, err := v.Filtered([]byte(filter)); !errors.Is(err, esquery.ErrFilter) {
			t.Errorf("the filter %s: %v", filter, err)
		}
	}
	runChecks(t, v, []checkCase{
		{"include", `{"aggs":{"a":{"terms":{"field":"status","include":"^op.*"}}}}`, "invalid_literal /aggs/a/terms/include"},
		{"missing", `{"aggs":{"a":{"missing":{"field":"name.key"},"aggs":{"b":{"sum":{"field":"n"}}}}}}`, "field_type* /aggs/a/missing"},
		{"a list of patterns", `{"aggs":{"a":{"terms":{"field":"status","include":["op*"]}}}}`, "invalid_literal /aggs/a/terms/include/0"},
		{"a pattern as a wildcard", `{"aggs":{"a":{"terms":{"field":"status","include":"op*"}}}}`, "invalid_literal /aggs/a/terms/include"},
		{"a value", `{"aggs":{"a":{"terms":{"field":"status","exclude":"open"}}}}`, ""},
		{"a month from itself to itself", `{"aggs":{"a":{"date_range":{"field":"at","ranges":[{"from":"2024-03","to":"2024-03"}]}}}}`, "invalid_literal /aggs/a/date_range/ranges/0"},
		{"a month", `{"aggs":{"a":{"date_range":{"field":"at","ranges":[{"from":"2024-03","to":"2024-04"}]}}}}`, ""},
		{"missing without another field", `{"aggs":{"a":{"missing":{"field":"code"}}}}`, "field_type /aggs/a/missing"},
		{"a format without a year that is only printed", `{"aggs":{"a":{"date_histogram":{"field":"at","calendar_interval":"day","format":"HH:mm","min_doc_count":1}}}}`, ""},
		{"minutes that are printed for months", `{"aggs":{"a":{"date_histogram":{"field":"at","calendar_interval":"month","format":"yyyy-mm","min_doc_count":1}}}}`, "invalid_literal /aggs/a/date_histogram/format"},
		{"bounds of date ranges", `{"aggs":{"a":{"date_range":{"field":"at","ranges":[{"from":"March"}]}}}}`, "invalid_literal /aggs/a/date_range/ranges/0/from"},
	})
}

// A field that the indices of a mapping read differently is refused, with what both say.
func TestDifferingIndices(t *testing.T) {
	const both = `{"a":{"mappings":{"properties":{%s}}},"b":{"mappings":{"dynamic":%s,"properties":{%s}}}}`
	for _, tt := range []struct {
		name, first, second, dynamic string
		field                        string
		says                         []string // empty: the field can be searched
	}{
		{"the same", `"f":{"type":"keyword"}`, `"f":{"type":"keyword","ignore_above":99}`, "true", "f", nil},
		{"whole numbers", `"f":{"type":"long"}`, `"f":{"type":"integer"}`, "true", "f", nil},
		{"one has no such field", `"f":{"type":"keyword"}`, `"g":{"type":"keyword"}`, "true", "f", nil},
		{"an alias of the same", `"f":{"type":"keyword"}`, `"g":{"type":"keyword"},"f":{"type":"alias","path":"g"}`, "true", "f", nil},
		{"types", `"f":{"type":"keyword"}`, `"f":{"type":"text"}`, "true", "f", []string{`keyword in "a"`, `text in "b"`}},
		{"numbers", `"f":{"type":"long"}`, `"f":{"type":"double"}`, "true", "f", []string{`long in "a"`, `double in "b"`}},
		{"formats", `"f":{"type":"date"}`, `"f":{"type":"date","format":"yyyy"}`, "true", "f", []string{`date in "a"`, `date with format "yyyy" in "b"`}},
		{"analyzers", `"f":{"type":"text"}`, `"f":{"type":"text","analyzer":"german"}`, "true", "f", []string{`analyzer "german"`}},
		{"normalizers", `"f":{"type":"keyword","normalizer":"low"}`, `"f":{"type":"keyword"}`, "true", "f", []string{`normalizer "low"`}},
		{"not indexed", `"f":{"type":"keyword"}`, `"g":{"type":"keyword"}`, "false", "f", []string{`not indexed in "b"`}},
		{"a multi-field", `"f":{"type":"keyword"}`, `"f":{"type":"text","fields":{"k":{"type":"keyword"}}}`, "true", "f.k", []string{`missing in "a"`, `keyword in "b"`}},
		{"an object", `"f":{"properties":{"x":{"type":"keyword"}}}`, `"f":{"type":"keyword"}`, "true", "f", []string{`object in "a"`}},
		{"a nested object", `"f":{"properties":{"x":{"type":"keyword"}}}`, `"f":{"type":"nested","properties":{"x":{"type":"keyword"}}}`, "true", "f.x", []string{`in nested "f" in "b"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := parse(t, fmt.Sprintf(both, tt.first, tt.dynamic, tt.second))
			v, err := esquery.NewValidator(map[string]*esquery.Mapping{"docs": m, "a": m}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if tt.name == "types" {
				report := v.Check("docs", []byte(`{"query":{"multi_match":{"query":"a"}}}`))
				if report.Verdict != esquery.Refused {
					t.Errorf("a search of all fields is %s", report.Verdict)
				}
			}
			for _, body := range []string{`{"query":{"term":{"%s":"2024"}}}`, `{"query":{"terms":{"%s":["2024"]}}}`, `{"sort":["%s"]}`, `{"aggs":{"n":{"cardinality":{"field":"%s"}}}}`} {
				body = fmt.Sprintf(body, tt.field)
				report := v.Check("docs", []byte(body))
				if (report.Verdict != esquery.Refused) != (tt.says == nil) {
					t.Errorf("%s is %s: %v", body, report.Verdict, report.Problems)
				}
				for _, text := range tt.says {
					if !strings.Contains(report.Problems[0].Message, text) {
						t.Errorf("%s: %s, which lacks %s", body, report.Problems[0].Message, text)
					}
				}
			}
			filter := fmt.Sprintf(`{"term":{"%s":"2024"}}`, tt.field)
			if _, err := v.Filtered([]byte(filter)); errors.Is(err, esquery.ErrFilter) != (tt.says != nil) {
				t.Errorf("the filter %s: %v", filter, err)
			}
		})
	}
}
