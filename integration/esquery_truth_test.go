package integration_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/esquery/esclient"
	"github.com/qedkit/qed/refusal"
)

// A truthDoc is a document of an index whose true counts are known.
type truthDoc struct {
	title, state, at string // empty: the document does not have it
	n                int
}

func (d *truthDoc) json(i int) string {
	var members []string
	for _, m := range [...][2]string{{"title", d.title}, {"code", d.title}, {"state", d.state}, {"at", d.at}} {
		if m[1] != "" {
			members = append(members, fmt.Sprintf("%q:%q", m[0], m[1]))
		}
	}
	if d.at != "" {
		members = append(members, fmt.Sprintf(`"iso":%q,"day":"%s.%s.%s"`, d.at[:10], d.at[8:10], d.at[5:7], d.at[:4]))
	}
	return fmt.Sprintf(`{%s,"n":%d,"size":"%d","i":%d}`, strings.Join(append(members, `"x":1`), ","), d.n, d.n, i)
}

const truthMapping = `{"mappings":{"properties":{
	"title":{"type":"text","fields":{"key":{"type":"keyword","ignore_above":12}}},
	"code":{"type":"keyword","ignore_above":12},"state":{"type":"keyword"},"size":{"type":"keyword"},
	"day":{"type":"keyword"},"iso":{"type":"keyword"},
	"at":{"type":"date"},"month":{"type":"date","format":"yyyy-MM"},"n":{"type":"integer"},"i":{"type":"integer"},"x":{"type":"integer"},
	"flag":{"type":"boolean"},"ip":{"type":"ip"}}}}`

var truthDocs = []truthDoc{
	{"Tax", "OPEN", "2024-03-01T00:30:00Z", 5},
	{"The annual report", "open", "2024-03-15T10:00:00Z", 50},
	{"The annual plan", "R&D", "2024-03-31T23:30:00Z", 7},
	{"", "me@example.com", "2024-04-02T08:00:00Z", 100},
	{"Plan", "meXexample.com", "2023-12-31T12:00:00Z", 9},
	{"", "CLOSED", "", 1000},
}

