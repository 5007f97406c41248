package searchagent_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/searchagent"
)

// A prompt contains whole documents up to its limit, and says if they are cut. So
// does the answer, because the missing ones may matter.
func TestDocumentsAreCut(t *testing.T) {
	long := func(n int) string { return `{"name":"` + strings.Repeat("x", n) + `"}` }
	for _, tt := range []struct {
		name    string
		docs    []doc
		told    string
		partial string
	}{
		{name: "all fit", docs: []doc{{"1", long(100)}, {"2", long(100)}}, told: "all are below"},
		{name: "not all fit", docs: []doc{{"1", long(600)}, {"2", long(600)}}, told: "only the first 1 are below", partial: "the first 1 of 2"},
		{name: "not even one fits", docs: []doc{{"1", long(5000)}}, told: "with long values cut", partial: "too long"},
		{name: "one with a long list", docs: []doc{{"1", `{"o":{"list":[` + strings.Repeat("1,", 2000) + `1]}}`}}, told: "with long values cut", partial: "too long"},
		{name: "one with many fields", docs: []doc{{"1", manyFields()}}, told: "with long values cut", partial: "too long"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rules := scripted()
			rules[1] = reply("plan", plan(find("folder", findFolder), find("documents", findDocuments, "folder")))
			m := llmtest.New(rules...)
			e := &engine{answers: []answer{{contains: `"Tax"`, docs: tt.docs}, {docs: files(1)}}}
			_, got := ask(t, newAgent(t, m, e, &searchagent.Options{MaxDocumentBytes: 1000}), qed.Turn{Text: taxDocuments})
			prompt := sent(m, "generate")[1]
			wants(t, "the prompt", prompt, tt.told)
			if from, to := strings.Index(prompt, "<documents>"), strings.Index(prompt, "</documents>"); to-from > 1100 {
				t.Errorf("the documents have %d bytes", to-from)
			}
			if got.Partial != (tt.partial != "") || !strings.Contains(got.PartialReason, tt.partial) {
				t.Errorf("answer = %+v", got)
			}
		})
	}
}

