package todoagent_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/usermemory"
	"github.com/qedkit/qed/todoagent"
)

// queryTool returns a tool that runs a query and finds rows.
func queryTool(name string) qed.Tool {
	type result struct{ finding.Finding }
	t := repeatable(qed.NewTool(name, "finds shipments", func(ctx context.Context, _ struct{}) (result, error) {
		table := &qed.Table{Columns: []qed.Column{{Name: "port"}, {Name: "delay"}}}
		for i := range 142 {
			if err := table.Append("Miami", i); err != nil {
				return result{}, err
			}
		}
		rows, err := finding.SaveRows(ctx, table)
		return result{finding.Finding{
			Text: "142 shipments found", Rows: rows, Entities: []finding.Entity{{Kind: "port", Name: "Port of Miami", Said: "Miami"}},
			Queries:  []qed.Query{{Language: "sql", Executed: "SELECT 1", Rows: 142}},
			Metadata: &finding.QueryMetadata{QueryType: "sql", Query: json.RawMessage(`"SELECT 1"`), Summary: "142 shipments found", HowToRetrieve: "shipments", ExecutedAt: qed.Now(ctx)},
		}}, err
	}))
	t.Language = "sql"
	return t
}

// An analysis of earlier results: the query is retrieved with its rows.
func TestGoesOnFromAQuery(t *testing.T) {
	count := repeatable(qed.NewTool("count", "counts rows", func(ctx context.Context, in struct {
		Rows finding.RowsRef `json:"rows"`
	}) (map[string]any, error) {
		table, err := in.Rows.Table(ctx)
		if err != nil {
			return nil, err
		}
		return map[string]any{"text": strings.Repeat("x", len(table.Rows))}, nil
	}))
	tools := todoTools(t, queryTool("run"), count)
	if err := tools.Add(todoagent.NewRetrievalTool(tools, nil)); err != nil {
		t.Fatal(err)
	}
	model := todoModel(t, map[string][]llmtest.Reply{
		"plan_todos": {
			planned(task("execute", "run", `{}`), task("say", "say", `{"text":{"$result":"execute/text"}}`)),
			planned(task("retrieve", "retrieve_query_metadata", `{"turn_id":1}`), task("count", "count", `{"rows":{"$result":"retrieve/rows"}}`))},
		"classify_intent": {intentOf("continuation")},
	})
	talk := newTodoTalk(t, model, tools, nil)
	if answer := talk.say("shipments to Miami"); answer.Text != "142 shipments found" || answer.Table == nil || len(answer.Table.Rows) != 142 || len(answer.Queries) != 1 || answer.Queries[0].Task != "execute" {
		t.Errorf("answer = %+v", answer)
	}
	if answer := talk.say("analyse the delays in these results"); len(answer.Text) != 142 {
		t.Errorf("answer = %+v", answer)
	}
	entries, err := todoagent.Entries(talk.ctx, talk.store, "t", 0)
	if err != nil {
		t.Fatal(err)
	}
	want := &finding.QueryMetadata{
		QueryType: "sql", Query: json.RawMessage(`"SELECT 1"`), Summary: "142 shipments found", HowToRetrieve: "shipments",
		ExecutedAt: time.Date(2025, 1, 15, 10, 30, 0, 0, time.UTC), Request: "the question", TurnID: 1, Tool: "run", Arguments: json.RawMessage(`{}`),
		Proof: &qed.Query{Language: "sql", Executed: "SELECT 1", Rows: 142},
	}
	for _, i := range []int{0, 2} {
		got := *entries[i].QueryMetadata
		if got.Rows == nil || got.Rows.Count != 142 || len(got.Rows.Sample.Rows) > 5 || got.Rows.Handle == "" {
			t.Errorf("entry %d: rows = %+v", i, got.Rows)
		}
		got.Rows = nil
		if diff := cmp.Diff(want, &got); diff != "" {
			t.Errorf("entry %d (-want +got):\n%s", i, diff)
		}
	}
	for _, e := range entries {
		for _, task := range e.ActiveTodoListSnapshot.Tasks {
			if task.Result.JSON != nil || task.Result.Handle != "" {
				t.Errorf("the snapshot of entry %d has results", e.TurnID)
			}
		}
	}
}

// Entities and requests of a user are remembered across threads, for this user only.
func TestRemembersItsUser(t *testing.T) {
	user := &usermemory.Memory{Store: &store.InMemory{}}
	model := todoModel(t, map[string][]llmtest.Reply{"plan_todos": {
		planned(task("execute", "run", `{}`)), planned(task("end", "say", `{"text":"2"}`)), planned(task("end", "say", `{"text":"3"}`))}})
	agent, err := todoagent.New(model, todoTools(t, queryTool("run")), &todoagent.Options{Store: &store.InMemory{}, User: user})
	if err != nil {
		t.Fatal(err)
	}
	for i, turn := range []qed.Turn{{Thread: "1", User: "ann", Text: "shipments to Miami"}, {Thread: "2", User: "ann", Text: "more shipments to Miami"}, {Thread: "3", User: "bob", Text: "shipments to Miami"}} {
		if _, err := qed.Ask(t.Context(), agent, turn); err != nil {
			t.Fatal(err)
		}
		reqs := model.Requests()
		last := reqs[len(reqs)-1]
		text := last.Messages[len(last.Messages)-1].Content
		if knows := strings.Contains(text, "Port of Miami"); last.Name != "plan_todos" || knows != (i == 1) {
			t.Errorf("turn %d: the %s prompt knows of the port: %v", i, last.Name, knows)
		}
	}
	entities, err := user.Entities(t.Context(), usermemory.User{Tenant: "", ID: "ann"})
	if err != nil || len(entities) != 1 || entities[0].Name != "Port of Miami" {
		t.Errorf("entities = %+v, %v", entities, err)
	}
	if entities, err := user.Entities(t.Context(), usermemory.User{Tenant: "", ID: "bob"}); err != nil || len(entities) > 0 {
		t.Errorf("bob's entities = %+v, %v", entities, err)
	}
}