// TestSearchTruth counts what a body asks for. A body that both engines answer with
// another number, without an error, is refused, or completed so that the number is right.
func TestSearchTruth(t *testing.T) {
	long, none := "The annual report", func(truthDoc) bool { return false }
	titled := func(title string) func(truthDoc) bool { return func(d truthDoc) bool { return d.title == title } }
	within := func(from, to string) func(truthDoc) bool {
		return func(d truthDoc) bool { return d.at != "" && from <= d.at && d.at < to }
	}
	stated := func(states ...string) func(truthDoc) bool {
		return func(d truthDoc) bool { return slices.Contains(states, d.state) }
	}
	numbered := func(from, to int) func(truthDoc) bool {
		return func(d truthDoc) bool { return from <= d.n && d.n <= to }
	}
	untitled := titled("")
	march, year := within("2024-03", "2024-04"), within("2024", "2025")
	const ok, fixed, refused = esquery.OK, esquery.Fixed, esquery.Refused
	cases := []struct {
		query  string
		expect esquery.Verdict
		truth  func(truthDoc) bool
	}{
		// ignore_above
		{`{"term":{"title.key":"` + long + `"}}`, refused, titled(long)},
		{`{"terms":{"code":["Tax","` + long + `"]}}`, refused, func(d truthDoc) bool { return d.title == "Tax" || d.title == long }},
		{`{"match":{"code":"` + long + `"}}`, refused, titled(long)},
		{`{"match_phrase":{"code":"` + long + `"}}`, refused, titled(long)},
		{`{"multi_match":{"query":"` + long + `","fields":["code"]}}`, refused, titled(long)},
		{`{"prefix":{"code":"The annual re"}}`, refused, titled(long)},
		{`{"wildcard":{"code":"The annual re*"}}`, refused, titled(long)},
		{`{"match_phrase":{"title":"` + long + `"}}`, ok, titled(long)},
		{`{"term":{"title.key":"Tax"}}`, ok, titled("Tax")},
		{`{"prefix":{"code":"Pla"}}`, ok, titled("Plan")},
		{`{"exists":{"field":"title.key"}}`, fixed, func(d truthDoc) bool { return d.title != "" }},
		{`{"bool":{"must_not":{"exists":{"field":"title.key"}}}}`, fixed, untitled},
		{`{"bool":{"must_not":[{"exists":{"field":"code"}}]}}`, refused, untitled},
		{`{"bool":{"must_not":{"bool":{"filter":{"exists":{"field":"code"}}}}}}`, refused, untitled},
		{`{"bool":{"must_not":{"exists":{"field":"title"}}}}`, ok, untitled},
		{`{"exists":{"field":"code"}}`, refused, func(d truthDoc) bool { return d.title != "" }},
		{`{"bool":{"filter":{"exists":{"field":"cod*"}}}}`, refused, func(d truthDoc) bool { return d.title != "" }},
		{`{"exists":{"field":"title.*"}}`, refused, func(d truthDoc) bool { return d.title != "" }},
		{`{"exists":{"field":"tit*"}}`, ok, func(d truthDoc) bool { return d.title != "" }},
		{`{"exists":{"field":"state"}}`, ok, func(truthDoc) bool { return true }},
		// patterns in the syntax of another query
		{`{"term":{"state":"OP*"}}`, refused, stated("OPEN")},
		{`{"term":{"state":"*"}}`, refused, func(truthDoc) bool { return true }},
		{`{"terms":{"state":["OP*","CLOSED"]}}`, refused, stated("OPEN", "CLOSED")},
		{`{"match":{"state":"*PEN"}}`, refused, stated("OPEN")},
		{`{"match":{"title":"annu*"}}`, refused, func(d truthDoc) bool { return strings.Contains(d.title, "annual") }},
		{`{"match_phrase_prefix":{"title":"annu*"}}`, ok, func(d truthDoc) bool { return strings.Contains(d.title, "annual") }},
		{`{"prefix":{"state":"OP*"}}`, refused, stated("OPEN")},
		{`{"prefix":{"state":"OP.*"}}`, refused, stated("OPEN")},
		{`{"prefix":{"state":"^OP"}}`, refused, stated("OPEN")},
		{`{"prefix":{"state":"OP"}}`, ok, stated("OPEN")},
		{`{"wildcard":{"state":"%OP%"}}`, refused, stated("OPEN")},
		{`{"wildcard":{"state":"OPEN|CLOSED"}}`, refused, stated("OPEN", "CLOSED")},
		{`{"wildcard":{"state":"^OPEN$"}}`, refused, stated("OPEN")},
		{`{"wildcard":{"state":"OP*"}}`, ok, stated("OPEN")},
		{`{"wildcard":{"state":{"value":"open","case_insensitive":true}}}`, ok, stated("OPEN", "open")},
		{`{"regexp":{"state":"OP*"}}`, refused, stated("OPEN")},
		{`{"regexp":{"state":"/OPEN/"}}`, refused, stated("OPEN")},
		{`{"regexp":{"state":"%OPEN%"}}`, refused, stated("OPEN")},
		{`{"regexp":{"state":"PEN"}}`, refused, stated("OPEN")},
		{`{"regexp":{"state":"OPEN|CLOSED"}}`, ok, stated("OPEN", "CLOSED")},
		{`{"regexp":{"state":"OPE.*?"}}`, ok, stated("OPEN")},
		// months and years
		{`{"term":{"at":"2024-03"}}`, fixed, march},
		{`{"match":{"at":"2024-03"}}`, fixed, march},
		{`{"terms":{"at":["2024-03","2023-12"]}}`, fixed, within("2023-12", "2024-04")}, // there is none in between
		{`{"term":{"at":"2024"}}`, fixed, year},
		{`{"term":{"at":{"value":"2024-03"}}}`, fixed, march},
		{`{"multi_match":{"query":"2024-03","fields":["at","title"]}}`, refused, march},
		{`{"range":{"at":{"gte":"2024-03","lte":"2024-03"}}}`, fixed, march},
		{`{"range":{"at":{"from":"2024-03","to":"2024-03"}}}`, refused, march},
		{`{"range":{"at":{"gt":"2024-03"}}}`, fixed, within("2024-04", "9")},
		{`{"range":{"at":{"gte":"2023","lte":"2023","format":"yyyy"}}}`, fixed, within("2023", "2024")},
		{`{"range":{"at":{"gte":"2024-03","lt":"2024-04"}}}`, ok, march},
		{`{"range":{"at":{"gte":"2024-03-01","lte":"2024-03-31"}}}`, ok, march},
		{`{"term":{"at":"2024-03||/M"}}`, ok, march},
		{`{"term":{"at":"2024-03-15"}}`, ok, within("2024-03-15", "2024-03-16")},
		{`{"match_phrase":{"at":"2024-03"}}`, fixed, march},
		{`{"simple_query_string":{"query":"2024-03","fields":["at"]}}`, refused, march},
		{`{"term":{"at":2024}}`, refused, year},
		{`{"terms":{"at":[2024]}}`, refused, year},
		{`{"range":{"at":{"gte":"03/2024","lte":"03/2024","format":"MM/yyyy"}}}`, fixed, march},
		{`{"range":{"at":{"gte":"03/2024","lt":"04/2024","format":"MM/yyyy"}}}`, ok, march},
		{`{"range":{"at":{"gte":"2024-03-15","lt":"2024-03-15"}}}`, refused, within("2024-03-15", "2024-03-16")},
		{`{"term":{"at":"2024-03-15T10"}}`, ok, within("2024-03-15T10", "2024-03-15T11")},
		// date formats
		{`{"range":{"at":{"gte":"2024-03-15","format":"yyyy-mm-dd"}}}`, refused, within("2024-03-15", "9")},
		{`{"range":{"at":{"gte":"15.03.2024","format":"dd.mm.yyyy"}}}`, refused, within("2024-03-15", "9")},
		{`{"range":{"at":{"gte":"2024-03-15 12:30","format":"yyyy-MM-dd hh:mm"}}}`, refused, within("2024-03-15T12:30", "9")},
		{`{"range":{"at":{"gte":"03-15","format":"MM-dd"}}}`, refused, none},
		{`{"range":{"at":{"gte":"10:30","format":"HH:mm"}}}`, refused, none},
		{`{"range":{"at":{"gte":"10:30:00","format":"hour_minute_second"}}}`, refused, none},
		{`{"range":{"at":{"gte":"2024-15","format":"yyyy-dd"}}}`, refused, none},
		{`{"range":{"at":{"gte":"15.03.2024","format":"dd.MM.yyyy"}}}`, ok, within("2024-03-15", "9")},
		{`{"range":{"at":{"gte":"24-03-15 10:00:00","format":"yy-MM-dd HH:mm:ss"}}}`, ok, within("2024-03-15T10:00:00", "9")},
		{`{"range":{"at":{"gte":1710460800000,"format":"epoch_second"}}}`, refused, within("2024-03-15", "9")},
		{`{"range":{"at":{"gte":1710460800,"format":"epoch_second"}}}`, ok, within("2024-03-15", "9")},
		{`{"range":{"at":{"gte":1710460800}}}`, refused, within("2024-03-15", "9")},
		{`{"range":{"at":{"gte":"2024-03-15 10 PM","format":"yyyy-MM-dd hh a"}}}`, ok, within("2024-03-15T22", "9")},
		// regular expressions
		{`{"regexp":{"state":"^OPEN$"}}`, refused, stated("OPEN")},
		{`{"regexp":{"state":"OPEN$"}}`, refused, stated("OPEN")},
		{`{"regexp":{"state":"^(OPEN|CLOSED)"}}`, refused, stated("OPEN", "CLOSED")},
		{`{"regexp":{"state":"(?i)open"}}`, refused, stated("OPEN", "open")},
		{`{"regexp":{"state":"(?:OPEN)"}}`, refused, stated("OPEN")},
		{`{"regexp":{"state":"R&D"}}`, refused, stated("R&D")},
		{`{"regexp":{"state":"me@example.com"}}`, refused, stated("me@example.com")},
		{`{"regexp":{"state":"o[[:alpha:]]+"}}`, refused, stated("open")},
		{`{"regexp":{"state":"R\\&D"}}`, ok, stated("R&D")},
		{`{"regexp":{"state":"me\\@example\\.com"}}`, ok, stated("me@example.com")},
		{`{"regexp":{"state":"o[a-z\\d]+"}}`, ok, stated("open")},
		{`{"regexp":{"state":{"value":"open","case_insensitive":true}}}`, ok, stated("OPEN", "open")},
		// numbers in keywords
		{`{"range":{"size":{"gte":10}}}`, refused, numbered(10, 10_000)},
		{`{"range":{"size":{"gte":"10","lte":"99"}}}`, refused, numbered(10, 99)},
		{`{"range":{"size":{"gte":" 9"}}}`, refused, numbered(9, 10_000)},
		{`{"range":{"size":{"gte":"1,000"}}}`, refused, numbered(1000, 10_000)},
		{`{"range":{"size":{"gte":"9","format":"0"}}}`, refused, numbered(9, 10_000)},
		{`{"range":{"day":{"gte":"10.03.2024","lt":"01.04.2024"}}}`, refused, within("2024-03-10", "2024-04")},
		{`{"range":{"iso":{"gte":"2024-03-10","lt":"2024-04"}}}`, ok, within("2024-03-10", "2024-04")},
		{`{"range":{"n":{"gte":"10","lte":"99"}}}`, ok, numbered(10, 99)},
		{`{"range":{"state":{"gte":"a","lt":"n"}}}`, ok, stated("me@example.com", "meXexample.com")},
	}
	eachEngine(t, func(t *testing.T, url string) {
		const index = "truth"
		newIndex(t, url, index, truthMapping)
		fillIndex(t, url, index, len(truthDocs), func(i int) string { return truthDocs[i].json(i) })
		c := esClient(t, url, esclient.Options{})
		v := truthValidator(t, c, index)
		engine := &searchEngine{url: url}
		for _, tt := range cases {
			body := `{"query":` + tt.query + `}`
			truth := int64(0)
			for _, d := range truthDocs {
				if tt.truth(d) {
					truth++
				}
			}
			report := v.Check(index, []byte(body))
			if report.Verdict != tt.expect {
				t.Errorf("%s is %s, want %s: %v", body, report.Verdict, tt.expect, report.Problems)
				continue
			}
			if tt.expect != ok {
				written := engine.search(t, index, []byte(body))
				if written.err == "" && fmt.Sprint(written.says["hits"].(map[string]any)["total"].(map[string]any)["value"]) == fmt.Sprint(truth) {
					t.Errorf("%s is %s, but the engine answers it right", body, report.Verdict)
				}
			}
			if s, err := report.Search(); err == nil {
				if got, err := c.Count(t.Context(), s); err != nil || got != truth {
					t.Errorf("%s: %d documents are found as %s, want %d: %v", body, got, s.Body(), truth, err)
				}
			}
		}
	})
}

