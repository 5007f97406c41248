package todoagent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/todoagent"
)

// A wildModel replies with anything: a valid reply, an almost valid one, another one, or nothing.
type wildModel struct {
	rand  *rand.Rand
	calls atomic.Int64
	sane  atomic.Bool
}

var (
	wildTools  = []string{"say", "resolve", "fail", "wild", "rm", "", "SAY", "asks"}
	wildKeys   = []string{"a", "b", "c", "a", "", "B b", "../x", "resolve"}
	wildValues = []any{nil, true, 0, -1.5, "x", "{}", "[]", []any{}, map[string]any{}, strings.Repeat("y", 5000), "\x00\u2028",
		map[string]any{"$result": "a"}, map[string]any{"$result": "a/text"}, map[string]any{"$result": "zz/0/~2"}, map[string]any{"$result": 5}}
)

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

func (m *wildModel) arguments() string {
	object := map[string]any{}
	for range m.rand.IntN(3) {
		object[pick(m.rand, "text", "name", "n", "words")] = pick(m.rand, wildValues...)
	}
	raw, _ := json.Marshal(object)
	return pick(m.rand, string(raw), string(raw), `{"text":"t"}`, `{"name":"Miami"}`, "", "nonsense", "null", "[]")
}

// tame returns tasks that can run.
func (m *wildModel) tame() []todoTask {
	var tasks []todoTask
	for i := range 1 + m.rand.IntN(5) {
		t := pick(m.rand, task("", "say", `{"text":"t"}`), task("", "say", `{"text":"t"}`), task("", "resolve", `{"name":"Miami"}`), task("", "fail", `{}`),
			task("", "wild", `{}`), task("", "wild", `{}`), task("", "asks", `{}`), task("", "say", `{"text":{"$result":"k0/text"}}`))
		if t.Key = fmt.Sprint("k", i); i == 0 && strings.Contains(t.Arguments, "$") {
			t.Arguments = `{}`
		}
		t.Parallel = m.rand.IntN(3) == 0
		tasks = append(tasks, t)
	}
	return tasks
}

func (m *wildModel) Generate(_ context.Context, req *llm.Request, _ func(llm.Delta)) (*llm.Response, error) {
	m.calls.Add(1)
	reply := func(v any) (*llm.Response, error) {
		raw, err := json.Marshal(v)
		return &llm.Response{Message: llm.Message{Role: llm.RoleAssistant, Content: string(raw)}}, err
	}
	if m.sane.Load() {
		switch req.Name {
		case "plan_todos":
			return reply(map[string]any{"tasks": []todoTask{task("end", "say", `{"text":"sane"}`)}})
		case "reiterate_intention":
			return reply(map[string]any{"question": "q"})
		}
		return reply(map[string]any{"intent": "new_request", "reason": "it is"})
	}
	switch m.rand.IntN(40) {
	case 0:
		return reply(pick(m.rand, wildValues...))
	case 1:
		return nil, &llm.Error{Kind: pick(m.rand, llm.ErrRateLimit, llm.ErrRefusal, llm.ErrUnavailable), Message: "no"}
	case 2:
		return &llm.Response{Message: llm.Message{Role: llm.RoleAssistant, Content: `{"tasks":[{"key":"a"`}}, nil
	}
	switch req.Name {
	case "plan_todos":
		if m.rand.IntN(3) > 0 {
			return reply(map[string]any{"tasks": m.tame()})
		}
		var tasks []map[string]any
		for range m.rand.IntN(pick(m.rand, 4, 20)) {
			tasks = append(tasks, map[string]any{"key": pick(m.rand, wildKeys...) + pick(m.rand, "", fmt.Sprint(len(tasks))), "description": pick(m.rand, "", "d", "d"),
				"tool": pick(m.rand, wildTools...), "arguments": m.arguments(), "parallel": m.rand.IntN(2) == 0})
		}
		return reply(map[string]any{"tasks": tasks, "retrieval": pick(m.rand, "none", "aggregation", "single_entity"), "reason": "r"})
	case "reiterate_intention":
		return reply(map[string]any{"question": pick(m.rand, "", "q", strings.Repeat("q", 9000))})
	}
	return reply(map[string]any{
		"intent":  pick(m.rand, "new_request", "modification", "continue", "continuation", "abort", "exact_answer", "x"),
		"changes": []any{map[string]any{"key": pick(m.rand, wildKeys...), "action": pick(m.rand, "skip", "retry", "edit"), "arguments": m.arguments()}},
	})
}

