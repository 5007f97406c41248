package todoagent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/todoagent"
)

// queries is a conversation that remembers queries, and the tool that runs them.
type queries struct {
	registry *qed.Registry
	ran      int
	agent    qed.Agent
	entries  []finding.QueryMetadata // to remember; a nil Rows gets what is kept
	call     string                  // the arguments of retrieve_query_metadata
	result   qed.ToolResult
	found    retrieved
	cut      bool
}

type retrieved struct {
	finding.Finding
	Cached bool `json:"cached"`
}

func newQueries(t *testing.T, e llm.Embedder) *queries {
	t.Helper()
	q := &queries{registry: qed.NewRegistry(nil)}
	type input struct {
		Port string `json:"port"`
	}
	executor := qed.NewTool("es_executor", "runs", func(ctx context.Context, in input) (finding.Finding, error) {
		if in.Port == "forbidden" {
			return finding.Finding{}, errors.New("you may not see that port")
		}
		q.ran++
		table := qed.Table{Columns: []qed.Column{{Name: "port"}, {Name: "n"}}}
		for i := range 20 {
			if err := table.Append(in.Port, q.ran*100+i); err != nil {
				return finding.Finding{}, err
			}
		}
		rows, err := finding.SaveRows(ctx, &table)
		ran := []qed.Query{{Language: "elasticsearch", Executed: fmt.Sprint("run ", q.ran), Rows: 20}}
		return finding.Finding{Text: "20 rows found", Rows: rows, Queries: ran, Partial: "a node is down"}, err
	})
	executor.Idempotent = true
	writer := executor
	writer.Name, writer.Idempotent = "writer", false
	if err := q.registry.Add(executor, writer, todoagent.NewRetrievalTool(q.registry, e)); err != nil {
		t.Fatal(err)
	}
	q.agent = qed.Durable(qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		for _, entry := range q.entries {
			if entry.Rows == nil {
				table := qed.Table{Columns: []qed.Column{{Name: "port"}}}
				for range 20 {
					if err := table.Append(entry.Request); err != nil {
						return qed.Answer{}, err
					}
				}
				rows, err := finding.SaveRows(ctx, &table)
				if err != nil {
					return qed.Answer{}, err
				}
				entry.Rows = rows
			}
			if err := qed.Remember(ctx, "todo/queries", entry); err != nil {
				return qed.Answer{}, err
			}
		}
		q.entries = nil
		results, err := q.registry.Do(ctx, llm.ToolCall{Name: "retrieve_query_metadata", Arguments: json.RawMessage(q.call)})
		if err != nil {
			return qed.Answer{}, err
		}
		q.result, q.found = results[0], retrieved{}
		if q.result.Err == nil {
			if err := json.Unmarshal(q.result.Output, &q.found); err != nil {
				return qed.Answer{}, err
			}
			rows, err := q.found.Rows.Table(ctx)
			if err != nil || len(rows.Rows) != q.found.Rows.Count {
				t.Errorf("%d rows of %d, %v", len(rows.Rows), q.found.Rows.Count, err)
			}
		}
		return qed.Answer{}, nil
	}), new(store.InMemory), nil)
	return q
}

// retrieve calls the tool in the next turn.
func (q *queries) retrieve(t *testing.T, arguments string) {
	t.Helper()
	q.call, q.cut = arguments, false
	for event, err := range q.agent.Run(t.Context(), qed.Turn{Thread: "1", Text: "next"}) {
		if err != nil {
			t.Fatal(err)
		}
		if w, ok := event.Data.(qed.Warning); ok && w.Code == "memory_incomplete" {
			q.cut = true
		}
	}
}

func shipment(turn int, request, tool string) finding.QueryMetadata {
	return finding.QueryMetadata{
		QueryType: "elasticsearch", Query: json.RawMessage(`{"query":{"match_all":{}}}`), Summary: "20 rows found",
		HowToRetrieve: "index shipments", Request: request, TurnID: turn, Tool: tool, Arguments: json.RawMessage(`{"port":"Miami"}`),
	}
}