// The documents that a missing aggregation counts are those without a value.
func TestSearchMissing(t *testing.T) {
	eachEngine(t, func(t *testing.T, url string) {
		newIndex(t, url, "truth", truthMapping)
		fillIndex(t, url, "truth", len(truthDocs), func(i int) string { return truthDocs[i].json(i) })
		c := esClient(t, url, esclient.Options{})
		v := truthValidator(t, c, "truth")
		s, err := v.Check("truth", []byte(`{"size":0,"aggs":{"none":{"missing":{"field":"title.key"}}}}`)).Search()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := c.Search(t.Context(), s); err != nil || !strings.Contains(string(got.Aggregations), `"doc_count":2`) {
			t.Errorf("%s, %v", got.Aggregations, err)
		}
		if report := v.Check("truth", []byte(`{"size":0,"aggs":{"none":{"missing":{"field":"code"}}}}`)); report.Verdict != esquery.Refused {
			t.Errorf("%+v", report)
		}
	})
}

// What an engine rejects, and an empty index can answer with nothing, is refused.
func TestSearchEmptyIndex(t *testing.T) {
	eachEngine(t, func(t *testing.T, url string) {
		newIndex(t, url, "truth", truthMapping)
		v := truthValidator(t, esClient(t, url, esclient.Options{}), "truth")
		for _, query := range []string{
			`{"range":{"at":{"gte":"March 2024"}}}`, `{"range":{"at":{"gte":"15.03.2024"}}}`, `{"range":{"at":{"gte":"2024-02-30"}}}`,
			`{"range":{"at":{"gte":"now-1month"}}}`, `{"range":{"at":{"gte":"2024-01-01||+1 d"}}}`, `{"range":{"at":{"lt":"now/Q"}}}`,
			`{"term":{"flag":"yes"}}`, `{"term":{"flag":1}}`, `{"term":{"ip":"10.0.0.300"}}`, `{"range":{"ip":{"gte":"10.0.0.0/8"}}}`,
			`{"term":{"n":true}}`,
		} {
			if report := v.Check("truth", []byte(`{"query":`+query+`}`)); report.Verdict != esquery.Refused {
				t.Errorf("%s is %s", query, report.Verdict)
			}
		}
	})
}

