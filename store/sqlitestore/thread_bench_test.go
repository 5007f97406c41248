package sqlitestore_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/sqlstore"
	"github.com/qedkit/qed/todoagent"
)

// planner returns an agent that plans five tasks in each turn. Its model and its
// tools reply at once.
func planner(b *testing.B, st store.Store) qed.Agent {
	type text struct {
		Text string `json:"text,omitempty"`
	}
	say := qed.NewTool("say", "says it", func(_ context.Context, in text) (text, error) { return in, nil })
	say.Idempotent = true
	tools := qed.NewRegistry(nil)
	if err := tools.Add(say); err != nil {
		b.Fatal(err)
	}
	var tasks []string
	for _, key := range []string{"resolve_entities", "map_fields", "build_query", "execute", "summarize"} {
		tasks = append(tasks, fmt.Sprintf(`{"key":%q,"description":"d","tool":"say","arguments":"{\"text\":\"Miami\"}"}`, key))
	}
	replies := map[string]string{
		"reiterate_intention": `{"question":"q"}`, "plan_todos": `{"tasks":[` + strings.Join(tasks, ",") + `]}`,
	}
	model := llm.ModelFunc(func(_ context.Context, req *llm.Request, _ func(llm.Delta)) (*llm.Response, error) {
		return &llm.Response{Message: llm.Message{Role: llm.RoleAssistant, Content: replies[req.Name]}}, nil
	})
	agent, err := todoagent.New(model, tools, &todoagent.Options{Store: st})
	if err != nil {
		b.Fatal(err)
	}
	return agent
}

func plan(b *testing.B, agent qed.Agent) {
	b.Helper()
	answer, err := qed.Ask(b.Context(), agent, qed.Turn{Thread: "thread", Text: "Show shipments to Miami"})
	if err != nil || !answer.Saved || !strings.Contains(answer.Text, "Miami") {
		b.Fatalf("%+v, %v", answer, err)
	}
}

// lengthen makes the thread of one turn a thread of n turns, of which the last
// one is that turn. The other turns are copies of it. Each copy has namespaces
// and handles of its own, as turns have.
func lengthen(b *testing.B, st *sqlstore.Store, n int) {
	b.Helper()
	var turn []store.Record
	for rec, err := range st.Records(b.Context(), "thread", store.Range{}) {
		if err != nil {
			b.Fatal(err)
		}
		turn = append(turn, rec)
	}
	if err := st.Delete(b.Context(), "thread"); err != nil {
		b.Fatal(err)
	}
	var recs []store.Record
	head := int64(0)
	for i := range n {
		for _, rec := range turn {
			rec.Run = head + int64(len(recs)) + rec.Run - rec.Seq + 1
			if i < n-1 {
				rec.Address = strings.Replace(rec.Address, "@", fmt.Sprint("@", i, "-"), 1)
				rec.Address = strings.Replace(rec.Address, "saved/", fmt.Sprint("saved/", i, "-"), 1)
			}
			recs = append(recs, rec)
		}
		if len(recs) > 5000 || i == n-1 {
			if err := st.Append(b.Context(), "thread", head, recs...); err != nil {
				b.Fatal(err)
			}
			head += int64(len(recs))
			recs = nil
		}
	}
}

// BenchmarkLongThreadSQLite measures a planner's turn in a thread of n turns.
// x-new is how many times longer it takes than a turn in a new thread of another
// file, which is measured after each turn: that should be at most 1.1.
func BenchmarkLongThreadSQLite(b *testing.B) {
	for _, n := range []int{1, 10_000} {
		b.Run(fmt.Sprintf("turns=%d", n), func(b *testing.B) {
			long, short := threadOf(b, n), threadOf(b, 1)
			var took, ideal time.Duration
			for b.Loop() {
				start := time.Now()
				plan(b, long)
				took += time.Since(start)
				b.StopTimer()
				start = time.Now()
				plan(b, short)
				ideal += time.Since(start)
				b.StartTimer()
			}
			b.ReportMetric(float64(took)/float64(ideal), "x-new")
		})
	}
}

// threadOf returns a planner whose thread has n turns.
func threadOf(b *testing.B, n int) qed.Agent {
	st := open(b, filepath.Join(b.TempDir(), "conversations.db"), nil)
	agent := planner(b, st)
	plan(b, agent)
	lengthen(b, st, n)
	plan(b, agent)
	return agent
}

// BenchmarkUnderSQLite measures reading the 10 records below an address in a
// thread of n records.
func BenchmarkUnderSQLite(b *testing.B) {
	for _, n := range []int{100, 100_000} {
		b.Run(fmt.Sprintf("records=%d", n), func(b *testing.B) {
			st := open(b, filepath.Join(b.TempDir(), "conversations.db"), nil)
			recs := make([]store.Record, n)
			for i := range recs {
				recs[i] = store.Record{
					Kind: store.Checkpoint, Address: fmt.Sprint("planner/", i%50), Data: json.RawMessage(`{"step":1}`),
				}
				if i%(n/10) == 0 {
					recs[i].Address = fmt.Sprint("@plan/1/", i)
				}
			}
			if err := st.Append(b.Context(), "thread", 0, recs...); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				found := 0
				for _, err := range st.Records(b.Context(), "thread", store.Range{Under: "@plan/1"}) {
					if err != nil {
						b.Fatal(err)
					}
					found++
				}
				if found != 10 {
					b.Fatal(found)
				}
			}
		})
	}
}
