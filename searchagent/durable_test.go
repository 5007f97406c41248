package searchagent_test

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
	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/searchagent"
	"github.com/qedkit/qed/store"
)

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

// eventful is the model's replies in a turn with everything that can happen: a refused search,
// an empty result, a question, pages.
var eventful = map[string][]llmtest.Reply{
	"classify": {{JSON: map[string]any{"intent": "search", "confidence": "high", "reasoning": "r"}}},
	"plan":     {folderPlan()},
	"generate": {body(invented), body(folderBody), body(other), documentsIn("folder-2")},
	"answer":   {text("There you are.")},
}

// nodes are the nodes that record the calls of a name.
var nodes = map[string]string{"classify": "classify", "plan": "plan", "generate": "generate", "answer": "answer"}

func eventfulEngine() *engine {
	many := files(25)
	for i := range many {
		many[i].source = strings.Replace(many[i].source, `"size"`, `"text":"`+strings.Repeat("x", 500)+`","size"`, 1)
	}
	return &engine{
		answers: []answer{{contains: "match", docs: folders("folder-1", "folder-2", "folder-3")}, {contains: "folder-2", docs: many}},
		counts:  map[string]int64{"": 9, `"Tax"`: 0},
	}
}

// eventfulModel returns a model that has given the first replies of each name already.
func eventfulModel(said map[string]int) *llmtest.Model {
	var rules []llmtest.Rule
	for name, replies := range eventful {
		rules = append(rules, reply(name, replies[said[name]:]...))
	}
	return llmtest.New(rules...)
}

var question1 = qed.Turn{Thread: "t", Text: taxDocuments}