// Indices that are searched by one name, and read a field differently, would answer in
// part. A search of such a field is refused, and names both; each index alone answers.
func TestSearchDifferingIndices(t *testing.T) {
	const plain = `{"mappings":{"dynamic":false,"properties":{"same":{"type":"keyword"},"wide":{"type":"integer"},%s}}}`
	bodies := func(field, value string) []string {
		return []string{
			`{"query":{"term":{"` + field + `":"` + value + `"}}}`, `{"query":{"terms":{"` + field + `":["` + value + `"]}}}`,
			`{"query":{"prefix":{"` + field + `":"` + value + `"}}}`, `{"query":{"match":{"` + field + `":"` + value + `"}}}`,
			`{"query":{"range":{"` + field + `":{"gte":"` + value + `","lte":"` + value + `"}}}}`,
			`{"query":{"multi_match":{"query":"` + value + `","fields":["` + field[:2] + `*"]}}}`,
			`{"size":0,"aggs":{"a":{"cardinality":{"field":"` + field + `"}}}}`, `{"sort":["` + field + `"]}`,
		}
	}
	for _, tt := range []struct{ name, first, second, field, value string }{
		{"types", `"status":{"type":"keyword"}`, `"status":{"type":"text"}`, "status", "Open"},
		{"numbers", `"status":{"type":"integer"}`, `"status":{"type":"keyword"}`, "status", "5"},
		{"fractions", `"status":{"type":"long"}`, `"status":{"type":"double"}`, "status", "5"},
		{"formats", `"status":{"type":"date","format":"dd/MM/yyyy"}`, `"status":{"type":"date","format":"MM/dd/yyyy"}`, "status", "02/03/2024"},
		{"analyzers", `"status":{"type":"text"}`, `"status":{"type":"text","analyzer":"keyword"}`, "status", "Open"},
		{"a multi-field", `"status":{"type":"keyword"}`, `"status":{"type":"text","fields":{"keyword":{"type":"keyword"}}}`, "status.keyword", "Open"},
		{"a field that is not indexed", `"status":{"type":"keyword"}`, `"other":{"type":"keyword"}`, "status", "Open"},
		{"an alias", `"status":{"type":"keyword"},"st":{"type":"alias","path":"status"}`, `"status":{"type":"keyword"}`, "st", "Open"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			eachEngine(t, func(t *testing.T, url string) {
				names := []string{"differ-1", "differ-2"}
				for i, properties := range []string{tt.first, tt.second} {
					newIndex(t, url, names[i], fmt.Sprintf(plain, properties))
					fillIndex(t, url, names[i], 1, func(int) string { return `{"same":"x","wide":300,"status":"` + tt.value + `"}` })
				}
				askEngine(t, http.MethodPost, url+"/_aliases", `{"actions":[{"add":{"indices":["differ-1","differ-2"],"alias":"differ"}}]}`)
				c := esClient(t, url, esclient.Options{})
				v := truthValidator(t, c, "differ", "differ-1")
				for _, body := range bodies(tt.field, tt.value) {
					_, err := v.Check("differ", []byte(body)).Search()
					refused, ok := errors.AsType[*refusal.Error](err)
					if !ok {
						t.Errorf("%s is not refused: %v", body, err)
					} else if text := fmt.Sprint(refused.Problems); !strings.Contains(text, `"differ-1"`) || !strings.Contains(text, `"differ-2"`) {
						t.Errorf("%s: %v", body, err)
					}
				}
				s, err := v.Check("differ", []byte(`{"query":{"term":{"same":"x"}}}`)).Search()
				if err != nil {
					t.Fatal(err)
				}
				if n, err := c.Count(t.Context(), s); n != 2 || err != nil {
					t.Errorf("%d documents are found by a field that is alike, %v", n, err)
				}
			})
		})
	}
}

