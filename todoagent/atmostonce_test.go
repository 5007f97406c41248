package todoagent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/todoagent"
)

// A todoLedger counts calls that must not be repeated without the user.
type todoLedger struct {
	mu      sync.Mutex
	paid    map[string]int // calls of a tool that must not be repeated, by key
	asked   map[string]int // retries and edits by key
	ran     map[string]int // calls of a tool that is to be approved, by arguments
	allowed map[string]int
}

func (l *todoLedger) tools() []qed.Tool {
	pay := qed.NewTool("pay", "pays", func(_ context.Context, in struct {
		K    string `json:"k"`
		Text any    `json:"text,omitempty"`
		Fail bool   `json:"fail,omitempty"`
	}) (any, error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.paid[in.K]++
		if in.Fail {
			return nil, errors.New("the answer was lost")
		}
		return map[string]string{"text": "paid " + in.K}, nil
	})
	danger := repeatable(qed.Tool{Name: "danger", Input: json.RawMessage(`{"type":"object"}`), Call: func(_ context.Context, raw json.RawMessage) (json.RawMessage, error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.ran[sorted(raw)]++
		return json.RawMessage(`{"text":"done"}`), nil
	}})
	return []qed.Tool{pay, danger}
}

// sorted returns a JSON value with its members sorted.
func sorted(raw json.RawMessage) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	out, _ := json.Marshal(v) // it was JSON
	return string(out)
}

// randomPlan returns tasks that pay, ask, fail and need approval; some of them
// need the results of others.
func randomPlan(r *rand.Rand) []todoTask {
	var tasks []todoTask
	for i := range 2 + r.IntN(5) {
		key, needs := fmt.Sprint("k", i), ""
		if i > 0 && r.IntN(2) == 0 {
			needs = fmt.Sprintf(`,"text":{"$result":"k%d/text"}`, r.IntN(i))
		}
		t := pick(r,
			task(key, "pay", `{"k":"`+key+`"`+needs+`}`), task(key, "pay", `{"k":"`+key+`","fail":true}`), task(key, "danger", `{"k":"`+key+`"`+needs+`}`),
			task(key, "resolve", `{"name":"Miami"}`), task(key, "say", `{"text":"x"}`), task(key, "fail", `{}`))
		t.Parallel = r.IntN(2) == 0
		tasks = append(tasks, t)
	}
	return tasks
}

// For any messages, an at-most-once call is made once, unless the user retries
// or edits its task by key, and a call that needs approval runs as often as it
// was approved.
func TestDoesNothingByItself(t *testing.T) {
	for seed := range uint64(80) {
		r := rand.New(rand.NewPCG(seed, 99))
		l := &todoLedger{paid: map[string]int{}, asked: map[string]int{}, ran: map[string]int{}, allowed: map[string]int{}}
		st := &store.InMemory{}
		plan := randomPlan(r)
		agent, err := todoagent.New(plansInTurn("continue", plan), approving(t, todoTools(t, l.tools()...), "danger"),
			&todoagent.Options{Store: st, Durable: &qed.DurableOptions{MaxQuestions: 100}})
		if err != nil {
			t.Fatal(err)
		}
		turn := qed.Turn{Thread: "t", Text: "go"}
		var trace []string
		for range 14 {
			answer, err := qed.Ask(t.Context(), agent, turn)
			trace = append(trace, fmt.Sprintf("%q %v -> %.60q, %d questions, %v", turn.Text, turn.Replies, answer.Text, len(answer.Questions), err))
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, strings.Join(trace, "\n"))
			}
			for key, n := range l.paid {
				if n > 1+l.asked[key] {
					t.Fatalf("seed %d: %s was paid %d times\n%s", seed, key, n, strings.Join(trace, "\n"))
				}
			}
			for arguments, n := range l.ran {
				if n > l.allowed[arguments] {
					t.Fatalf("seed %d: %s ran %d times\n%s", seed, arguments, n, strings.Join(trace, "\n"))
				}
			}
			entries, err := todoagent.Entries(t.Context(), st, "t", 0)
			if err != nil {
				t.Fatal(err)
			}
			for i, e := range entries {
				if e.TurnID != i+1 {
					t.Fatalf("seed %d: entry %d has the turn_id %d\n%s", seed, i+1, e.TurnID, strings.Join(trace, "\n"))
				}
			}
			if len(answer.Questions) == 0 && !strings.Contains(answer.PartialReason, "failed") {
				break // the plan is over: another message would have another plan made, with keys of the same names
			}
			turn = qed.Turn{Thread: "t"}
			key := pick(r, plan...).Key
			switch n := r.IntN(8); {
			case n == 0:
				turn.Text = "skip " + key
			case n == 1:
				turn.Text = "retry " + key
				l.asked[key]++
			case n == 2:
				turn.Text = `edit ` + key + `: {"k":"` + key + `"}`
				l.asked[key]++
			case len(answer.Questions) == 0:
				turn.Text = "continue"
			default:
				q := pick(r, answer.Questions...)
				value := `"POM"`
				if q.Kind == question.KindApproval {
					value = `"approve"`
					l.allowed[sorted(q.Draft)]++
				}
				turn.Replies = []question.Reply{{Question: q.ID, Value: json.RawMessage(value)}}
			}
		}
	}
}