// A process dies after any record, and another one resumes the turn. The answer is the same, and
// no reply is paid for twice.
func TestTurnGoesOn(t *testing.T) {
	opt := func(s store.Store) *searchagent.Options { return &searchagent.Options{Store: s, PageSize: 10} }
	st := &logs{}
	whole := eventfulModel(nil)
	a := newAgent(t, whole, eventfulEngine(), opt(st))
	if _, asked := ask(t, a, question1); len(asked.Questions) != 1 {
		t.Fatalf("nothing was asked: %+v", asked)
	}
	_, want := ask(t, a, qed.Turn{Thread: "t", Text: "2"})
	if want.Text != "There you are." || len(want.Table.Rows) != 25 || !want.Saved || want.Partial {
		t.Fatalf("answer = %+v", want)
	}
	if err := whole.Check(); err != nil {
		t.Fatal(err)
	}
	later := qed.WithClock(t.Context(), func() time.Time { return time.Now().Add(time.Hour) })
	for i, log := range st.each[:len(st.each)-1] {
		t.Run(fmt.Sprint(i, " ", log[len(log)-1].Kind), func(t *testing.T) {
			kept := &store.InMemory{}
			if err := kept.Append(t.Context(), "t", 0, log...); err != nil {
				t.Fatal(err)
			}
			said := map[string]int{}
			for _, rec := range log {
				for name, node := range nodes {
					if rec.Kind == store.Returned && strings.Contains(rec.Address, node) && strings.Contains(string(rec.Data), `"finish_reason"`) {
						said[name]++
					}
				}
			}
			rest := eventfulModel(said)
			again := newAgent(t, rest, eventfulEngine(), opt(kept))
			turn := qed.Turn{Thread: "t"}
			thread, err := qed.Inspect(later, kept, "t")
			if err != nil {
				t.Fatal(err)
			}
			if thread.Status == store.StatusInterrupted {
				turn.Text = "2"
			}
			got, err := qed.Ask(later, again, turn)
			if err == nil && len(got.Questions) > 0 {
				got, err = qed.Ask(later, again, qed.Turn{Thread: "t", Text: "2"})
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := rest.Check(); err != nil {
				t.Error(err)
			}
			ignored := []cmp.Option{cmpopts.IgnoreFields(qed.Query{}, "Handle", "Millis")}
			if diff := cmp.Diff(want, got, ignored...); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A turn that fails because the engine is down before anything was found keeps its plan,
// and resumes with it.
func TestTurnGoesOnAfterAFailure(t *testing.T) {
	st := &store.InMemory{}
	e := &engine{answers: []answer{{err: engineFails(esquery.ErrUnavailable, ""), once: true}, {contains: `"Tax"`, docs: folders("abc-123")}, {docs: files(3)}}}
	a := newAgent(t, llmtest.Scripted(t, scripted()...), e, &searchagent.Options{Store: st})
	if _, _, err := run(t, a, question1); !errors.Is(err, esquery.ErrUnavailable) {
		t.Fatalf("error = %v", err)
	}
	_, got := ask(t, a, qed.Turn{Thread: "t"})
	if got.Partial || len(got.Queries) != 2 || len(got.Table.Rows) != 3 || len(e.ran) != 3 {
		t.Errorf("answer = %+v, ran %d", got, len(e.ran))
	}
}

// A body that a store put into a state is checked again before it runs: it bypasses neither
// the validator nor the filter.
func TestStoredBodyIsCheckedAgain(t *testing.T) {
	for name, planted := range map[string]string{
		"a script":       `{"query":{"script":{"script":"1"}}}`,
		"a hidden field": `{"query":{"term":{"ssn":"1"}}}`,
		"everything":     `{}`,
	} {
		t.Run(name, func(t *testing.T) {
			st := &store.InMemory{}
			opt := &searchagent.Options{Store: st, MaxCorrections: -1, Filter: func(context.Context, qed.Turn) (json.RawMessage, error) {
				return json.RawMessage(`{"term":{"tenantId":"mine"}}`), nil
			}}
			e := &engine{answers: []answer{{err: engineFails(esquery.ErrUnavailable, ""), once: true}, {docs: files(1)}}}
			if _, _, err := run(t, newAgent(t, single(body(right)), e, opt), question1); err == nil {
				t.Fatal("the engine was to fail")
			}
			changed := &store.InMemory{}
			var log []store.Record
			for rec, err := range st.Records(t.Context(), "t", store.Range{}) {
				if err != nil {
					t.Fatal(err)
				}
				if rec.Kind == store.Checkpoint {
					rec.Data = plant(t, rec.Data, planted)
				}
				log = append(log, rec)
			}
			if err := changed.Append(t.Context(), "t", 0, log...); err != nil {
				t.Fatal(err)
			}
			opt.Store = changed
			e.ran = nil
			_, got := ask(t, newAgent(t, llmtest.New(reply("answer", text("Done."))), e, opt), qed.Turn{Thread: "t"})
			if name != "everything" {
				if len(e.ran) > 0 || !got.Partial {
					t.Errorf("ran %q", e.ran)
				}
				return
			}
			if len(e.ran) != 1 {
				t.Fatalf("ran %q", e.ran)
			}
			wants(t, "the search", e.ran[0], `"mine"`)
		})
	}
}

// plant puts another body into the tasks of a stored state.
func plant(t *testing.T, data json.RawMessage, body string) json.RawMessage {
	t.Helper()
	var rec map[string]any
	if err := json.Unmarshal(data, &rec); err != nil {
		t.Fatal(err)
	}
	state, _ := rec["state"].(map[string]any)
	if state == nil {
		state, _ = rec["State"].(map[string]any)
	}
	tasks, _ := state["Tasks"].([]any)
	for _, task := range tasks {
		task, _ := task.(map[string]any)
		if draft, ok := task["Draft"].(map[string]any); ok && draft["Query"] != "" {
			draft["Query"] = body
		}
	}
	out, err := json.Marshal(rec)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The prompts of the next turn contain the earlier messages and searches.
func TestConversation(t *testing.T) {
	m := again()
	a := newAgent(t, m, found(1), &searchagent.Options{Store: &store.InMemory{}})
	for _, text := range []string{taxDocuments, "And now?"} {
		if _, got := ask(t, a, qed.Turn{Thread: "t", Text: text}); !got.Saved {
			t.Fatalf("%+v", got)
		}
	}
	requests := m.Requests()
	for _, i := range []int{len(requests) - 1, len(requests) - 5} { // the words and the classification
		wants(t, "a request of the second turn", fmt.Sprint(requests[i].Messages), taxDocuments, "There are files in Tax.", "parentId")
	}
}

// The oldest messages are left out if the prompt is too long, and a prompt that
// is too long without them is not sent.
func TestContextLimit(t *testing.T) {
	history := []llm.Message{{Role: llm.RoleUser, Content: strings.Repeat("old ", 8000)}, {Role: llm.RoleSystem, Content: "obey"}, {Role: llm.RoleAssistant, Content: "newest"}}
	m := llmtest.New(scripted()...)
	if _, got := ask(t, newAgent(t, m, found(1), &searchagent.Options{Settings: llm.Settings{ContextTokens: 9000}}), qed.Turn{Text: taxDocuments, History: history}); got.Partial {
		t.Errorf("answer = %+v", got)
	}
	for _, req := range m.Requests() {
		if len(req.Messages) != 3 || req.Messages[0].Role != llm.RoleUser || req.Messages[1].Content != "newest" || strings.Contains(req.Messages[0].Content, "old old") {
			t.Errorf("%s: sent %d messages", req.Name, len(req.Messages))
		}
	}
	_, _, err := run(t, newAgent(t, llmtest.New(scripted()...), found(1), &searchagent.Options{Settings: llm.Settings{ContextTokens: 256}}), qed.Turn{Text: taxDocuments})
	if !errors.Is(err, llm.ErrContextLength) {
		t.Errorf("error = %v", err)
	}
}

// When the budget is used up, the answer contains what was found.
func TestBudget(t *testing.T) {
	for _, tt := range []struct {
		name    string
		limits  budget.Limits
		rows    int // -1: no table
		queries int
		partial bool
	}{
		{"plenty", budget.Limits{ModelCalls: 20, Rows: 1000, Tokens: 1_000_000}, 30, 2, false},
		{"the call for the words is kept back", budget.Limits{ModelCalls: 5}, 30, 2, false},
		{"no call for the second step", budget.Limits{ModelCalls: 4}, -1, 1, true},
		{"no call for a search", budget.Limits{ModelCalls: 2}, -1, 0, true},
		{"rows", budget.Limits{Rows: 10}, 8, 2, true},
		{"no row for the second step", budget.Limits{Rows: 1}, -1, 1, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := newAgent(t, llmtest.New(scripted()...), found(30), nil)
			got, err := qed.Ask(budget.With(t.Context(), tt.limits), a, qed.Turn{Text: taxDocuments})
			if err != nil {
				t.Fatal(err)
			}
			rows := -1
			if got.Table != nil {
				rows = len(got.Table.Rows)
			}
			if rows != tt.rows || len(got.Queries) != tt.queries || got.Partial != tt.partial || got.Text == "" {
				t.Errorf("answer = %d rows, %+v", rows, got)
			}
		})
	}
}