// truthValidator returns a Validator of indices and aliases as the engine has them.
func truthValidator(t *testing.T, c *esclient.Client, names ...string) *esquery.Validator {
	t.Helper()
	indices := map[string]*esquery.Mapping{}
	for _, name := range names {
		mapping, err := c.Mapping(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		indices[name] = mapping
	}
	v, err := esquery.NewValidator(indices, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A closed index is gone, as a missing one is: no other search would help.
func TestSearchClosedIndex(t *testing.T) {
	eachEngine(t, func(t *testing.T, url string) {
		newIndex(t, url, "closed", truthMapping)
		newIndex(t, url, "open", truthMapping)
		askEngine(t, http.MethodPost, url+"/_aliases", `{"actions":[{"add":{"indices":["closed","open"],"alias":"both"}}]}`)
		c := esClient(t, url, esclient.Options{})
		alone, both := searchOf(t, c, "closed", `{}`, nil), searchOf(t, c, "both", `{}`, nil)
		askEngine(t, http.MethodPost, url+"/closed/_close", "")
		for _, s := range []*esquery.Search{alone, both} {
			_, err := c.Search(t.Context(), s)
			if !errors.Is(err, esquery.ErrNotFound) || !strings.Contains(err.Error(), "open the index") {
				t.Errorf("%s: %v", s.Index(), err)
			}
		}
	})
}

// Values longer than ignore_above are not in the index. A search that could match them
// says so, if documents have such values and match its other conditions.
func TestSearchLongValues(t *testing.T) {
	eachEngine(t, func(t *testing.T, url string) {
		newIndex(t, url, "truth", truthMapping)
		fillIndex(t, url, "truth", len(truthDocs), func(i int) string { return truthDocs[i].json(i) })
		c := esClient(t, url, esclient.Options{})
		v := truthValidator(t, c, "truth")
		for body, want := range map[string]int64{ // documents that are not found; -1: it is certain that there are none
			`{"query":{"prefix":{"code":"The"}}}`:                                                        2,
			`{"query":{"prefix":{"title.key":"The"}}}`:                                                   2,
			`{"query":{"wildcard":{"code":"The*"}}}`:                                                     2,
			`{"query":{"regexp":{"title.key":"The.+"}}}`:                                                 2,
			`{"query":{"fuzzy":{"code":"The"}}}`:                                                         2,
			`{"query":{"range":{"code":{"gte":"Q"}}}}`:                                                   2,
			`{"size":0,"aggs":{"a":{"terms":{"field":"title.key"}}}}`:                                    2,
			`{"size":0,"query":{"term":{"state":"open"}},"aggs":{"a":{"cardinality":{"field":"code"}}}}`: 1,
			`{"query":{"bool":{"filter":[{"prefix":{"code":"The"}},{"term":{"state":"open"}}]}}}`:        1,
			`{"query":{"bool":{"filter":[{"prefix":{"code":"Pla"}},{"term":{"state":"OPEN"}}]}}}`:        0,
			`{"query":{"prefix":{"code":"Pla"}},"post_filter":{"range":{"n":{"gte":60}}}}`:               0,
			`{"query":{"term":{"code":"Plan"}}}`:                                                         -1,
			`{"query":{"prefix":{"state":"O"}}}`:                                                         -1,
			`{"query":{"match":{"title":"annual"}}}`:                                                     -1,
		} {
			s, err := v.Check("truth", []byte(body)).Search()
			if err != nil {
				t.Errorf("%s: %v", body, err)
				continue
			}
			if strings.Contains(body, `"code"`) && strings.HasSuffix(t.Name(), "OpenSearch") {
				want = min(want, 0) // it does not record the long values of a keyword
			}
			got, unindexed := int64(-1), s.Unindexed()
			if unindexed != nil {
				if got, err = c.Count(t.Context(), unindexed.Search); err != nil {
					t.Errorf("%s: %v", body, err)
				}
			}
			if got != want || unindexed != nil && unindexed.Limit != 12 {
				t.Errorf("%s lacks %d documents, want %d", body, got, want)
			}
		}
	})
}
