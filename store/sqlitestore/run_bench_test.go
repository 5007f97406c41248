package sqlitestore_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/sqlitestore"
)

// largeState is a state with 20 KB of JSON.
type largeState struct {
	Step int
	Rows []string
}

// steps returns an agent that visits a node n times, with a large state.
func steps(b *testing.B, n int, st store.Store) qed.Agent {
	g := qed.NewGraph[largeState]("steps")
	g.Node("step", func(_ context.Context, s largeState) (largeState, error) {
		s.Step++
		return s, nil
	}, nil)
	g.Edge(qed.Start, "step")
	g.Route("step", func(s largeState) string {
		if s.Step < n {
			return "step"
		}
		return qed.End
	}, "step", qed.End)
	r, err := g.Compile(&qed.CompileOptions{MaxSteps: n})
	if err != nil {
		b.Fatal(err)
	}
	rows := make([]string, 20)
	for i := range rows {
		rows[i] = strings.Repeat("x", 1000)
	}
	return qed.Durable(qed.NewAgent(r,
		func(context.Context, largeState, qed.Turn) (largeState, error) { return largeState{Rows: rows}, nil },
		func(context.Context, largeState) (qed.Answer, error) { return qed.Answer{Text: "done"}, nil },
		nil), st, nil)
}

// Measures a turn of n steps, each with a checkpoint of 20 KB. The cost of a step
// must not grow with n.
func BenchmarkSteps20KBSQLite(b *testing.B) {
	for _, n := range []int{1, 10, 100, 1000} {
		b.Run(fmt.Sprintf("steps=%d", n), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "conversations.db")
			st, err := sqlitestore.Open(path, nil)
			if err != nil {
				b.Fatal(err)
			}
			defer st.Close()
			agent := steps(b, n, st)
			b.ReportAllocs()
			turns := 0
			for b.Loop() {
				turns++
				answer, err := qed.Ask(b.Context(), agent, qed.Turn{Thread: fmt.Sprint(turns), Text: "go"})
				if err != nil || !answer.Saved {
					b.Fatal(answer, err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(turns*n), "µs/step")
			if info, err := os.Stat(path); err == nil {
				b.ReportMetric(float64(info.Size())/float64(turns*n), "bytes/step")
			}
		})
	}
}

// Measures 200 turns at once. See [qedtest.BenchmarkTurns].
func BenchmarkTurns200SQLite(b *testing.B) {
	qedtest.BenchmarkTurns(b, open(b, filepath.Join(b.TempDir(), "conversations.db"), nil), 200)
}

// Measures one turn at a time.
func BenchmarkTurns1SQLite(b *testing.B) {
	qedtest.BenchmarkTurns(b, open(b, filepath.Join(b.TempDir(), "conversations.db"), nil), 1)
}

// Measures 200 turns at once in memory, which is what the runtime alone takes.
func BenchmarkTurns200Memory(b *testing.B) {
	qedtest.BenchmarkTurns(b, &store.InMemory{}, 200)
}