func TestRetrievalChooses(t *testing.T) {
	topics := vectors(func(texts []string) ([][]float32, error) {
		var all [][]float32
		for _, text := range texts {
			v := []float32{0.1, 0.1, 0.1}
			for i, about := range []string{"ship", "crew", "fuel"} {
				if strings.Contains(text, about) {
					v[i]++
				}
			}
			all = append(all, v)
		}
		return all, nil
	})
	down := vectors(func([]string) ([][]float32, error) { return nil, errors.New("down") })
	for name, e := range map[string]llm.Embedder{"by words": nil, "by vectors": topics, "where the embedder fails": down} {
		t.Run(name, func(t *testing.T) {
			q := newQueries(t, e)
			q.entries = []finding.QueryMetadata{
				shipment(4, "late ships to Miami", "es_executor"),
				shipment(9, "crew on the vessels", "es_executor"),
				shipment(13, "fuel that was used", "es_executor"),
			}
			for _, tt := range []struct {
				arguments string
				want      int
			}{
				{`{}`, 13},
				{`{"request":"  "}`, 13},
				{`{"turn_id":4}`, 4},
				{`{"turn_id":9,"request":"fuel"}`, 9},
				{`{"request":"analyse the crew again"}`, 9},
				{`{"request":"how late are these ships?"}`, 4},
				{`{"request":"show me these results"}`, 13},
			} {
				q.retrieve(t, tt.arguments)
				if q.result.Err != nil || q.found.Metadata.TurnID != tt.want || !q.found.Cached {
					t.Errorf("%s: %v, turn %+v", tt.arguments, q.result.Err, q.found.Metadata)
				}
			}
			if q.ran != 0 {
				t.Errorf("queries ran %d times, and their rows are kept", q.ran)
			}
			if q.retrieve(t, `{"request":"crew"}`); q.cut != (name == "where the embedder fails") {
				t.Errorf("told that memory is cut: %v", q.cut)
			}
		})
	}
}

func TestRetrievalReturnsTheRows(t *testing.T) {
	q := newQueries(t, nil)
	proven := shipment(4, "ships", "es_executor")
	proven.Proof = &qed.Query{Language: "elasticsearch", Written: `{}`, Executed: `{"size":20}`, Views: []string{"mine"}, JoinPath: []qed.Join{{Left: qed.JoinSide{Table: "a"}, Right: qed.JoinSide{Table: "b"}, Kind: "inner"}}, Rows: 20, Millis: 7}
	q.entries = []finding.QueryMetadata{proven}
	q.retrieve(t, `{}`)
	want := *proven.Proof
	want.Cached, want.Handle = true, q.found.Rows.Handle
	if diff := cmp.Diff([]qed.Query{want}, q.found.Queries); diff != "" || q.found.Text != "20 rows found" || q.found.Partial != "" {
		t.Errorf("text %q, partial %q (-want +got)\n%s", q.found.Text, q.found.Partial, diff)
	}
	if diff := cmp.Diff(proven.Proof, q.found.Metadata.Proof); diff != "" {
		t.Errorf("what is remembered has changed (-want +got)\n%s", diff)
	}

	// Without a remembered proof, the executed query stays empty.
	q.entries = []finding.QueryMetadata{shipment(5, "ships", "es_executor")}
	q.retrieve(t, `{}`)
	want = qed.Query{Language: "elasticsearch", Written: `{"query":{"match_all":{}}}`, Rows: 20, Cached: true, Handle: q.found.Rows.Handle}
	if diff := cmp.Diff([]qed.Query{want}, q.found.Queries); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}

	// The reason for missing rows is kept.
	lacking := shipment(6, "ships", "es_executor")
	lacking.Rows = &finding.RowsRef{Count: 1, Partial: "a shard failed", Sample: qed.Table{Columns: []qed.Column{{Name: "port"}}, Rows: [][]any{{"Miami"}}}}
	q.entries = []finding.QueryMetadata{lacking}
	if q.retrieve(t, `{}`); q.found.Partial != "a shard failed" || q.found.Rows.Partial != "a shard failed" {
		t.Errorf("partial %q, its rows %q", q.found.Partial, q.found.Rows.Partial)
	}

	q.retrieve(t, `{"refresh":true}`)
	if q.ran != 1 || q.found.Cached || q.found.Rows.Sample.Rows[0][1] != int64(100) {
		t.Errorf("it ran %d times: %+v", q.ran, q.found)
	}
	if ran := q.found.Metadata.Proof; ran == nil || ran.Executed != "run 1" || ran.Cached || q.found.Partial != "a node is down" || q.found.Rows.Partial != "a node is down" {
		t.Errorf("ran %+v, partial %q, its rows %q", ran, q.found.Partial, q.found.Rows.Partial)
	}
	if m := q.found.Metadata; m.Tool != "es_executor" || string(m.Arguments) != `{"port":"Miami"}` || m.Request != "ships" || m.ExecutedAt.IsZero() {
		t.Errorf("metadata %+v", m)
	}
	// The refreshed query is remembered with its rows.
	q.entries = []finding.QueryMetadata{*q.found.Metadata}
	q.retrieve(t, `{}`)
	if !q.found.Cached || q.ran != 1 || q.found.Rows.Sample.Rows[0][1] != int64(100) {
		t.Errorf("it ran %d times: %+v", q.ran, q.found)
	}

	// Rows that are not kept are found again by the same tool with its checks.
	for name, rows := range map[string]*finding.RowsRef{
		"a handle of another thread": {Handle: "kept/k1234", Count: 3},
		"the columns alone":          {Count: 3, Sample: qed.Table{Columns: []qed.Column{{Name: "port"}}}},
	} {
		entry := shipment(5, name, "es_executor")
		entry.Rows = rows
		before := q.ran
		q.entries = []finding.QueryMetadata{entry}
		if q.retrieve(t, `{}`); q.result.Err != nil || q.found.Cached || q.ran != before+1 {
			t.Errorf("%s: %v, cached %v, it ran %d times", name, q.result.Err, q.found.Cached, q.ran-before)
		}
	}
}