// A query that ran again is a new query for later turns.
func TestRefreshedQuery(t *testing.T) {
	found := 1
	run := repeatable(qed.NewTool("run", "runs a query", func(ctx context.Context, _ struct{}) (finding.Finding, error) {
		found++
		table := &qed.Table{Columns: []qed.Column{{Name: "port"}}}
		for range found {
			table.Append("Miami")
		}
		rows, err := finding.SaveRows(ctx, table)
		return finding.Finding{Rows: rows, Metadata: &finding.QueryMetadata{QueryType: "sql", Query: json.RawMessage(`"SELECT 1"`)}}, err
	}))
	tools := todoTools(t, run)
	if err := tools.Add(todoagent.NewRetrievalTool(tools, nil)); err != nil {
		t.Fatal(err)
	}
	model := todoModel(t, map[string][]llmtest.Reply{
		"plan_todos": {planned(task("run", "run", `{}`)), planned(task("get", "retrieve_query_metadata", `{"refresh":true}`)),
			planned(task("get", "retrieve_query_metadata", `{}`)), planned(task("get", "retrieve_query_metadata", `{"turn_id":1}`))},
		"classify_intent": {intentOf("continuation"), intentOf("continuation"), intentOf("continuation")},
	})
	talk := newTodoTalk(t, model, tools, nil)
	for _, step := range []struct {
		say  string
		rows int
	}{{"find them", 2}, {"with fresh data", 3}, {"analyse these", 3}, {"and those before", 2}} {
		if answer := talk.say(step.say); answer.Table == nil || len(answer.Table.Rows) != step.rows {
			t.Errorf("%s: %+v, want %d rows", step.say, answer.Table, step.rows)
		}
	}
	entries, err := todoagent.Entries(talk.ctx, talk.store, "t", 0)
	if err != nil {
		t.Fatal(err)
	}
	var of []int
	for _, e := range entries {
		of = append(of, e.QueryMetadata.TurnID)
	}
	if diff := cmp.Diff([]int{1, 2, 2, 1}, of); diff != "" {
		t.Errorf("the queries of the entries (-want +got):\n%s", diff)
	}
}

// The calendar of the prompts is that of the clock, in the user's zone. A request that was
// rewritten has its days, so the plan needs no calendar.
func TestDatesInPrompts(t *testing.T) {
	auckland := &dates.Calendar{Zone: "Pacific/Auckland", WeekStart: 7, FiscalYearStart: time.April}
	for _, test := range []struct {
		name string
		turn *dates.Calendar
		want []string
	}{
		{"zero", nil, []string{"Today is Friday, 2025-02-28. Days and times are in the time zone UTC.", "A week begins on Monday.",
			"month: last 2025-01-01 to 2025-02-01"}},
		{"Auckland", auckland, []string{"Today is Saturday, 2025-03-01. Days and times are in the time zone Pacific/Auckland.",
			"A week begins on Sunday.", "fiscal year: last 2023-04-01 to 2024-04-01", "month: last 2025-02-01 to 2025-03-01"}},
		{"Berlin", &dates.Calendar{Zone: "Europe/Berlin"},
			[]string{"Today is Saturday, 2025-03-01. Days and times are in the time zone Europe/Berlin."}},
	} {
		t.Run(test.name, func(t *testing.T) {
			model := todoModel(t, map[string][]llmtest.Reply{"plan_todos": {planned(task("end", "say", `{"text":"x"}`))}})
			agent, err := todoagent.New(model, todoTools(t), nil)
			if err != nil {
				t.Fatal(err)
			}
			ctx := qed.WithClock(t.Context(), func() time.Time { return time.Date(2025, 2, 28, 23, 30, 0, 0, time.UTC) })
			if _, err := qed.Ask(ctx, agent, qed.Turn{Text: "shipments of last month", Calendar: test.turn}); err != nil {
				t.Fatal(err)
			}
			for i, request := range model.Requests() {
				for _, want := range test.want {
					if request.Name == "plan_todos" && strings.Contains(want, ": last ") {
						continue
					}
					if !strings.Contains(request.Messages[0].Content, want) {
						t.Errorf("request %d (%s) lacks %q", i, request.Name, want)
					}
				}
			}
		})
	}
}

// A request that no model rewrote is planned with the calendar.
func TestCalendarOfPlan(t *testing.T) {
	for _, rewritten := range []string{"shipments of last month", "shipments from 2025-01-01 to 2025-01-31"} {
		model := todoModel(t, map[string][]llmtest.Reply{
			"reiterate_intention": {{JSON: map[string]any{"question": rewritten}}},
			"plan_todos":          {planned(task("end", "say", `{"text":"x"}`))},
		})
		agent, err := todoagent.New(model, todoTools(t), nil)
		if err != nil {
			t.Fatal(err)
		}
		ctx := qed.WithClock(t.Context(), func() time.Time { return time.Date(2025, 2, 28, 23, 30, 0, 0, time.UTC) })
		if _, err := qed.Ask(ctx, agent, qed.Turn{Text: "shipments of last month"}); err != nil {
			t.Fatal(err)
		}
		for _, request := range model.Requests() {
			want := request.Name != "plan_todos" || rewritten == "shipments of last month"
			if got := strings.Contains(request.Messages[0].Content, "month: last 2025-01-01 to 2025-02-01"); got != want {
				t.Errorf("%s: the prompt %s has the calendar: %v", rewritten, request.Name, got)
			}
		}
	}
}