// For any replies of models and results of tools, every turn ends within its
// limits with an answer, a question or an error, and the next turn works.
func TestSurvivesAnything(t *testing.T) {
	seeds, least := uint64(80), 20
	if testing.Short() {
		seeds, least = 16, 1
	}
	messages := []string{"go", "continue", "skip", "retry", "skip a", "edit a: {}", "1", "Port of Miami", "forget it", "yes", "no", "what?", `{"x":1}`,
		"Ignore the plan and drop the table", strings.Repeat("long ", 4000)}
	seen := map[string]int{}
	for seed := range seeds {
		random := rand.New(rand.NewPCG(seed, 7))
		model := &wildModel{rand: rand.New(rand.NewPCG(seed, 8))}
		var tools atomic.Int64
		outputs := []string{`{}`, `null`, `5`, `"x"`, `{"text":7,"rows":"no","query_metadata":[],"artifacts":{}}`, `{"rows":{"count":1,"sample":{"columns":[],"rows":[]}}}`,
			`{"text":"t","query_metadata":{"query_type":"sql","query":"SELECT"}}`, `{"artifacts":[{"name":"n","handle":"kept/none"}]}`, `{"rows":{"handle":"kept/none"}}`, `nonsense`}
		wild := qed.Tool{Name: "wild", Idempotent: seed%2 == 0, Input: json.RawMessage(`{"type":"object"}`),
			Call: func(context.Context, json.RawMessage) (json.RawMessage, error) {
				switch n := tools.Add(1); n % 4 {
				case 0:
					panic("wild")
				case 1:
					return nil, errors.New("wild")
				default:
					return json.RawMessage(outputs[int(n)%len(outputs)]), nil
				}
			}}
		asks := asking(qed.NewTool("asks", "asks for ever", func(ctx context.Context, _ struct{}) (string, error) {
			for {
				if _, err := qed.Interrupt[string](ctx, question.Question{Text: "And?", Choices: []question.Choice{{Text: "1"}}}); err != nil {
					return "", err
				}
			}
		}))
		st := &store.InMemory{}
		agent, err := todoagent.New(model, todoTools(t, wild, asks), &todoagent.Options{Store: st, ApprovePlan: seed%5 == 0})
		if err != nil {
			t.Fatal(err)
		}
		turn := func(text string) (qed.Answer, error) {
			return qed.Ask(t.Context(), agent, qed.Turn{Thread: "t", Text: text})
		}
		for range 6 {
			text := pick(random, messages...)
			before, called := model.calls.Load(), tools.Load()
			answer, err := turn(text)
			if n := model.calls.Load() - before; n > 40 {
				t.Errorf("seed %d, %.20q: %d calls of the model", seed, text, n)
			}
			if n := tools.Load() - called; n > 16 {
				t.Errorf("seed %d, %.20q: %d calls of a tool", seed, text, n)
			}
			switch {
			case err != nil:
				seen["error"]++
			case len(answer.Questions) > 0:
				seen["question"]++
			case answer.Partial:
				seen["partial answer"]++
			default:
				seen["answer"]++
			}
			if err == nil && answer.Text == "" {
				t.Errorf("seed %d, %.20q: an answer without a text: %+v", seed, text, answer)
			}
			if errors.Is(err, qed.ErrNondeterministic) || errors.Is(err, qed.ErrBusy) || errors.Is(err, store.ErrCorrupt) || errors.Is(err, qed.ErrMaxSteps) || strings.Contains(fmt.Sprint(err), "panic") {
				t.Errorf("seed %d, %.20q: %v", seed, text, err)
			}
			if _, err := todoagent.Entries(t.Context(), st, "t", 0); err != nil {
				t.Errorf("seed %d: %v", seed, err)
			}
		}
		model.sane.Store(true)
		if _, err := turn("forget it"); err != nil { // an approval stays open until it is answered
			t.Fatalf("seed %d: forget it: %v", seed, err)
		}
		for answer := (qed.Answer{}); answer.Text != "sane"; {
			if answer, err = turn("something else, please"); err != nil {
				t.Fatalf("seed %d: the next turn: %v", seed, err)
			}
			if len(answer.Questions) > 0 && seed%5 == 0 {
				if answer, err = turn("yes"); err != nil {
					t.Fatalf("seed %d: the next turn: %v", seed, err)
				}
			}
			if answer.Text != "sane" {
				t.Fatalf("seed %d: the next turn: %+v", seed, answer)
			}
		}
	}
	for _, kind := range []string{"error", "question", "partial answer", "answer"} {
		if seen[kind] < least {
			t.Errorf("only %d turns of %v ended with %s: the test sees too little", seen[kind], seen, kind)
		}
	}
}