func TestRetrievalRefuses(t *testing.T) {
	q := newQueries(t, nil)
	refuses := func(arguments string, want ...string) {
		t.Helper()
		q.retrieve(t, arguments)
		if q.result.Err == nil {
			t.Errorf("%s: got %s", arguments, q.result.Output)
			return
		}
		for _, w := range want {
			if !strings.Contains(q.result.Err.Error(), w) {
				t.Errorf("%s: %v, want %s", arguments, q.result.Err, w)
			}
		}
	}
	refuses(`{}`, "no query")
	for i := range 14 {
		q.entries = append(q.entries, shipment(i+1, "ships <b>", "es_executor"))
	}
	refuses(`{"turn_id":77}`, "77", "14", "5", `\u003c`, "4 older")
	refuses(`{"turn_id":0}`)
	q.entries = []finding.QueryMetadata{shipment(20, "gone", "es_executer")}
	refuses(`{"refresh":true}`, "es_executer", "es_executor")
	q.entries = []finding.QueryMetadata{shipment(21, "writes", "writer")}
	refuses(`{"refresh":true}`, "writer")
	q.entries = []finding.QueryMetadata{shipment(22, "itself", "retrieve_query_metadata")}
	refuses(`{"refresh":true}`)
	q.entries = []finding.QueryMetadata{shipment(23, "unknown", "")}
	refuses(`{"refresh":true}`)
	forbidden := shipment(24, "forbidden by now", "es_executor")
	forbidden.Arguments = json.RawMessage(`{"port":"forbidden"}`)
	q.entries = []finding.QueryMetadata{forbidden}
	refuses(`{"refresh":true}`, "you may not see that port")
	if q.ran != 0 {
		t.Errorf("something ran %d times", q.ran)
	}

	// Outside of a durable run nothing is remembered.
	if got, err := callTool(t.Context(), t, todoagent.NewRetrievalTool(q.registry, nil), `{}`); err == nil {
		t.Errorf("got %v", got)
	}
}
