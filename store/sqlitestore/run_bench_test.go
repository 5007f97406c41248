package sqlitestore_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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
// must not grow with n. x-bare is how many times longer the turn takes than
// INSERTs of the same bytes by the bare driver, in as many transactions.
func BenchmarkSteps20KBSQLite(b *testing.B) {
	for _, n := range []int{1, 10, 100, 1000} {
		b.Run(fmt.Sprintf("steps=%d", n), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "conversations.db")
			st, err := sqlitestore.Open(path, nil)
			if err != nil {
				b.Fatal(err)
			}
			defer st.Close()
			log := &transactions{Store: st}
			agent := steps(b, n, log)
			ask := func(turn int) {
				answer, err := qed.Ask(b.Context(), agent, qed.Turn{Thread: fmt.Sprint(turn), Text: "go"})
				if err != nil || !answer.Saved {
					b.Fatal(answer, err)
				}
			}
			ask(0)
			agent = steps(b, n, st)
			insert := bare(b)
			b.ReportAllocs()
			turns := 0
			var ideal time.Duration
			for b.Loop() {
				turns++
				ask(turns)
				b.StopTimer()
				start := time.Now()
				insert(log.made)
				ideal += time.Since(start)
				b.StartTimer()
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(turns*n), "µs/step")
			b.ReportMetric(float64(b.Elapsed())/float64(ideal), "x-bare")
			if info, err := os.Stat(path); err == nil {
				b.ReportMetric(float64(info.Size())/float64(turns*n), "bytes/step")
			}
		})
	}
}

// transactions is a store that keeps the records of each append.
type transactions struct {
	store.Store
	made [][]store.Record
}

func (t *transactions) Append(ctx context.Context, thread string, after int64, recs ...store.Record) error {
	t.made = append(t.made, slices.Clone(recs))
	return t.Store.Append(ctx, thread, after, recs...)
}

// bare returns a function that inserts the data of records, each slice in a
// transaction. Those of checkpoints alone do not wait for the disk, as in the
// store.
func bare(b *testing.B) func([][]store.Record) {
	path := filepath.Join(b.TempDir(), "bare.db")
	insert := map[bool]*sql.Stmt{}
	pools := map[bool]*sql.DB{}
	for _, full := range []bool{true, false} {
		pools[full] = pool(b, path, map[bool]string{true: "full", false: "normal"}[full])
		if _, err := pools[full].Exec("CREATE TABLE IF NOT EXISTS bare (id INTEGER PRIMARY KEY, data BLOB)"); err != nil {
			b.Fatal(err)
		}
		var err error
		if insert[full], err = pools[full].Prepare("INSERT INTO bare (data) VALUES (?)"); err != nil {
			b.Fatal(err)
		}
	}
	return func(made [][]store.Record) {
		for _, recs := range made {
			full := slices.ContainsFunc(recs, func(r store.Record) bool { return r.Kind != store.Checkpoint })
			if len(recs) == 1 {
				if _, err := insert[full].ExecContext(b.Context(), []byte(recs[0].Data)); err != nil {
					b.Fatal(err)
				}
				continue
			}
			tx, err := pools[full].BeginTx(b.Context(), nil)
			if err != nil {
				b.Fatal(err)
			}
			for _, rec := range recs {
				if _, err := tx.StmtContext(b.Context(), insert[full]).ExecContext(b.Context(), []byte(rec.Data)); err != nil {
					b.Fatal(err)
				}
			}
			if err := tx.Commit(); err != nil {
				b.Fatal(err)
			}
		}
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
