package integration_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/examples/shipping"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/searchagent"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/todoagent"
)

// shippingScenarios runs every scenario on an engine that has the indices. It returns the
// answers in the order of the turns.
func shippingScenarios(t *testing.T, engine searchagent.Engine) []qed.Answer {
	t.Helper()
	server, err := shipping.Serve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	var answers []qed.Answer
	for _, s := range shipping.Scenarios() {
		want := expected[s.Number]
		if len(want) != len(s.Turns) {
			t.Fatalf("scenario %d has %d turns, want %d", s.Number, len(s.Turns), len(want))
		}
		t.Run(fmt.Sprint(s.Number), func(t *testing.T) {
			answers = append(answers, hold(t, engine, server.URL, s, want)...)
		})
	}
	tables, analyses := 0, 0
	for _, a := range answers {
		if tableIsTrue(t, a) {
			tables++
		}
		if strings.Contains(a.Text, "median delay of its") {
			saysWhatIsTrue(t, a.Text)
			analyses++
		}
	}
	if tables != 8 || analyses != 1 {
		t.Errorf("%d tables and %d analyses were compared with the data, want 8 and 1", tables, analyses)
	}
	return answers
}

// hold runs one scenario and checks the result of each turn.
func hold(t *testing.T, engine searchagent.Engine, graphQL string, s shipping.Scenario, want []shippingTurn) []qed.Answer {
	t.Helper()
	st := &store.InMemory{}
	model := llmtest.New(shipping.Replay(s)...)
	ctx := qed.WithClock(t.Context(), func() time.Time { return shipping.Now })
	var answers []qed.Answer
	saved := 0
	for i, said := range s.Turns {
		// A new agent for each turn, as after a restart: only the store keeps state.
		agent, err := shipping.NewAgent(model, engine, graphQL, s.User, &todoagent.Options{Store: st})
		if err != nil {
			t.Fatal(err)
		}
		got, answer := runShipping(ctx, t, agent, qed.Turn{Thread: "t", User: s.User.Name, Tenant: shipping.Company, Text: said.Text})
		all, err := todoagent.Entries(ctx, store.ForUser(st, shipping.Company, s.User.Name), "t", 0)
		if err != nil {
			t.Fatal(err)
		}
		got.remember(t, all[saved:], i+1, said.Text, want[i].Asks)
		saved = len(all)
		if diff := cmp.Diff(want[i], got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", said.Text, diff)
		}
		answers = append(answers, answer)
	}
	requests := model.Requests()
	if len(requests) == 0 {
		t.Error("the model got no request")
	}
	for _, r := range requests {
		if slices.ContainsFunc(r.Messages, hasSecrets) {
			t.Errorf("the request %s to the model contains the tenant", r.Name)
		}
	}
	return answers
}

// hasSecrets reports whether a message contains the tenant's field or the other company.
func hasSecrets(m llm.Message) bool {
	return strings.Contains(m.Content, "tenant_id") || strings.Contains(m.Content, "red-ensign")
}

// runShipping runs a turn, and returns a summary of its events and the answer.
func runShipping(ctx context.Context, t *testing.T, agent qed.Agent, ask qed.Turn) (got shippingTurn, answer qed.Answer) {
	t.Helper()
	for event, err := range agent.Run(ctx, ask) {
		if err != nil {
			t.Fatalf("%s: %v", ask.Text, err)
		}
		switch d := event.Data.(type) {
		case qed.IntentClassified:
			got.Intent = string(d.Intent)
		case qed.QuestionRewritten:
			got.Question = d.Question
		case qed.Planned:
			for _, step := range d.Tasks {
				got.Plan = append(got.Plan, step.Key+" by "+step.Tool)
			}
		case qed.Completed:
			answer = d.Answer
		}
	}
	got.Text, got.Artifacts = answer.Text, len(answer.Artifacts)
	for _, q := range answer.Questions {
		got.Asks += q.String()
	}
	if answer.Table != nil {
		got.Rows = len(answer.Table.Rows)
	}
	if answer.Partial {
		t.Errorf("%s: the answer is partial: %s", ask.Text, answer.PartialReason)
	}
	return got, answer
}

// remember adds the memory entries of a turn to its summary, and checks each entry.
func (got *shippingTurn) remember(t *testing.T, entries []todoagent.Entry, userTurn int, input, asks string) {
	t.Helper()
	for _, e := range entries {
		list := e.ActiveTodoListSnapshot
		got.Source = list.Retrieval + " from " + list.DataSource
		short := memoryEntry{TurnID: e.TurnID, Key: e.TodoKey, Tool: strings.Join(e.ToolsCalled, ", "), Status: e.Status, Next: list.Current}
		if q := e.QueryMetadata; q != nil {
			short.Query = q.QueryType + ": " + q.Summary
			if q.HowToRetrieve == "" || !q.ExecutedAt.Equal(shipping.Now) || len(e.QueriesExecuted) != 1 {
				t.Errorf("entry %d: the query ran at %v, is found again by %q, and %d queries ran", e.TurnID, q.ExecutedAt, q.HowToRetrieve, len(e.QueriesExecuted))
			}
		}
		got.Memory = append(got.Memory, short)
		if e.UserTurn != userTurn || e.UserInput != input || !e.Time.Equal(shipping.Now) {
			t.Errorf("entry %d is of turn %d, in which the user said %q, at %v", e.TurnID, e.UserTurn, e.UserInput, e.Time)
		}
		if e.TodoDescription == "" || e.AgentAction == "" {
			t.Errorf("entry %d does not say what was done: %q, %q", e.TurnID, e.TodoDescription, e.AgentAction)
		}
		switch question := e.ClarificationAsked; {
		case e.Status != qed.TodoInterrupted && question != nil:
			t.Errorf("entry %d of status %s has the question %q", e.TurnID, e.Status, *question)
		case e.Status == qed.TodoInterrupted && (question == nil || *question != asks):
			t.Errorf("entry %d has the question %v, want %q", e.TurnID, question, asks)
		}
	}
}
