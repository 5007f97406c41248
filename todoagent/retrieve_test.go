package todoagent_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/store"
)

// A query is chosen only if it is similar to the request.
func TestRetrievalOfAnotherSubject(t *testing.T) {
	apart := vectors(func(texts []string) ([][]float32, error) { // all have much the same direction
		var all [][]float32
		for _, text := range texts {
			v := []float32{1, 0, 0}
			for i, about := range [][]string{{"shipment", "cargo"}, {"crew", "sailor"}} {
				for _, word := range about {
					if strings.Contains(text, word) {
						v[i+1] = 0.3
					}
				}
			}
			all = append(all, v)
		}
		return all, nil
	})
	for _, tt := range []struct {
		request    string
		words, sim int // the turn that is found; 0: none
	}{
		{"invoices Oslo", 0, 0},
		{"crew", 9, 9},
		{"Compare the sailors", 0, 9},
		{"cargo by month", 0, 4},
		{"analyse the trend of these results", 9, 9}, // names nothing
		{"draw a chart", 9, 9},
		{"SHIPMENTS  miami", 4, 4},
	} {
		for name, e := range map[string]llm.Embedder{"words": nil, "vectors": apart} {
			want := tt.words
			if e != nil {
				want = tt.sim
			}
			q := newQueries(t, e)
			q.entries = []finding.QueryMetadata{shipment(4, "shipments Miami", "es_executor"), shipment(9, "crew vessels", "es_executor")}
			for i := range q.entries {
				q.entries[i].HowToRetrieve = ""
			}
			arguments, err := json.Marshal(map[string]string{"request": tt.request})
			if err != nil {
				t.Fatal(err)
			}
			q.retrieve(t, string(arguments))
			switch {
			case want == 0 && (q.result.Err == nil || !strings.Contains(q.result.Err.Error(), "crew vessels")):
				t.Errorf("%s, by %s: got turn %+v, %v; want an error that lists what there is", tt.request, name, q.found.Metadata, q.result.Err)
			case want > 0 && (q.result.Err != nil || q.found.Metadata.TurnID != want):
				t.Errorf("%s, by %s: got %+v, %v; want turn %d", tt.request, name, q.found.Metadata, q.result.Err, want)
			}
		}
	}
}

// Vectors of similar sentences differ little, and that is enough to choose.
func TestRetrievalOfSentencesAlike(t *testing.T) {
	close := vectors(func(texts []string) ([][]float32, error) {
		var all [][]float32
		for _, text := range texts {
			v := []float32{1, 0, 0, 0}
			for i, about := range []string{"Miami", "Oslo", "ship"} {
				if strings.Contains(text, about) {
					v[i+1] = 0.12
				}
			}
			all = append(all, v)
		}
		return all, nil
	})
	for name, e := range map[string]llm.Embedder{"by words": nil, "by vectors": close} {
		q := newQueries(t, e)
		q.entries = []finding.QueryMetadata{
			shipment(1, "shipments to Miami", "es_executor"),
			shipment(2, "shipments from Oslo to Miami", "es_executor"),
			shipment(3, "shipments to Oslo", "es_executor"),
			shipment(4, "shipments from Miami to Oslo", "es_executor"),
		}
		for request, want := range map[string]int{
			"shipments to Miami":               1,
			"shipments to Oslo":                3,
			"shipments from Oslo to Miami":     2,
			"Shipments from Miami to Oslo":     4,
			"how late are shipments to Miami?": 1,
		} {
			q.retrieve(t, `{"request":"`+request+`"}`)
			if q.result.Err != nil || want != 1 && q.found.Metadata.TurnID != want || want == 1 && !strings.Contains(q.found.Metadata.Request, "Miami") {
				t.Errorf("%s, %s: %v, turn %d, want %d", name, request, q.result.Err, q.found.Metadata.TurnID, want)
			}
		}
		// The newest query for the same question.
		q.entries = []finding.QueryMetadata{shipment(5, "Shipments to  Miami", "es_executor"), shipment(6, "shipments to Oslo", "es_executor")}
		if q.retrieve(t, `{"request":"shipments to Miami"}`); q.result.Err != nil || q.found.Metadata.TurnID != 5 {
			t.Errorf("%s: %v, turn %+v, want the newer one", name, q.result.Err, q.found.Metadata)
		}
	}
}