func manyFields() string {
	fields := map[string]string{}
	for i := range 1000 {
		fields[fmt.Sprint("field", i)] = "x"
	}
	text, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func TestTable(t *testing.T) {
	for _, tt := range []struct {
		name    string
		sources []string
		show    []string
		columns []string
		rows    [][]any
	}{
		{
			name: "what was chosen", sources: []string{`{"a":1,"b":"x","c":true}`, `{"b":null,"c":1.5}`}, show: []string{"b", "c", "nope", "b"},
			columns: []string{"b", "c"}, rows: [][]any{{"x", true}, {nil, 1.5}},
		},
		{
			name: "another form of a field", sources: []string{`{"name":"Tax"}`}, show: []string{"name.keyword"},
			columns: []string{"name"}, rows: [][]any{{"Tax"}},
		},
		{
			name:    "objects in every spelling",
			sources: []string{`{"o":{"a":1}}`, `{"o.a":2}`, `{"o":[{"a":3},{"a":4}]}`, `{"o":[{"a":5}]}`, `{"o":{"a":{"deep":6}}}`, `{"o":7}`}, show: []string{"o.a"},
			columns: []string{"o.a"}, rows: [][]any{{int64(1)}, {int64(2)}, {"[3,4]"}, {int64(5)}, {`{"deep":6}`}, {nil}},
		},
		{
			name: "nothing was chosen", sources: []string{`{"z":1,"title":"T","a":2}`, `{"z":3}`},
			columns: []string{"title", "z", "a"}, rows: [][]any{{"T", int64(1), int64(2)}, {nil, int64(3), nil}},
		},
		{
			name: "ids", sources: []string{`{"a":1}`}, show: []string{"_id"}, columns: []string{"_id"}, rows: [][]any{{"1"}},
		},
		{
			name: "no source", sources: []string{``}, columns: []string{"_id"}, rows: [][]any{{"1"}},
		},
		{
			name: "large numbers", sources: []string{`{"n":9007199254740993,"m":1e400}`}, show: []string{"n", "m"},
			columns: []string{"n", "m"}, rows: [][]any{{int64(9007199254740993), "1e400"}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var docs []doc
			for i, source := range tt.sources {
				docs = append(docs, doc{fmt.Sprint(i + 1), source})
			}
			_, got := ask(t, newAgent(t, single(body(`{}`, tt.show...)), &engine{answers: []answer{{docs: docs}}}, nil), qed.Turn{Text: taxDocuments})
			var columns []string
			for _, c := range got.Table.Columns {
				columns = append(columns, c.Name)
			}
			if diff := cmp.Diff(tt.columns, columns); diff != "" {
				t.Errorf("columns (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.rows, got.Table.Rows); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		})
	}
}

// Figures are the table, and what the model answers from.
func TestFigures(t *testing.T) {
	const query = `{"size":0,"aggs":{"x":{"terms":{"field":"owner"}}}}`
	for _, tt := range []struct {
		name    string
		figures string
		columns []string
		rows    [][]any
		more    bool
	}{
		{
			name:    "buckets",
			figures: `{"owner":{"doc_count_error_upper_bound":0,"sum_other_doc_count":0,"buckets":[{"key":"ann","doc_count":3},{"key":"bob","doc_count":2}]}}`,
			columns: []string{"owner", "count"}, rows: [][]any{{"ann", int64(3)}, {"bob", int64(2)}},
		},
		{
			name: "buckets in buckets, with metrics",
			figures: `{"month":{"buckets":[{"key":1,"key_as_string":"2026-01","doc_count":3,"owner":{"buckets":[
				{"key":"ann","doc_count":1,"size":{"value":10.5}},{"key":"bob","doc_count":2,"size":{"value":null}}]}}]}}`,
			columns: []string{"month", "count", "owner", "size"},
			rows:    [][]any{{"2026-01", int64(1), "ann", 10.5}, {"2026-01", int64(2), "bob", nil}},
		},
		{
			name: "dates", figures: `{"first":{"value":1.7e12,"value_as_string":"2023-11-14"}}`,
			columns: []string{"first"}, rows: [][]any{{"2023-11-14"}},
		},
		{
			name: "metrics alone", figures: `{"size":{"value":7},"stats":{"count":2,"max":9,"min":1}}`,
			columns: []string{"size", "stats.count", "stats.max", "stats.min"}, rows: [][]any{{int64(7), int64(2), int64(9), int64(1)}},
		},
		{
			name: "named buckets", figures: `{"f":{"buckets":{"large":{"doc_count":1},"small":{"doc_count":2}}}}`,
			columns: []string{"f", "count"}, rows: [][]any{{"large", int64(1)}, {"small", int64(2)}},
		},
		{
			name: "a filter around", figures: `{"pdf":{"doc_count":4,"owner":{"buckets":[{"key":"ann","doc_count":4}]}}}`,
			columns: []string{"pdf", "pdf.owner", "count"}, rows: [][]any{{int64(4), nil, nil}, {nil, "ann", int64(4)}},
		},
		{
			name: "the newest of each", figures: `{"owner":{"buckets":[{"key":"ann","doc_count":3,"newest":{"hits":{"total":{"value":3},"hits":[{"_id":"1","_source":{"name":"a","ssn":"hidden"}}]}}}]}}`,
			columns: []string{"owner", "count", "newest"}, rows: [][]any{{"ann", int64(3), `[{"_id":"1","_source":{"name":"a"}}]`}},
		},
		{
			name: "percentiles", figures: `{"p":{"values":{"50.0":1.5}}}`,
			columns: []string{"p.values"}, rows: [][]any{{`{"50.0":1.5}`}},
		},
		{
			name: "the largest buckets", figures: `{"owner":{"sum_other_doc_count":9,"buckets":[{"key":"ann","doc_count":3}]}}`,
			columns: []string{"owner", "count"}, rows: [][]any{{"ann", int64(3)}}, more: true,
		},
		{name: "no bucket", figures: `{"owner":{"buckets":[]}}`, columns: []string{"count"}, rows: [][]any{{int64(5)}}},
		{name: "a count alone", columns: []string{"count"}, rows: [][]any{{int64(5)}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			written := query
			if tt.figures == "" {
				written = `{"size":0}`
			}
			m := single(body(written))
			_, got := ask(t, newAgent(t, m, &engine{answers: []answer{{total: 5, figures: tt.figures}}}, nil), qed.Turn{Text: taxDocuments})
			var columns []string
			for _, c := range got.Table.Columns {
				columns = append(columns, c.Name)
			}
			if diff := cmp.Diff(tt.columns, columns); diff != "" {
				t.Errorf("columns (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.rows, got.Table.Rows); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			if got.Partial || len(sent(m, "generate")) != 1 || got.Table.Truncated != tt.more {
				t.Errorf("answer = %+v", got)
			}
			if told := strings.Contains(sent(m, "answer")[0], "there are more rows than these"); told != tt.more {
				t.Errorf("the model was told that there are more: %v", told)
			}
			wants(t, "the prompt for the words", sent(m, "answer")[0], "Figures of all", fmt.Sprintf("%q", columns[0]))
		})
	}
}

// Figures are limited as well.
func TestManyFigures(t *testing.T) {
	var buckets []string
	for i := range 30 {
		buckets = append(buckets, fmt.Sprintf(`{"key":%d,"doc_count":1}`, i))
	}
	e := &engine{answers: []answer{{total: 30, figures: `{"size":{"buckets":[` + strings.Join(buckets, ",") + `]}}`}}}
	_, got := ask(t, newAgent(t, single(body(`{"aggs":{"size":{"terms":{"field":"size"}}}}`)), e, &searchagent.Options{MaxRows: 20}), qed.Turn{Text: taxDocuments})
	if len(got.Table.Rows) != 20 || !got.Table.Truncated || !got.Partial {
		t.Errorf("answer = %+v", got)
	}
	wants(t, "the reason", got.PartialReason, "first 20 rows")
}

// Documents next to figures are shown if they were asked for, and otherwise not read.
func TestFiguresAndDocuments(t *testing.T) {
	const figures = `{"owner":{"buckets":[{"key":"ann","doc_count":9}]}}`
	for size, want := range map[string]bool{`"size":2,`: true, "": false} {
		e := &engine{answers: []answer{{total: 9, docs: files(2), figures: figures}}}
		m := single(body(`{` + size + `"aggs":{"owner":{"terms":{"field":"owner"}}}}`))
		_, got := ask(t, newAgent(t, m, e, nil), qed.Turn{Text: taxDocuments})
		prompt := sent(m, "answer")[0]
		wants(t, "the prompt", prompt, `["ann",9]`)
		if has := strings.Contains(prompt, "File 2"); has != want || len(got.Citations) > 0 != want || got.Table.Rows[0][0] != "ann" {
			t.Errorf("%s: documents told: %v, answer = %+v", size, has, got)
		}
	}
}

// A later task sees the figures of an earlier one.
func TestFiguresOfAnEarlierStep(t *testing.T) {
	rules := scripted()
	rules[2] = generates(findFolder, body(`{"size":0,"aggs":{"parentId":{"terms":{"field":"parentId","size":1}}}}`))
	e := &engine{answers: []answer{{contains: "aggs", total: 9, figures: `{"parentId":{"buckets":[{"key":"abc-123","doc_count":9}]}}`}, {docs: files(1)}}}
	m := llmtest.Scripted(t, rules...)
	_, got := ask(t, newAgent(t, m, e, nil), qed.Turn{Text: taxDocuments})
	if got.Partial || len(got.Queries) != 2 {
		t.Errorf("answer = %+v", got)
	}
	wants(t, "the prompt", sent(m, "generate")[1], `["abc-123",9]`, "in 1 rows")
}

// The figures of an answer are looked up in the rows of aggregations. Numbers of
// documents may be repeated.
func TestFiguresOfAnAnswer(t *testing.T) {
	e := &engine{answers: []answer{{total: 4711, docs: files(2), figures: `{"owner":{"buckets":[{"key":"ann","doc_count":9},{"key":"bob","doc_count":3}]}}`}}}
	m := llmtest.New(isSearch(), reply("plan", plan(find("all", findAll))), reply("generate", body(`{"size":2,"aggs":{"owner":{"terms":{"field":"owner"}}}}`)),
		reply("answer", text("Of 4711, {r1.owner} has {all.r1.count}, {share r1.count of sum count}; not {r1.size} or 77.")),
		reply("correct_figures", llmtest.Reply{JSON: map[string]any{"corrections": []any{}}}))
	_, got := ask(t, newAgent(t, m, e, nil), qed.Turn{Text: taxDocuments})
	if want := "Of 4711, ann has 9, 75%; not (unknown) or 77.\n\n" +
		"Not proved by the data and possibly wrong: 77, {r1.size}."; !got.Partial || got.Text != want || len(got.Figures) != 3 {
		t.Errorf("%q with %v, want %q", got.Text, got.Figures, want)
	}
	if diff := cmp.Diff([]string{"77", "{r1.size}"}, got.Unproved); diff != "" {
		t.Errorf("unproved: %s", diff)
	}
	if from := got.Figures[0].Sources[0]; from.Query != 0 || from.Row != 1 || from.Column != "owner" {
		t.Errorf("the first figure is from %+v", from)
	}
}
