package todoagent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/todoagent"
	"github.com/qedkit/qed/tools"
)

// A process dies after any record, and what the user says next does not run the
// plan: an edit that is refused. The details of the run that died are then
// removed, or are not. No at-most-once call of a task that is left is made again
// when the plan is continued, of a tool or of an agent.
func TestRefusedEditAfterACrash(t *testing.T) {
	for _, keep := range []int{0, 1, 2} {
		for _, nested := range []bool{false, true} {
			t.Run(fmt.Sprint("keep ", keep, " nested ", nested), func(t *testing.T) { refuseAfterCrash(t, keep, nested) })
		}
	}
}

func refuseAfterCrash(t *testing.T, keep int, nested bool) {
	fresh := func(st store.Store, l *qedtest.Ledger) qed.Agent {
		pay, arguments := payTool(l), `{"k":"c"}`
		if nested {
			inner := nestedAgent(t, plansInTurn("continue", []todoTask{task("p", "pay", arguments), task("s", "resolve", `{"name":"Miami"}`)}), pay)
			pay, arguments = tools.FromAgent("sub", "pays", inner), `{"question":"pay c"}`
		}
		plan := []todoTask{task("a", "say", `{"text":"x"}`), task("c", pay.Name, arguments), task("f", "say", `{"text":"done"}`)}
		agent, err := todoagent.New(plansInTurn("continue", plan), todoTools(t, pay), &todoagent.Options{
			Store: st, Durable: &qed.DurableOptions{KeepRuns: keep},
		})
		if err != nil {
			t.Fatal(err)
		}
		return agent
	}
	l := &qedtest.Ledger{}
	snaps := qedtest.NewSnapshots(t, l)
	clock := qedtest.NewClock()
	ctx := qed.WithClock(t.Context(), clock.Now)
	turn := qed.Turn{Thread: "t", Text: "go"}
	if _, err := qed.Ask(ctx, fresh(snaps, l), turn); err != nil {
		t.Fatal(err)
	}
	if l.Count()["c"] != 1 {
		t.Fatalf("paid %v", l.Count())
	}
	ended := 0
	for _, m := range snaps.Moments {
		last := m.Log[len(m.Log)-1]
		clock.Pass(time.Hour)
		st, again := qedtest.Restore(t, m.Log), qedtest.NewLedger(m.Made)
		agent := fresh(st, again)
		var said []string
		for _, text := range []string{`edit c: {"none":1}`, "continue", "continue"} {
			turn.Text = text
			a, err := qed.Ask(ctx, agent, turn)
			if err != nil {
				t.Fatalf("after record %d (%s %s): %q: %v", last.Seq, last.Kind, last.Address, text, err)
			}
			said = append(said, a.Text)
			if !strings.HasPrefix(said[0], "The plan was not changed") {
				break // there was no plan to edit: it is a new request
			}
			if !a.Partial && len(a.Questions) == 0 {
				ended++
				break
			}
		}
		if n := again.Count()["c"]; n > 1 && len(said) > 1 {
			t.Errorf("after record %d (%s %s): paid %d times: %q", last.Seq, last.Kind, last.Address, n, said)
		}
	}
	if ended == 0 && !nested {
		t.Error("no plan was continued to its end")
	}
}

// A retrieval that calls an agent again, and failed after an at-most-once call
// of that agent, is not made again unless the user asks for it.
func TestRetrievalThatFailedAfterACall(t *testing.T) {
	l := &qedtest.Ledger{}
	pay := todoTools(t, payTool(l))
	asked := 0
	inner := qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
		asked++
		if _, err := pay.Do(ctx, llm.ToolCall{ID: "1", Name: "pay", Arguments: []byte(`{"k":"p"}`)}); err != nil {
			return qed.Answer{}, err
		}
		if asked == 2 {
			return qed.Answer{}, errors.New("the bank is closed")
		}
		table := &qed.Table{Columns: []qed.Column{{Name: "n"}}, Rows: [][]any{{int64(1)}}}
		return qed.Answer{Text: "one row", Table: table, Queries: []qed.Query{{Language: "sql", Written: "SELECT 1", Executed: "SELECT 1", Rows: 1}}}, nil
	})
	registry := todoTools(t, tools.FromAgent("sub", "pays and finds", inner))
	if err := registry.Add(todoagent.NewRetrievalTool(registry, nil)); err != nil {
		t.Fatal(err)
	}
	model := plansInTurn("continuation", []todoTask{task("s", "sub", `{"question":"which?"}`)},
		[]todoTask{task("r", "retrieve_query_metadata", `{"refresh":true}`)})
	talk := newTodoTalk(t, model, registry, nil)
	talk.say("go")
	if a := talk.say("and now?"); !a.Partial || l.Count()["p"] != 2 {
		t.Fatalf("answer = %+v, paid %v", a, l.Count())
	}
	if a := talk.say("continue"); !a.Partial || l.Count()["p"] != 2 {
		t.Errorf("answer = %+v, paid %v", a, l.Count())
	}
	if a := talk.say("retry r"); a.Partial || l.Count()["p"] != 3 {
		t.Errorf("answer = %+v, paid %v", a, l.Count())
	}
}
