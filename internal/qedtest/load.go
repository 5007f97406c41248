package qedtest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/store"
)

// loadState is the state of the agent of [BenchmarkTurns], about 1 KB of JSON.
type loadState struct {
	Text string
	Rows []string
	N    int
}

// loadAgent returns a durable agent whose turns make 12 appends: the beginning
// with the message, five states, the results of three steps, an at-most-once
// call with its result, and the answer.
func loadAgent(tb testing.TB, st store.Store) qed.Agent {
	type step = func(context.Context, string, any, func(context.Context) (string, error)) (string, error)
	result := strings.Repeat("a row of the result. ", 10)
	g := qed.NewGraph[loadState]("load")
	last := qed.Start
	for i, call := range []step{qed.Step[string], qed.Step[string], qed.Step[string], qed.StepOnce[string], nil} {
		name := fmt.Sprint("node ", i)
		g.Node(name, func(ctx context.Context, s loadState) (loadState, error) {
			s.N++
			if call == nil {
				return s, nil
			}
			row, err := call(ctx, "call", s.N, func(context.Context) (string, error) { return result, nil })
			s.Rows = append(s.Rows, row)
			return s, err
		}, nil)
		g.Edge(last, name)
		last = name
	}
	g.Edge(last, qed.End)
	r, err := g.Compile(nil)
	if err != nil {
		tb.Fatal(err)
	}
	begin := func(_ context.Context, s loadState, turn qed.Turn) (loadState, error) {
		return loadState{Text: turn.Text}, nil
	}
	answer := func(_ context.Context, s loadState) (qed.Answer, error) {
		return qed.Answer{Text: s.Rows[0]}, nil
	}
	return qed.Durable(qed.NewAgent(r, begin, answer, nil), st, nil)
}

// BenchmarkTurns takes turns of about 12 appends in a store, the given number at
// a time, each of a thread of its own. It reports the turns per second and the
// 99th percentile of their time.
func BenchmarkTurns(b *testing.B, st store.Store, atOnce int) {
	agent := loadAgent(b, st)
	var group sync.WaitGroup
	var taken atomic.Int64
	times := make([]time.Duration, b.N)
	b.ResetTimer()
	for range atOnce {
		group.Go(func() {
			for {
				n := int(taken.Add(1))
				if n > b.N {
					return
				}
				start := time.Now()
				a, err := qed.Ask(b.Context(), agent, qed.Turn{Thread: fmt.Sprint("thread ", n), Text: "how many?", User: "u"})
				if err != nil || !a.Saved {
					b.Errorf("turn %d: %+v, %v", n, a, err)
					return
				}
				times[n-1] = time.Since(start)
			}
		})
	}
	group.Wait()
	b.StopTimer()
	slices.Sort(times)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "turns/s")
	b.ReportMetric(float64(times[(b.N-1)*99/100].Microseconds())/1000, "p99-ms")
}
