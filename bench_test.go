package qed_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/store"
)

// benchState is like the state of a real agent, which is copied for branches and
// attempts.
type benchState struct {
	Question string
	Tables   []string
	Attempts []int
	Steps    int
}

func beginBench(_ context.Context, _ benchState, turn qed.Turn) (benchState, error) {
	return benchState{Question: turn.Text, Tables: benchTables, Attempts: benchAttempts}, nil
}

var (
	benchTables   = []string{"crew", "employee", "workOrder"}
	benchAttempts = []int{1, 2}
)

func answerBench(_ context.Context, s benchState) (qed.Answer, error) {
	return qed.Answer{Text: s.Question}, nil
}

func linear10(tb testing.TB) qed.Agent {
	g := qed.NewGraph[benchState]("linear")
	last := qed.Start
	for i := range 10 {
		name := fmt.Sprintf("step%d", i)
		g.Node(name, func(_ context.Context, s benchState) (benchState, error) {
			s.Steps++
			return s, nil
		}, nil)
		g.Edge(last, name)
		last = name
	}
	g.Edge(last, qed.End)
	return compileBench(tb, g)
}

func fanOut4(tb testing.TB) qed.Agent {
	g := qed.NewGraph[benchState]("fanout")
	var branches []qed.Branch[benchState, int]
	for i := range 4 {
		branches = append(branches, qed.Branch[benchState, int]{
			Name: fmt.Sprintf("branch%d", i),
			Run: func(_ context.Context, s benchState) (int, error) {
				s.Tables[0] = "mine"
				return i, nil
			},
		})
	}
	qed.FanOut(g, "all", func(s benchState, results []int) (benchState, error) {
		for _, n := range results {
			s.Steps += n
		}
		return s, nil
	}, branches...)
	g.Edge(qed.Start, "all")
	g.Edge("all", qed.End)
	return compileBench(tb, g)
}

func compileBench(tb testing.TB, g *qed.Graph[benchState]) qed.Agent {
	r, err := g.Compile(nil)
	if err != nil {
		tb.Fatal(err)
	}
	return qed.NewAgent(r, beginBench, answerBench, nil)
}

func benchmarkRun(b *testing.B, a qed.Agent, wantEvents int) {
	b.ReportAllocs()
	for b.Loop() {
		events := 0
		for _, err := range a.Run(context.Background(), qed.Turn{Text: "how many crews?"}) {
			if err != nil {
				b.Fatal(err)
			}
			events++
		}
		if events != wantEvents {
			b.Fatalf("%d events, want %d", events, wantEvents)
		}
	}
}

func benchmarkAsk(b *testing.B, a qed.Agent) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := qed.Ask(context.Background(), a, qed.Turn{Text: "how many crews?"}); err != nil {
			b.Fatal(err)
		}
	}
}

// Ten nodes in a row, with a listener that reads every event.
func BenchmarkLinear10(b *testing.B) { benchmarkRun(b, linear10(b), 21) }

// Ten nodes in a row, without a listener.
func BenchmarkLinear10Ask(b *testing.B) { benchmarkAsk(b, linear10(b)) }

// A fan-out of four branches and its merge, with a listener that reads every event.
func BenchmarkFanOut4(b *testing.B) { benchmarkRun(b, fanOut4(b), 11) }

// A fan-out of four branches and its merge, without a listener.
func BenchmarkFanOut4Ask(b *testing.B) { benchmarkAsk(b, fanOut4(b)) }

// An event without a listener.
func BenchmarkEmit(b *testing.B) {
	ask := qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
		for b.Loop() {
			qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: "word"})
		}
		return qed.Answer{}, nil
	})
	if _, err := qed.Ask(context.Background(), ask, qed.Turn{}); err != nil {
		b.Fatal(err)
	}
}

// Ten nodes in a row, a conversation of one turn each, saved in memory.
func BenchmarkLinear10Memory(b *testing.B) {
	st := new(store.InMemory)
	a := qed.Durable(linear10(b), st, nil)
	b.ReportAllocs()
	for b.Loop() {
		answer, err := qed.Ask(b.Context(), a, qed.Turn{Thread: "thread", Text: "how many crews?"})
		if err != nil || !answer.Saved {
			b.Fatal(answer, err)
		}
		if err := st.Delete(b.Context(), "thread"); err != nil {
			b.Fatal(err)
		}
	}
}
