package searchagent_test

import (
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/searchagent"
)

// A budget that does not allow all pages ends the reading, and not the turn.
func TestBudgetOfPages(t *testing.T) {
	e := &engine{answers: []answer{{docs: files(40)}}}
	a := newAgent(t, single(body(right, "name")), e, &searchagent.Options{PageSize: 10})
	got, err := qed.Ask(budget.With(t.Context(), budget.Limits{Rows: 30}), a, qed.Turn{Text: taxDocuments})
	if err != nil || len(got.Table.Rows) != 20 || !got.Partial || !got.Table.Truncated || got.Text != "Here they are." {
		t.Errorf("answer = %+v, %v", got, err)
	}
	wants(t, "the reason", got.PartialReason, "the first 20 of 40", "limit")
}

// More documents than a page are emitted by page; the model gets the first documents and
// their number.
func TestPages(t *testing.T) {
	for _, tt := range []struct {
		name    string
		opt     searchagent.Options
		body    string
		docs    int
		pageErr error
		pages   []int // the rows of each
		rows    int
		partial string
	}{
		{name: "one page", body: right, docs: 10, opt: searchagent.Options{PageSize: 10}, rows: 10},
		{name: "three pages", body: right, docs: 25, opt: searchagent.Options{PageSize: 10}, pages: []int{10, 10, 5}, rows: 25},
		{name: "more than may be read", body: right, docs: 40, opt: searchagent.Options{PageSize: 10, MaxRows: 25}, pages: []int{10, 10, 5}, rows: 25, partial: "the first 25 of 40"},
		{name: "no page more than may be read", body: right, docs: 40, opt: searchagent.Options{PageSize: 10, MaxRows: 5}, rows: 5, partial: "the first 5 of 40"},
		{name: "as many as were asked for", body: `{"size":5,"sort":[{"size":"desc"}]}`, docs: 25, rows: 5},
		{name: "from a place on", body: `{"from":3}`, docs: 25, opt: searchagent.Options{PageSize: 10}, rows: 10},
		{name: "broken off", body: right, docs: 25, opt: searchagent.Options{PageSize: 10}, pageErr: engineFails(esquery.ErrExpired, ""), pages: []int{10}, rows: 10, partial: "the first 10 of 25"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := &engine{answers: []answer{{docs: files(tt.docs)}}, pageErr: tt.pageErr}
			m := single(body(tt.body, "name"))
			events, got := ask(t, newAgent(t, m, e, &tt.opt), qed.Turn{Text: taxDocuments})
			pages := all[qed.Page](events)
			if len(pages) != len(tt.pages) {
				t.Fatalf("%d pages, want %d", len(pages), len(tt.pages))
			}
			told := 0
			for i, p := range pages {
				if p.Number != i+1 || len(p.Table.Rows) != tt.pages[i] || p.Table.Columns[0].Name != "name" {
					t.Errorf("page %d = %+v", i+1, p)
				}
				if p.Table.Rows[0][0] != got.Table.Rows[told][0] {
					t.Errorf("page %d begins with %v", i+1, p.Table.Rows[0])
				}
				told += len(p.Table.Rows)
			}
			if len(got.Table.Rows) != tt.rows || got.Partial != (tt.partial != "") || got.Queries[0].Rows != tt.rows {
				t.Errorf("answer = %d rows, %+v", len(got.Table.Rows), got)
			}
			wants(t, "the reason", got.PartialReason, tt.partial)
			if got.Table.Truncated != (tt.rows < tt.docs) {
				t.Errorf("truncated: %v", got.Table.Truncated)
			}
			wants(t, "the prompt for the words", sent(m, "answer")[0], "File 1")
		})
	}
}
