package searchagent_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/query"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/searchagent"
)

// ships is an index whose engine returns these figures, as Elasticsearch 8.19 does.
func ships(t testing.TB, figures string) query.Source {
	t.Helper()
	m, err := esquery.ParseMapping([]byte(`{"properties":{"port":{"type":"keyword"},"carrier":{"type":"keyword"},"late":{"type":"boolean"},
		"delay":{"type":"double"},"at":{"type":"date"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	v, err := esquery.NewValidator(map[string]*esquery.Mapping{"ships": m}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := searchagent.NewSource("ships", &engine{answers: []answer{{total: 40, figures: figures}}}, v, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestFiguresOfASource(t *testing.T) {
	const terms = `"sum_other_doc_count":0,"doc_count_error_upper_bound":0,`
	for _, tt := range []struct {
		name, asked, got string
		columns          string // with spaces between
		rows             [][]any
		more             bool
		partial          string // a part of it; empty: there is none
	}{
		// Numbers have texts next to them.
		{
			name: "booleans", asked: `{"share":{"avg":{"field":"late"}},"n":{"sum":{"field":"late"}},"s":{"stats":{"field":"late"}}}`,
			got: `{"share":{"value":0.675,"value_as_string":"true"},"n":{"value":27.0,"value_as_string":"true"},
				"s":{"count":40,"min":0.0,"max":1.0,"avg":0.675,"sum":27.0,"min_as_string":false,"max_as_string":true,"avg_as_string":true,"sum_as_string":true}}`,
			columns: "n s.avg s.count s.max s.min s.sum share", rows: [][]any{{27.0, 0.675, int64(40), 1.0, 0.0, 27.0, 0.675}},
		},
		{
			name: "formatted numbers", asked: `{"f":{"sum":{"field":"delay","format":"0,000.0 'of yyyy'"}},"h":{"histogram":{"field":"delay","interval":20,"format":"0,000.0"}}}`,
			got:     `{"f":{"value":1234.5,"value_as_string":"1,234.5 of yyyy"},"h":{"buckets":[{"key_as_string":"0,020.0","key":20.0,"doc_count":20}]}}`,
			columns: "f h count", rows: [][]any{{1234.5, nil, nil}, {nil, 20.0, int64(20)}},
		},
		{
			name: "times", asked: `{"x":{"max":{"field":"at","format":"yyyy"}},"s":{"stats":{"field":"at"}},"d":{"date_histogram":{"field":"at","calendar_interval":"month","format":"yyyy-MM"}}}`,
			got: `{"x":{"value":1.7380584E12,"value_as_string":"2025"},"s":{"count":40,"min":1.7357256E12,"sum":6.9E13,"min_as_string":"2025-01-01T10:00:00.000Z","sum_as_string":"4171-05-14T16:00:00.000Z"},
				"d":{"buckets":[{"key_as_string":"2025-01","key":1735689600000,"doc_count":40}]}}`,
			columns: "s.count s.min s.sum x d count",
			rows:    [][]any{{int64(40), "2025-01-01T10:00:00.000Z", 6.9e13, "2025", nil, nil}, {nil, nil, nil, nil, "2025-01", int64(40)}},
		},
		{
			name: "more digits than a number has", asked: `{"v":{"terms":{"field":"delay"}}}`,
			got:     `{"v":{` + terms + `"buckets":[{"key":9223372036854775808,"doc_count":1},{"key":9223372036854775809,"doc_count":1}]}}`,
			columns: "v count", rows: [][]any{{"9223372036854775808", int64(1)}, {"9223372036854775809", int64(1)}},
		},

		// Names are repeated.
		{
			name: "buckets of the same name", asked: `{"by":{"terms":{"field":"port"},"aggs":{"by":{"terms":{"field":"carrier"}}}}}`,
			got: `{"by":{` + terms + `"buckets":[{"key":"Miami","doc_count":9,"by":{` + terms + `"buckets":[{"key":"acme","doc_count":5},{"key":"zeta","doc_count":4}]}},
				{"key":"Oslo","doc_count":2,"by":{` + terms + `"buckets":[{"key":"acme","doc_count":2}]}}]}}`,
			columns: "by count by_2", rows: [][]any{{"Miami", int64(5), "acme"}, {"Miami", int64(4), "zeta"}, {"Oslo", int64(2), "acme"}},
		},
		{
			name: "a metric of the same name", asked: `{"delay":{"histogram":{"field":"delay","interval":10},"aggs":{"delay":{"avg":{"field":"delay"}}}}}`,
			got:     `{"delay":{"buckets":[{"key":10.0,"doc_count":9,"delay":{"value":12.5}},{"key":20.0,"doc_count":1,"delay":{"value":22.5}}]}}`,
			columns: "delay count delay_2", rows: [][]any{{10.0, int64(9), 12.5}, {20.0, int64(1), 22.5}},
		},
		{
			name: "called count", asked: `{"port":{"terms":{"field":"port"},"aggs":{"count":{"sum":{"field":"delay"}},"carrier":{"terms":{"field":"carrier"}}}}}`,
			got:     `{"port":{` + terms + `"buckets":[{"key":"Miami","doc_count":9,"count":{"value":123.5},"carrier":{` + terms + `"buckets":[{"key":"acme","doc_count":5}]}}]}}`,
			columns: "port count count_2 carrier", rows: [][]any{{"Miami", int64(9), 123.5, nil}, {"Miami", int64(5), nil, "acme"}},
		},
		{
			name: "a count alone", asked: `{"count":{"value_count":{"field":"port"}}}`, got: `{"count":{"value":7}}`,
			columns: "count", rows: [][]any{{int64(7)}},
		},
		{
			name: "with dots", asked: `{"a":{"stats":{"field":"delay"}},"a.min":{"min":{"field":"delay"}}}`,
			got:     `{"a":{"count":3,"min":1.0},"a.min":{"value":99.0}}`,
			columns: "a.count a.min a.min_2", rows: [][]any{{int64(3), 1.0, 99.0}},
		},
		{
			name: "called as members are", asked: `{"hits":{"filter":{"term":{"late":true}},"aggs":{"values":{"avg":{"field":"delay"}},"value":{"max":{"field":"delay"}}}}}`,
			got:     `{"hits":{"doc_count":5,"values":{"value":1.5},"value":{"value":2.5}}}`,
			columns: "hits hits.value hits.values", rows: [][]any{{int64(5), 2.5, 1.5}},
		},
		{
			name: "in two filters", asked: `{"f1":{"filter":{"term":{"late":true}},"aggs":{"x":{"avg":{"field":"delay"}}}},"f2":{"filter":{"term":{"late":false}},"aggs":{"x":{"avg":{"field":"delay"}}}}}`,
			got:     `{"f2":{"doc_count":13,"x":{"value":21.5}},"f1":{"doc_count":27,"x":{"value":20.75}}}`,
			columns: "f1 f1.x f2 f2.x", rows: [][]any{{int64(27), 20.75, int64(13), 21.5}},
		},

		// Something is missing, or inexact.
		{
			name: "counts that may be too low", asked: `{"port":{"terms":{"field":"port","size":1}}}`,
			got:     `{"port":{"doc_count_error_upper_bound":57,"sum_other_doc_count":0,"buckets":[{"key":"Miami","doc_count":60}]}}`,
			columns: "port count", rows: [][]any{{"Miami", int64(60)}}, partial: "counts of port are not exact",
		},
		{
			name: "an error that nobody knows", asked: `{"port":{"terms":{"field":"port","size":1,"order":{"d":"desc"}},"aggs":{"d":{"max":{"field":"delay"}}}}}`,
			got:     `{"port":{"doc_count_error_upper_bound":-1,"sum_other_doc_count":35,"buckets":[{"key":"p6","doc_count":2,"d":{"value":40.5}}]}}`,
			columns: "port count d", rows: [][]any{{"p6", int64(2), 40.5}}, more: true, partial: "counts of port",
		},
		{
			name: "many different values", asked: `{"ports":{"cardinality":{"field":"port"}}}`,
			got:     `{"ports":{"value":3001}}`,
			columns: "ports", rows: [][]any{{int64(3001)}}, partial: "counts of ports are not exact",
		},
		{
			name: "few different values", asked: `{"ports":{"cardinality":{"field":"port"}}}`,
			got:     `{"ports":{"value":3000}}`,
			columns: "ports", rows: [][]any{{int64(3000)}},
		},
		{
			name: "many different values below the threshold", asked: `{"ports":{"cardinality":{"field":"port","precision_threshold":40000}}}`,
			got:     `{"ports":{"value":30000}}`,
			columns: "ports", rows: [][]any{{int64(30000)}},
		},
		{
			name: "above the highest threshold", asked: `{"ports":{"cardinality":{"field":"port","precision_threshold":1000000}}}`,
			got:     `{"ports":{"value":40001}}`,
			columns: "ports", rows: [][]any{{int64(40001)}}, partial: "counts of ports",
		},
		{
			name: "above a threshold", asked: `{"late":{"filter":{"term":{"late":true}},"aggs":{"ports":{"cardinality":{"field":"port","precision_threshold":"100"}}}}}`,
			got:     `{"late":{"doc_count":900,"ports":{"value":101}}}`,
			columns: "late late.ports", rows: [][]any{{int64(900), int64(101)}}, partial: "counts of late.ports",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ships(t, tt.got).Run(t.Context(), json.RawMessage(`{"size":0,"aggs":`+tt.asked+`}`))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Fields(tt.columns), names(got.Table)); diff != "" {
				t.Errorf("columns (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.rows, got.Table.Rows); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			if got.Table.Truncated != tt.more || (got.Partial != "") != (tt.partial != "") || !strings.Contains(got.Partial, tt.partial) {
				t.Errorf("truncated %v, partial %q", got.Table.Truncated, got.Partial)
			}
		})
	}
}

func names(t *qed.Table) []string {
	var list []string
	for _, c := range t.Columns {
		list = append(list, c.Name)
	}
	return list
}

// An aggregation that hides a member of the buckets around it is refused: the two could
// not be distinguished.
func TestAggregationsThatHideMembers(t *testing.T) {
	for name, ok := range map[string]bool{"key": false, "doc_count": false, "delay": true} {
		s := ships(t, `{"port":{"buckets":[{"key":"p1","doc_count":3,"delay":{"value":35.5}}]}}`)
		_, err := s.Run(t.Context(), json.RawMessage(`{"aggs":{"port":{"terms":{"field":"port"},"aggs":{"`+name+`":{"max":{"field":"delay"}}}}}}`))
		if r, refused := errors.AsType[*refusal.Error](err); refused == ok || refused && !strings.Contains(r.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := ships(t, `{"key":{"value":35.5}}`).Run(t.Context(), json.RawMessage(`{"aggs":{"key":{"max":{"field":"delay"}}}}`)); err != nil {
		t.Errorf("at the top: %v", err)
	}
}

// The agent also says that its figures are inexact.
func TestRoughFiguresOfTheAgent(t *testing.T) {
	e := &engine{answers: []answer{{total: 60, figures: `{"owner":{"doc_count_error_upper_bound":57,"sum_other_doc_count":0,"buckets":[{"key":"ann","doc_count":60}]}}`}}}
	m := single(body(`{"size":0,"aggs":{"owner":{"terms":{"field":"owner","size":1}}}}`))
	_, got := ask(t, newAgent(t, m, e, nil), qed.Turn{Text: taxDocuments})
	wants(t, "the prompt for the words", sent(m, "answer")[0], "not exact")
	if !got.Partial || !strings.Contains(got.PartialReason, "estimates") || got.Table.Truncated {
		t.Errorf("answer = %+v", got)
	}
}