// Several queries for one request differ in what they find.
func TestRetrievalOfOneRequest(t *testing.T) {
	q := newQueries(t, nil)
	for i, port := range []string{"Miami", "Oslo"} {
		entry := shipment(i+1, "compare Miami with Oslo", "es_executor")
		entry.Query, entry.HowToRetrieve = json.RawMessage(`{"query":{"term":{"port":"`+port+`"}}}`), "index shipments, port is "+port
		q.entries = append(q.entries, entry)
	}
	for request, want := range map[string]int{"shipments with the port Miami": 1, "port Oslo of shipments": 2, "compare Miami with Oslo": 2} {
		if q.retrieve(t, `{"request":"`+request+`"}`); q.result.Err != nil || q.found.Metadata.TurnID != want {
			t.Errorf("%s: %v, %+v, want turn %d", request, q.result.Err, q.found.Metadata, want)
		}
	}
}

// A query that works can be refreshed: members of another form are the tool's
// own, and a query need not have rows.
func TestRetrievalRefreshes(t *testing.T) {
	own := qed.NewTool("own", "finds", func(ctx context.Context, _ struct{}) (map[string]any, error) {
		table := &qed.Table{Columns: []qed.Column{{Name: "port"}}}
		if err := table.Append("Miami"); err != nil {
			return nil, err
		}
		rows, err := finding.SaveRows(ctx, table)
		return map[string]any{"text": "one", "rows": rows, "entities": map[string]int{"ports": 1}, "query_metadata": finding.QueryMetadata{QueryType: "sql", Query: json.RawMessage(`"x"`), Summary: "one"}}, err
	})
	count := qed.NewTool("count", "counts", func(context.Context, struct{}) (finding.Finding, error) {
		return finding.Finding{
			Text: "142", Queries: []qed.Query{{Language: "sql", Executed: "SELECT count(*)"}},
			Metadata: &finding.QueryMetadata{QueryType: "sql", Query: json.RawMessage(`"x"`), Summary: "142"},
		}, nil
	})
	silent := qed.NewTool("silent", "says nothing", func(context.Context, struct{}) (map[string]int, error) { return map[string]int{"n": 1}, nil })
	own.Idempotent, count.Idempotent, silent.Idempotent = true, true, true
	q := newQueries(t, nil)
	if err := q.registry.Add(own, count, silent); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		tool string
		rows *finding.RowsRef // that are remembered
		call string
		text string // empty: it fails
	}{
		{"own", &finding.RowsRef{Count: 1, Sample: qed.Table{Columns: []qed.Column{{Name: "port"}}, Rows: [][]any{{"Oslo"}}}}, `{"refresh":true}`, "one"},
		{"count", nil, `{"refresh":true}`, "142"},
		{"count", nil, `{}`, "142"},
		{"count", &finding.RowsRef{Count: 3}, `{}`, ""},
		{"silent", nil, `{}`, ""},
	} {
		entry := shipment(4, "ports", tt.tool)
		entry.Rows, entry.Arguments = tt.rows, json.RawMessage(`{}`)
		results := q.again(t, entry, tt.call)
		if tt.text == "" {
			if results.Err == nil {
				t.Errorf("%s: got %s", tt.tool, results.Output)
			}
			continue
		}
		var found retrieved
		if results.Err != nil {
			t.Errorf("%s %s: %v", tt.tool, tt.call, results.Err)
		} else if err := json.Unmarshal(results.Output, &found); err != nil {
			t.Error(err)
		} else if found.Text != tt.text || found.Metadata == nil || found.Metadata.Tool != tt.tool || found.Cached || (found.Rows != nil) != (tt.tool == "own") {
			t.Errorf("%s %s: found %s", tt.tool, tt.call, results.Output)
		}
	}
}

// again remembers a query in a new conversation, and calls the tool.
func (q *queries) again(t *testing.T, entry finding.QueryMetadata, arguments string) (result qed.ToolResult) {
	t.Helper()
	agent := qed.Durable(qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
		if err := qed.Remember(ctx, "todo/queries", entry); err != nil {
			return qed.Answer{}, err
		}
		results, err := q.registry.Do(ctx, llm.ToolCall{Name: "retrieve_query_metadata", Arguments: json.RawMessage(arguments)})
		if err == nil {
			result = results[0]
		}
		return qed.Answer{}, err
	}), new(store.InMemory), nil)
	if _, err := qed.Ask(t.Context(), agent, qed.Turn{Thread: "1", Text: "go"}); err != nil {
		t.Fatal(err)
	}
	return result
}
