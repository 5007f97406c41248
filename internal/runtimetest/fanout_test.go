package runtimetest_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
)

type branch = qed.Branch[trail, string]

// fanOut returns a graph of one fan-out, called all, that notes the branches' results.
func fanOut(branches ...branch) *qed.Graph[trail] {
	g := qed.NewGraph[trail]("fan")
	qed.FanOut(g, "all", func(s trail, results []string) (trail, error) {
		s.Seen = append(s.Seen, results...)
		return s, nil
	}, branches...)
	g.Edge(qed.Start, "all")
	g.Edge("all", qed.End)
	return g
}

func TestFanOutMergesInDeclaredOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var branches []branch
		for i := range 5 {
			branches = append(branches, branch{Name: fmt.Sprint(i), Run: func(context.Context, trail) (string, error) {
				time.Sleep(time.Duration(5-i) * time.Second) // the last is the first to be done
				return fmt.Sprint(i), nil
			}})
		}
		start := time.Now()
		got, err := compile(t, fanOut(branches...), nil).Run(t.Context(), trail{Seen: []string{"begin"}})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"begin", "0", "1", "2", "3", "4"}, got.Seen); diff != "" {
			t.Error(diff)
		}
		if took := time.Since(start); took != 5*time.Second {
			t.Errorf("it took %v: the branches do not run at the same time", took)
		}
	})
}

func TestBranchesShareNothing(t *testing.T) {
	type state struct {
		List  []string
		Map   map[string][]int
		Point *trail
	}
	g := qed.NewGraph[state]("fan")
	spoil := func(_ context.Context, s state) (int, error) {
		for i := range 1000 {
			s.List[0] = fmt.Sprint(i)
			s.List = append(s.List, "more")
			s.Map["a"][0]++
			s.Map[fmt.Sprint(i)] = nil
			s.Point.N++
		}
		return s.Map["a"][0] + s.Point.N, nil
	}
	qed.FanOut(g, "all", func(s state, results []int) (state, error) {
		s.Point.Seen = append(s.Point.Seen, fmt.Sprint(results))
		return s, nil
	}, qed.Branch[state, int]{Name: "a", Run: spoil}, qed.Branch[state, int]{Name: "b", Run: spoil}, qed.Branch[state, int]{Name: "c", Run: spoil})
	g.Edge(qed.Start, "all")
	g.Edge("all", qed.End)
	got, err := compile(t, g, nil).Run(t.Context(), state{make([]string, 1, 100), map[string][]int{"a": {1}}, &trail{}})
	if err != nil {
		t.Fatal(err)
	}
	want := state{[]string{""}, map[string][]int{"a": {1}}, &trail{Seen: []string{"[2001 2001 2001]"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestFirstFailureCancelsSiblings(t *testing.T) {
	boom := errors.New("boom")
	for name, fail := range map[string]func() error{
		"error":  func() error { return boom },
		"panic":  func() error { panic(boom) },
		"goexit": func() error { runtime.Goexit(); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { testFirstFailure(t, name, fail, boom) })
		})
	}
}

func testFirstFailure(t *testing.T, name string, fail func() error, boom error) {
	var waited atomic.Int32
	sibling := func(ctx context.Context, _ trail) (string, error) {
		<-ctx.Done()
		time.Sleep(time.Second)
		waited.Add(1)
		return "", ctx.Err()
	}
	// The branch that fails is none of the caller's goroutine: the first branch waits for it.
	r := compile(t, fanOut(branch{Name: "a", Run: sibling}, branch{Name: "b", Run: sibling}, branch{Name: "bad", Run: func(context.Context, trail) (string, error) {
		return "", fail()
	}}, branch{Name: "c", Run: sibling}), nil)
	agent := qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
		_, err := r.Run(ctx, trail{})
		return qed.Answer{}, err
	})
	var err error
	for _, e := range agent.Run(t.Context(), qed.Turn{}) {
		err = e
	}
	if err == nil || errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want the first cause", err)
	}
	if name != "goexit" {
		wantNode(t, err, "all/bad", 1)
		if !errors.Is(err, boom) {
			t.Errorf("%v does not wrap the cause", err)
		}
	}
	if waited.Load() == 0 {
		t.Error("no sibling was cancelled and waited for")
	}
}

func TestCancelInAFanOut(t *testing.T) {
	noLeak(t)
	why := errors.New("why")
	ctx, cancel := context.WithCancelCause(t.Context())
	r := compile(t, fanOut(
		branch{Name: "a", Run: func(ctx context.Context, _ trail) (string, error) { <-ctx.Done(); return "", ctx.Err() }},
		branch{Name: "b", Run: func(ctx context.Context, _ trail) (string, error) { cancel(why); <-ctx.Done(); return "", ctx.Err() }},
	), nil)
	if _, err := r.Run(ctx, trail{}); !errors.Is(err, why) || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestEach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		items := make([]int, 20)
		for i := range items {
			items[i] = i
		}
		var running, most atomic.Int32
		got, err := qed.Each(t.Context(), items, func(i int) string { return fmt.Sprint("n", i) }, func(_ context.Context, i int) (int, error) {
			n := running.Add(1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			time.Sleep(time.Duration(20-i) * time.Second)
			running.Add(-1)
			return i * i, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != 20 {
			t.Errorf("%d results, want 20", len(got))
		}
		for i, n := range got {
			if n != i*i {
				t.Fatalf("result %d is %d", i, n)
			}
		}
		if most.Load() != 8 {
			t.Errorf("%d at the same time", most.Load())
		}
	})
}

func TestEachFails(t *testing.T) {
	noLeak(t)
	boom := errors.New("boom")
	ok := func(context.Context, string) (int, error) { return 0, nil }
	fails := func(_ context.Context, s string) (int, error) {
		if s == "bad/one" {
			return 0, boom
		}
		return 0, nil
	}
	self := func(s string) string { return s }
	if _, err := qed.Each(t.Context(), []string{"a", "bad/one"}, self, fails); !errors.Is(err, boom) {
		t.Errorf("got %v", err)
	} else {
		wantNode(t, err, "bad%2Fone", 1)
	}
	if _, err := qed.Each(t.Context(), []string{"a", "b", "a"}, self, ok); err == nil || !strings.Contains(err.Error(), `"a"`) {
		t.Errorf("the same key twice: %v", err)
	}
	if _, err := qed.Each(t.Context(), []string{""}, self, ok); err == nil {
		t.Error("an empty key is taken")
	}
	if got, err := qed.Each(t.Context(), nil, self, ok); err != nil || len(got) != 0 {
		t.Errorf("no items: %v, %v", got, err)
	}
}

type cloned struct{ By []string }

func (c cloned) Clone() cloned { return cloned{append([]string{"clone"}, c.By...)} }

// TestBranchGetsClone has a state with a Clone method, which is used.
func TestBranchGetsClone(t *testing.T) {
	g := qed.NewGraph[cloned]("fan")
	qed.FanOut(g, "all", func(s cloned, results []string) (cloned, error) {
		s.By = append(s.By, results...)
		return s, nil
	}, qed.Branch[cloned, string]{Name: "a", Run: func(_ context.Context, s cloned) (string, error) { return s.By[0], nil }})
	g.Edge(qed.Start, "all")
	g.Edge("all", qed.End)
	got, err := compile(t, g, nil).Run(t.Context(), cloned{})
	if err != nil || len(got.By) != 1 || got.By[0] != "clone" {
		t.Errorf("got %v, %v", got, err)
	}
}
