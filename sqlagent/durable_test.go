package sqlagent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqlagent"
	"github.com/qedkit/qed/store"
)

// manyCrews returns more rows of crews than a state carries.
func manyCrews() *database {
	rows := make([][]any, 30)
	for i := range rows {
		rows[i] = []any{int64(i)}
	}
	return &database{answers: []answer{{contains: "crew", rows: rows}}}
}

// corrected returns a model whose first statement is refused.
func corrected() *llmtest.Model {
	return llmtest.New(
		reply("select_tables", tables("crew")),
		reply("generate", query("SELECT nme FROM crew")),
		reply("correct", query("SELECT id FROM crew")),
		reply("answer", text("Thirty.")),
	)
}

// logs is a store that keeps the records of the thread after every append.
type logs struct {
	store.InMemory
	mu   sync.Mutex
	each [][]store.Record
}

func (s *logs) Append(ctx context.Context, thread string, after int64, recs ...store.Record) error {
	if err := s.InMemory.Append(ctx, thread, after, recs...); err != nil {
		return err
	}
	var log []store.Record
	for rec, err := range s.Records(ctx, thread, store.Range{}) {
		if err != nil {
			return err
		}
		log = append(log, rec)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.each = append(s.each, log)
	return nil
}

// A process dies after any record, and another one resumes the turn. The answer is the
// same, and no reply is paid for twice.
func TestTurnGoesOn(t *testing.T) {
	st := &logs{}
	whole := corrected()
	_, want, err := run(t, newAgent(t, whole, manyCrews(), &sqlagent.Options{Store: st}), qed.Turn{Thread: "t", Text: "How many crews?"})
	if err != nil || !want.Saved || len(want.Table.Rows) != 30 || want.Queries[0].Handle == "" {
		t.Fatalf("answer = %+v, %v", want, err)
	}
	later := qed.WithClock(t.Context(), func() time.Time { return time.Now().Add(time.Hour) })
	for i, log := range st.each[:len(st.each)-1] {
		t.Run(fmt.Sprint(i, " ", log[len(log)-1].Kind), func(t *testing.T) {
			kept := &store.InMemory{}
			if err := kept.Append(t.Context(), "t", 0, log...); err != nil {
				t.Fatal(err)
			}
			paid := 0
			for _, rec := range log {
				if rec.Kind == store.Returned && strings.Contains(string(rec.Data), `"finish_reason"`) {
					paid++
				}
			}
			rest := llmtest.New(script(whole.Requests(), paid)...)
			got, err := qed.Ask(later, newAgent(t, rest, manyCrews(), &sqlagent.Options{Store: kept}), qed.Turn{Thread: "t"})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(qed.Query{}, "Handle")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// script returns the replies of the corrected model after the first n.
func script(requests []*llm.Request, n int) []llmtest.Rule {
	said := map[string]llmtest.Reply{
		"select_tables": tables("crew"), "generate": query("SELECT nme FROM crew"),
		"correct": query("SELECT id FROM crew"), "answer": text("Thirty."),
	}
	var rules []llmtest.Rule
	for _, req := range requests[n:] {
		rules = append(rules, reply(req.Name, said[req.Name]))
	}
	return rules
}

// The prompts of the next turn contain the earlier messages and queries.
func TestConversation(t *testing.T) {
	m := llmtest.New(
		reply("select_tables", tables("crew"), tables("crew")),
		reply("generate", query("SELECT id FROM crew"), query("SELECT workOrderId FROM crew")),
		reply("answer", text("Thirty."), text("These.")),
	)
	a := newAgent(t, m, manyCrews(), &sqlagent.Options{Store: &store.InMemory{}})
	for _, question := range []string{"How many crews?", "What are they called?"} {
		if _, answer, err := run(t, a, qed.Turn{Thread: "t", Text: question}); err != nil || !answer.Saved {
			t.Fatalf("%+v, %v", answer, err)
		}
	}
	requests := m.Requests()
	told := fmt.Sprint(requests[len(requests)-1].Messages)
	for _, want := range []string{"How many crews?", "Thirty.", "SELECT id FROM crew"} {
		if !strings.Contains(told, want) {
			t.Errorf("the model did not get %q: %s", want, told)
		}
	}
}

// twoWays returns a schema in which two joins of two tables have the same cost.
func twoWays(t *testing.T, m llm.Model, opt *sqlagent.Options) qed.Agent {
	t.Helper()
	guard, err := secureview.New(&secureview.Policy{Dialect: "sqlite", Tables: map[string][]string{
		"invoice": {"id", "billingId", "shippingId"}, "address": {"id", "city"},
	}}, sqlite.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	db := &database{answers: []answer{{contains: "city", rows: [][]any{{"Miami"}}}}}
	a, err := sqlagent.New(m, db, guard, &joinpath.Schema{
		Tables: map[string]joinpath.Table{
			"invoice": {Columns: []string{"id", "billingId", "shippingId"}, PrimaryKey: []string{"id"}},
			"address": {Columns: []string{"id", "city"}, PrimaryKey: []string{"id"}},
		},
		Relationships: []joinpath.Relationship{
			{FromTable: "invoice", FromColumn: "billingId", ToTable: "address", ToColumn: "id", Confidence: 1},
			{FromTable: "invoice", FromColumn: "shippingId", ToTable: "address", ToColumn: "id", Confidence: 1},
		},
	}, opt)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// If two joins have the same cost, the user chooses, or the model if the run cannot be interrupted.
func TestInterruptForJoins(t *testing.T) {
	const sql = "SELECT a.city FROM invoice i JOIN address a ON a.id = i.shippingId"
	scripted := func() *llmtest.Model {
		return llmtest.New(reply("select_tables", tables("invoice", "address")),
			reply("generate", query(sql), query(sql)), reply("answer", text("Berlin.")))
	}
	for _, tt := range []struct {
		name   string
		opt    sqlagent.Options
		thread string
		asked  bool
	}{
		{"asked", sqlagent.Options{InterruptForJoins: true, Store: &store.InMemory{}}, "t", true},
		{"not wanted", sqlagent.Options{Store: &store.InMemory{}}, "t", false},
		{"nobody to ask", sqlagent.Options{InterruptForJoins: true}, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := twoWays(t, scripted(), &tt.opt)
			events, answer, err := run(t, a, qed.Turn{Thread: tt.thread, Text: "Which cities do we ship to?"})
			if err != nil {
				t.Fatal(err)
			}
			if !tt.asked {
				if len(answer.Questions) > 0 || answer.Text != "Berlin." {
					t.Errorf("answer = %+v", answer)
				}
				if plan, _ := first[qed.JoinPlanned](events); len(plan.Ties) != 1 {
					t.Errorf("the prompt does not name the tie: %+v", plan)
				}
				return
			}
			if len(answer.Questions) != 1 || len(answer.Questions[0].Choices) != 2 {
				t.Fatalf("answer = %+v", answer)
			}
			shipping := 1
			if answer.Questions[0].Choices[1].Text == "by the shipping address" {
				shipping = 2
			}
			events, answer, err = run(t, a, qed.Turn{Thread: "t", Text: fmt.Sprint(shipping)})
			if err != nil || answer.Text != "Berlin." {
				t.Fatalf("answer = %+v, %v", answer, err)
			}
			plan, _ := first[qed.JoinPlanned](events)
			if len(plan.Ties) != 0 || !strings.Contains(fmt.Sprint(plan.Joins), "shippingId") {
				t.Errorf("planned %+v", plan)
			}
		})
	}
}

// A tie of two roles is asked once in a conversation, and not if the question names a role.
func TestRolesOfConversation(t *testing.T) {
	const neutral = "Which cities are there?"
	for _, tt := range []struct {
		name  string
		turns []string // "shipping" and "billing" are replies
		joins []string // by which each turn joins; empty: the user is asked
	}{
		{"asked once", []string{neutral, "shipping", neutral, "And how many?"}, []string{"", "shippingId", "shippingId", "shippingId"}},
		{"the question names it", []string{"Which cities have billing addresses?", neutral}, []string{"billingId", ""}},
		{"another one later", []string{neutral, "shipping", "And by billing?", neutral}, []string{"", "shippingId", "billingId", "shippingId"}},
		{"both", []string{"Which cities have billing or shipping addresses?"}, []string{""}},
		{"the one that is not meant", []string{"Which cities, but not by billing address?"}, []string{""}},
		{"a part of a word", []string{"Which cities have shippings of billings?"}, []string{""}},
		{"the name of a table", []string{"Which addresses have invoices?"}, []string{""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			by := ""
			m := replying(map[string]func(string) string{
				"select_tables": says(`{"tables":["invoice","address"]}`),
				"generate": func(string) string {
					return `{"sql":"SELECT a.city FROM invoice i JOIN address a ON a.id = i.` + by + `"}`
				},
				"rewrite": says(`{"request":"Which cities are there?","kept":[]}`),
				"answer":  says("Berlin."),
			})
			a := twoWays(t, m, &sqlagent.Options{InterruptForJoins: true, Store: &store.InMemory{}})
			var asked []question.Choice
			for i, text := range tt.turns {
				for _, c := range asked {
					if strings.Contains(c.Text, text) {
						text = c.ID
					}
				}
				by = tt.joins[i]
				events, answer, err := run(t, a, qed.Turn{Thread: "t", Text: text})
				if err != nil {
					t.Fatal(err)
				}
				asked = nil
				for _, q := range answer.Questions {
					asked = q.Choices
				}
				plan, _ := first[qed.JoinPlanned](events)
				if (len(asked) > 0) != (by == "") || len(plan.Ties) > 0 || !strings.Contains(fmt.Sprint(plan.Joins), by) {
					t.Errorf("turn %d: asked %v, planned %+v, want %q", i, asked, plan, by)
				}
			}
		})
	}
}

// When the budget is used up, the answer contains what was found.
func TestBudget(t *testing.T) {
	for _, tt := range []struct {
		name   string
		limits budget.Limits
		rows   int // -1: no table
		text   string
	}{
		{"plenty", budget.Limits{ModelCalls: 20, Rows: 1000, Tokens: 1_000_000}, 30, "Thirty."},
		{"calls for the words are kept back", budget.Limits{ModelCalls: 4}, 30, "Thirty."},
		{"no call left for SQL", budget.Limits{ModelCalls: 2}, -1, ""},
		{"rows", budget.Limits{Rows: 10}, 9, "Thirty."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := newAgent(t, corrected(), manyCrews(), nil)
			answer, err := qed.Ask(budget.With(t.Context(), tt.limits), a, qed.Turn{Text: "How many crews?"})
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case tt.rows < 0:
				if answer.Table != nil || !answer.Partial || !strings.Contains(answer.PartialReason, "limit") {
					t.Errorf("answer = %+v", answer)
				}
			case answer.Table == nil || len(answer.Table.Rows) != tt.rows || answer.Text != tt.text || answer.Partial:
				t.Errorf("answer = %+v", answer)
			}
		})
	}
}

// A later turn of the thread can load the rows of an earlier one by their handle.
func TestRowsAreKept(t *testing.T) {
	st := &store.InMemory{}
	_, answer, err := run(t, newAgent(t, corrected(), manyCrews(), &sqlagent.Options{Store: st}), qed.Turn{Thread: "t", Text: "How many crews?"})
	if err != nil {
		t.Fatal(err)
	}
	for rec := range st.Records(t.Context(), "t", store.Range{Kinds: []store.Kind{store.Checkpoint}}) {
		var state struct{ State struct{ Table *qed.Table } }
		if err := json.Unmarshal(rec.Data, &state); err != nil {
			t.Fatal(err)
		}
		if table := state.State.Table; table != nil && len(table.Rows) >= 30 {
			t.Errorf("state %d carries %d rows", rec.Seq, len(table.Rows))
		}
	}
	again := qed.Durable(qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		rows, err := qed.Load[qed.Table](ctx, turn.Text)
		return qed.Answer{Table: &rows}, err
	}), st, nil)
	later, err := qed.Ask(t.Context(), again, qed.Turn{Thread: "t", Text: answer.Queries[0].Handle})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(answer.Table, later.Table); diff != "" {
		t.Error(diff)
	}
	if _, err := qed.Ask(t.Context(), again, qed.Turn{Thread: "other", Text: answer.Queries[0].Handle}); !errors.Is(err, qed.ErrNotFound) {
		t.Errorf("another thread: error = %v", err)
	}
}
