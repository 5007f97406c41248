package todoagent_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/todoagent"
	"github.com/qedkit/qed/tools"
)

// Below a payment that failed, what is said decides whether it is made again:
// skipping and bringing back does not, its own name does.
func TestPaymentBelow(t *testing.T) {
	for name, test := range map[string]struct {
		say  []string
		paid int
	}{
		"skipped with what it needs, and brought back": {[]string{"skip a", "retry a", "continue"}, 1},
		"not named":                      {[]string{"retry a", `edit a: {"text":"y"}`}, 1},
		"named next to what it needs":    {[]string{"retry a and p"}, 2},
		"named with the verb once more":  {[]string{"retry a, retry p."}, 2},
		"named on a line of its own":     {[]string{"edit a: {\"text\":\"y\"}\nretry p"}, 2},
		"named with one that is unknown": {[]string{"retry a and q"}, 1},
		"skipped, then the other":        {[]string{"skip p", "retry a"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			l := &qedtest.Ledger{}
			model := plansInTurn("continue", []todoTask{task("a", "say", `{"text":"x"}`), task("p", "pay", `{"k":"p","fail":true,"text":{"$result":"a/text"}}`), task("f", "fail", `{}`)})
			talk := newTodoTalk(t, model, todoTools(t, payTool(l)), nil)
			for _, text := range append([]string{"go"}, test.say...) {
				talk.say(text)
			}
			if l.Count()["p"] != test.paid {
				t.Errorf("paid %v, want %d times", l.Count(), test.paid)
			}
		})
	}
}

// A tool that asks has not done its work: what the user says instead of an
// answer may change what it is called with.
func TestEditOfWhatAsks(t *testing.T) {
	resolve := qed.NewTool("lookup", "looks up a port", func(ctx context.Context, in struct {
		Name string `json:"name"`
	}) (string, error) {
		if in.Name != "Miami" {
			return in.Name, nil
		}
		return qed.Interrupt[string](ctx, question.Question{Text: "Which Miami?", Choices: []question.Choice{{ID: "POM", Text: "Port of Miami"}, {ID: "MCT", Text: "Miami Container Terminal"}}})
	})
	resolve.Interrupts = true
	model := todoModel(t, map[string][]llmtest.Reply{"plan_todos": {planned(task("x", "lookup", `{"name":"Miami"}`))},
		"read_reply":      {readAs("modification")},
		"classify_intent": {intentOf("modification", map[string]any{"key": "x", "action": "edit", "arguments": `{"name":"Shanghai"}`})}})
	talk := newTodoTalk(t, model, todoTools(t, resolve), nil)
	talk.say("go")
	if answer := talk.say("no, I meant Shanghai"); answer.Text != "Shanghai" {
		t.Errorf("answer = %+v", answer)
	}
}

// Small results are in the answer, except empty ones.
func TestSmallResults(t *testing.T) {
	for result, want := range map[string]string{`142`: "Do n: 142", `true`: "Do n: true", `"US"`: "US", `[7]`: "Do n: [7]", `null`: "Do n: done", `{}`: "Do n: done"} {
		tool := repeatable(qed.Tool{Name: "n", Input: []byte(`{"type":"object"}`), Call: func(context.Context, json.RawMessage) (json.RawMessage, error) {
			return json.RawMessage(result), nil
		}})
		model := todoModel(t, map[string][]llmtest.Reply{"plan_todos": {planned(task("n", "n", `{}`))}})
		if answer := newTodoTalk(t, model, todoTools(t, tool), nil).say("how many?"); answer.Text != want {
			t.Errorf("%s: answer = %q, want %q", result, answer.Text, want)
		}
	}
}

// An agent that failed before it asked does not get the question of the agent around it.
func TestFailedBeforeAQuestion(t *testing.T) {
	var requests []string
	var calls atomic.Int32
	model := plansInTurn("new_request", []todoTask{task("s", "say", `{"text":"hi"}`)})
	inner := nestedAgent(t, spied(&requests, llm.ModelFunc(func(ctx context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
		if req.Name == "reiterate_intention" && calls.Add(1) == 1 {
			return nil, errors.New("the model is down")
		}
		return model.Generate(ctx, req, stream)
	})))
	host := qed.Durable(qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
		answer, err := qed.Ask(ctx, inner, qed.Turn{Thread: "t", Text: "how many were late?"})
		if err != nil && !errors.Is(err, qed.ErrInterrupted) {
			_, err = qed.Interrupt[string](ctx, question.Question{Text: "Try again?", Choices: []question.Choice{{ID: "yes", Text: "yes"}, {ID: "no", Text: "no"}}})
		}
		return answer, err
	}), &store.InMemory{}, nil)
	for _, text := range []string{"go", "yes"} {
		if _, err := qed.Ask(t.Context(), host, qed.Turn{Thread: "t", Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	if slices.Contains(requests, "yes") {
		t.Errorf("it was asked %q", requests)
	}
}

// The open plan of an agent that is a task resumes where the budget of the turn stopped it.
func TestNestedBudget(t *testing.T) {
	l := &qedtest.Ledger{}
	inner := nestedAgent(t, plansInTurn("continue", []todoTask{task("p", "pay", `{"k":"p"}`), task("a", "say", `{"text":"1"}`), task("b", "say", `{"text":"done"}`)}), payTool(l))
	talk := newTodoTalk(t, plansInTurn("continue", []todoTask{task("c", "sub", `{"question":"which?"}`)}), todoTools(t, tools.FromAgent("sub", "answers", inner)), nil)
	limited := budget.With(talk.ctx, budget.Limits{ToolCalls: 2})
	if answer, err := qed.Ask(limited, talk.agent, qed.Turn{Thread: "t", Text: "go"}); err != nil || !answer.Partial {
		t.Fatalf("answer = %+v, %v", answer, err)
	}
	if answer := talk.say("continue"); !strings.HasSuffix(answer.Text, "done") || answer.Partial || l.Count()["p"] != 1 {
		t.Errorf("answer = %+v, paid %v", answer, l.Count())
	}
}

// slowResults is a store that fails once to return a saved value.
type slowResults struct {
	store.Store
	fails atomic.Bool
}

func (s *slowResults) Records(ctx context.Context, thread string, r store.Range) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		for rec, err := range s.Store.Records(ctx, thread, r) {
			if err == nil && rec.Kind == store.Saved && s.fails.Load() {
				yield(store.Record{}, errors.New("timeout"))
				return
			}
			if !yield(rec, err) {
				return
			}
		}
	}
}

// An answer whose results the store fails to return is given in a later turn.
func TestAnswerIsReadLater(t *testing.T) {
	st := &slowResults{Store: &store.InMemory{}}
	long := strings.Repeat("x", 5000)
	model := todoModel(t, map[string][]llmtest.Reply{"plan_todos": {planned(task("l", "say", `{"text":"`+long+`"}`), task("f", "fail", `{}`))}})
	talk := newTodoTalk(t, model, todoTools(t), &todoagent.Options{Store: st})
	talk.say("go")
	st.fails.Store(true)
	if answer, err := qed.Ask(talk.ctx, talk.agent, qed.Turn{Thread: "t", Text: "skip f"}); err == nil {
		t.Errorf("answer = %+v", answer)
	}
	st.fails.Store(false)
	if answer := talk.say("continue"); answer.Text != long {
		t.Errorf("answer = %.100q", answer.Text)
	}
}
