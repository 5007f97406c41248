package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/tools"
)

// manyShipments is an agent that answers with n rows.
func manyShipments(n int) qed.Agent {
	return qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		table := qed.Table{Columns: []qed.Column{{Name: "id"}}}
		for i := range n {
			if err := table.Append(i); err != nil {
				return qed.Answer{}, err
			}
		}
		return qed.Answer{
			Text: "for " + turn.User + " of " + turn.Tenant, Table: &table, Partial: true, PartialReason: "the first ones",
			Queries:   []qed.Query{{Language: "sql", Written: "SELECT i", Executed: "SELECT id", Rows: n}, {Language: "sql", Written: "SELECT x"}},
			Artifacts: []qed.Artifact{{Name: "chart", MediaType: "text/plain", Data: []byte(strings.Repeat("x", 10<<10))}},
			Citations: []qed.Citation{{Title: "manual"}},
		}, nil
	})
}

func TestFromAgent(t *testing.T) {
	now := time.Date(2025, 1, 15, 12, 0, 0, 0, time.UTC)
	ctx := qed.WithClock(t.Context(), func() time.Time { return now })
	registry := qed.NewRegistry(nil)
	if err := registry.Add(tools.FromAgent("sql_agent", "answers", manyShipments(2000))); err != nil {
		t.Fatal(err)
	}
	agent := qed.Durable(qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		results, err := registry.Do(ctx, llm.ToolCall{Name: "sql_agent", Arguments: json.RawMessage(`{"question":"Which shipments?"}`)})
		if err != nil {
			return qed.Answer{}, err
		}
		if results[0].Err != nil {
			return qed.Answer{}, results[0].Err
		}
		var found finding.Finding
		if err := json.Unmarshal(results[0].Output, &found); err != nil {
			return qed.Answer{}, err
		}
		rows, err := found.Rows.Table(ctx)
		if err != nil || len(rows.Rows) != 2000 || len(found.Rows.Sample.Rows) > 10 {
			t.Errorf("%d rows are kept, %d in the sample, %v", len(rows.Rows), len(found.Rows.Sample.Rows), err)
		}
		if a, err := found.Artifacts[0].Artifact(ctx); err != nil || len(a.Data) != 10<<10 || len(found.Artifacts[0].Data) > 0 {
			t.Errorf("the artifact: %d bytes, %v", len(a.Data), err)
		}
		want := &finding.QueryMetadata{
			QueryType: "sql", Query: json.RawMessage(`"SELECT i"`), Summary: "2000 rows found", ExecutedAt: now, Request: "Which shipments?",
			Tool: "sql_agent", Arguments: json.RawMessage(`{"question":"Which shipments?"}`), HowToRetrieve: found.Metadata.HowToRetrieve, Rows: found.Rows,
		}
		if diff := cmp.Diff(want, found.Metadata); diff != "" {
			t.Errorf("metadata (-want +got)\n%s", diff)
		}
		if found.Text != "for ann of acme" || found.Partial != "the first ones" || found.Rows.Partial != "the first ones" || len(found.Queries) != 2 || len(found.Citations) != 1 {
			t.Errorf("found %+v", found)
		}
		return qed.Answer{}, nil
	}), new(store.InMemory), nil)
	if _, err := qed.Ask(ctx, agent, qed.Turn{Thread: "1", User: "ann", Tenant: "acme", Text: "go"}); err != nil {
		t.Error(err)
	}
}

func TestFromAgentWithoutAQuery(t *testing.T) {
	agent := qed.AgentFunc(func(context.Context, qed.Turn) (qed.Answer, error) { return qed.Answer{Text: "hello"}, nil })
	got, err := callTool(t.Context(), t, tools.FromAgent("chat", "talks", agent), `{"question":"hi"}`)
	if diff := cmp.Diff(map[string]any{"text": "hello"}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	silent := qed.AgentFunc(func(context.Context, qed.Turn) (qed.Answer, error) {
		return qed.Answer{Text: "half", Partial: true}, nil
	})
	if got, err := callTool(t.Context(), t, tools.FromAgent("chat", "talks", silent), `{"question":"hi"}`); err != nil || got["partial"] == nil {
		t.Errorf("partial for no reason: %v, %v", got, err)
	}
	failing := qed.AgentFunc(func(context.Context, qed.Turn) (qed.Answer, error) { return qed.Answer{}, errors.New("no database") })
	if got, err := callTool(t.Context(), t, tools.FromAgent("chat", "talks", failing), `{"question":"hi"}`); err == nil {
		t.Errorf("got %v", got)
	}
}

// An agent that is a tool interrupts the run, and is resumed where it did.
func TestFromAgentInterrupts(t *testing.T) {
	inner := qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		port, err := qed.Interrupt[string](ctx, question.Question{Text: "Which Miami?"})
		return qed.Answer{Text: "in " + port}, err
	})
	registry := qed.NewRegistry(nil)
	if err := registry.Add(tools.FromAgent("ports", "knows ports", inner)); err != nil {
		t.Fatal(err)
	}
	agent := qed.Durable(qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		results, err := registry.Do(ctx, llm.ToolCall{Name: "ports", Arguments: json.RawMessage(`{"question":"where?"}`)})
		if err != nil {
			return qed.Answer{}, err
		}
		return qed.Answer{Text: string(results[0].Output)}, results[0].Err
	}), new(store.InMemory), nil)
	answer, err := qed.Ask(t.Context(), agent, qed.Turn{Thread: "1", Text: "where?"})
	if err != nil || len(answer.Questions) != 1 {
		t.Fatal(answer, err)
	}
	answer, err = qed.Ask(t.Context(), agent, qed.Turn{Thread: "1", Text: "the port", Replies: []question.Reply{{Question: answer.Questions[0].ID, Value: json.RawMessage(`"the port"`)}}})
	if err != nil || answer.Text != `{"text":"in the port"}` {
		t.Error(answer.Text, err)
	}
}

// A query that ran after a pause has the time of the reply, not that of the run.
func TestFromAgentAfterAPause(t *testing.T) {
	now := time.Date(2025, 1, 6, 9, 0, 0, 123456789, time.FixedZone("", 3600))
	var found finding.Finding
	tool := tools.FromAgent("sql_agent", "answers", manyShipments(3))
	agent := qed.Durable(qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
		if _, err := qed.Interrupt[string](ctx, question.Question{Text: "May it run?"}); err != nil {
			return qed.Answer{}, err
		}
		output, err := tool.Call(ctx, json.RawMessage(`{"question":"Which?"}`))
		if err != nil {
			return qed.Answer{}, err
		}
		return qed.Answer{}, json.Unmarshal(output, &found)
	}), new(store.InMemory), nil)
	ctx := qed.WithClock(t.Context(), func() time.Time { return now })
	answer, err := qed.Ask(ctx, agent, qed.Turn{Thread: "1", Text: "go"})
	if err != nil || len(answer.Questions) != 1 {
		t.Fatal(answer, err)
	}
	now = now.AddDate(0, 0, 5)
	reply := question.Reply{Question: answer.Questions[0].ID, Value: json.RawMessage(`"yes"`)}
	if _, err = qed.Ask(ctx, agent, qed.Turn{Thread: "1", Replies: []question.Reply{reply}}); err != nil {
		t.Fatal(err)
	}
	if want := now.UTC().Truncate(time.Microsecond); found.Metadata.ExecutedAt != want {
		t.Errorf("it ran at %v, want %v", found.Metadata.ExecutedAt, want)
	}
}
