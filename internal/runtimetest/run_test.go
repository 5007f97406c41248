package runtimetest_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/poll"
)

// trail is a state that remembers which nodes it came through.
type trail struct {
	Seen []string
	N    int
}

type step = func(context.Context, trail) (trail, error)

// visit returns a node that notes its name.
func visit(name string) step {
	return func(_ context.Context, s trail) (trail, error) {
		s.Seen = append(s.Seen, name)
		return s, nil
	}
}

// row returns a graph of nodes one after the other.
func row(nodes ...step) *qed.Graph[trail] {
	g := qed.NewGraph[trail]("row")
	last := qed.Start
	for i, fn := range nodes {
		name := string(rune('a' + i))
		g.Node(name, fn, nil)
		g.Edge(last, name)
		last = name
	}
	g.Edge(last, qed.End)
	return g
}

// one returns a graph of one node, called a.
func one(fn step, opt *qed.NodeOptions) *qed.Graph[trail] {
	g := qed.NewGraph[trail]("one")
	g.Node("a", fn, opt)
	g.Edge(qed.Start, "a")
	g.Edge("a", qed.End)
	return g
}

func compile[S any](t testing.TB, g *qed.Graph[S], opt *qed.CompileOptions) *qed.Runner[S] {
	t.Helper()
	r, err := g.Compile(opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// noLeak fails the test when it leaves a goroutine behind.
func noLeak(t *testing.T) {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() { poll.Goroutines(t, before) })
}

func wantNode(t *testing.T, err error, path string, attempt int) {
	t.Helper()
	failed, ok := errors.AsType[*qed.NodeError](err)
	if !ok || failed.Path != path || failed.Attempt != attempt {
		t.Fatalf("got %v, want an error of node %s, attempt %d", err, path, attempt)
	}
}

func TestRunFollowsEdgesAndRoutes(t *testing.T) {
	g := qed.NewGraph[trail]("loop")
	g.Node("a", visit("a"), nil)
	g.Node("b", visit("b"), nil)
	g.Node("c", visit("c"), nil)
	g.Edge(qed.Start, "a")
	g.Edge("a", "b")
	g.Route("b", func(s trail) string {
		if len(s.Seen) < 5 {
			return "a"
		}
		return "c"
	}, "a", "c")
	g.Edge("c", qed.End)
	got, err := compile(t, g, nil).Run(t.Context(), trail{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "b", "a", "b", "a", "b", "c"}, got.Seen); diff != "" {
		t.Error(diff)
	}
}

func TestRouteFromStart(t *testing.T) {
	g := qed.NewGraph[trail]("r")
	g.Node("a", visit("a"), nil)
	g.Node("b", visit("b"), nil)
	g.Route(qed.Start, func(s trail) string { return []string{"a", "b", qed.End}[s.N] }, "a", "b", qed.End)
	g.Edge("a", qed.End)
	g.Edge("b", qed.End)
	r := compile(t, g, nil)
	for n, want := range []string{"[a]", "[b]", "[]"} {
		got, err := r.Run(t.Context(), trail{N: n})
		if err != nil || fmt.Sprint(got.Seen) != want {
			t.Errorf("%d: got %v, %v; want %s", n, got.Seen, err, want)
		}
	}
}

func TestRouteToWhereItDidNotSay(t *testing.T) {
	g := qed.NewGraph[trail]("r")
	g.Node("a", visit("a"), nil)
	g.Edge(qed.Start, "a")
	g.Route("a", func(trail) string { return "nowhere" }, qed.End)
	_, err := compile(t, g, nil).Run(t.Context(), trail{})
	wantNode(t, err, "a", 0)
	if !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("%v does not say where it wanted to go", err)
	}
}

func TestPanicsAreErrors(t *testing.T) {
	cause := errors.New("cause")
	panics := qed.NewGraph[trail]("r")
	panics.Node("a", visit("a"), nil)
	panics.Edge(qed.Start, "a")
	panics.Route("a", func(trail) string { panic(cause) }, qed.End)

	fan := qed.NewGraph[trail]("f")
	qed.FanOut(fan, "a", func(s trail, _ []int) (trail, error) { panic(cause) },
		qed.Branch[trail, int]{Name: "x", Run: func(context.Context, trail) (int, error) { return 1, nil }})
	fan.Edge(qed.Start, "a")
	fan.Edge("a", qed.End)

	for name, g := range map[string]*qed.Graph[trail]{
		"node":  row(func(context.Context, trail) (trail, error) { panic(cause) }),
		"route": panics,
		"merge": fan,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := compile(t, g, nil).Run(t.Context(), trail{})
			panicked, ok := errors.AsType[*qed.PanicError](err)
			if !ok || !errors.Is(err, cause) {
				t.Fatalf("got %v, want the panic", err)
			}
			if !strings.Contains(string(panicked.Stack), "TestPanicsAreErrors") {
				t.Errorf("the stack does not lead to the panic:\n%s", panicked.Stack)
			}
			if failed, ok := errors.AsType[*qed.NodeError](err); !ok || failed.Path != "a" {
				t.Errorf("%v does not name the node", err)
			}
		})
	}
}

func TestFailureReturnsTheLastGoodState(t *testing.T) {
	boom := errors.New("boom")
	r := compile(t, row(visit("a"), func(_ context.Context, s trail) (trail, error) {
		s.Seen = append(s.Seen, "half")
		return s, boom
	}, visit("c")), nil)
	got, err := r.Run(t.Context(), trail{})
	wantNode(t, err, "b", 1)
	if !errors.Is(err, boom) {
		t.Errorf("%v does not wrap the cause", err)
	}
	if diff := cmp.Diff([]string{"a"}, got.Seen); diff != "" {
		t.Error(diff)
	}
}

func TestMaxSteps(t *testing.T) {
	g := qed.NewGraph[trail]("loop")
	g.Node("ping", visit("ping"), nil)
	g.Node("pong", visit("pong"), nil)
	g.Edge(qed.Start, "ping")
	g.Edge("ping", "pong")
	g.Route("pong", func(s trail) string {
		if s.N > 0 && len(s.Seen) == s.N {
			return qed.End
		}
		return "ping"
	}, "ping", qed.End)
	r := compile(t, g, &qed.CompileOptions{MaxSteps: 6})
	if _, err := r.Run(t.Context(), trail{N: 6}); err != nil {
		t.Errorf("as many steps as allowed: %v", err)
	}
	got, err := r.Run(t.Context(), trail{})
	if !errors.Is(err, qed.ErrMaxSteps) || len(got.Seen) != 6 {
		t.Fatalf("got %v after %v", err, got.Seen)
	}
	if !strings.Contains(err.Error(), "ping, pong") {
		t.Errorf("%v does not name the last nodes", err)
	}
}

func TestRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen []trail
		fails := func(times int) step {
			return func(_ context.Context, s trail) (trail, error) {
				seen = append(seen, trail{append([]string{}, s.Seen...), s.N})
				s.Seen[0] = "spoilt"
				s.N++
				if len(seen) <= times {
					return s, fmt.Errorf("failure %d", len(seen))
				}
				return s, nil
			}
		}
		begin := trail{Seen: []string{"good"}}
		r := compile(t, one(fails(2), &qed.NodeOptions{Attempts: 3}), nil)
		got, err := r.Run(t.Context(), begin)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]trail{{[]string{"good"}, 0}, {[]string{"good"}, 0}, {[]string{"good"}, 0}}, seen); diff != "" {
			t.Errorf("an attempt saw what an earlier one did: %s", diff)
		}
		if got.N != 1 || begin.Seen[0] != "good" {
			t.Errorf("got %v from %v", got, begin)
		}

		seen = nil
		_, err = compile(t, one(fails(5), &qed.NodeOptions{Attempts: 3}), nil).Run(t.Context(), begin)
		wantNode(t, err, "a", 3)
		if len(seen) != 3 {
			t.Errorf("%d attempts", len(seen))
		}
	})
}

func TestRetryOnlyWhatIsWorthIt(t *testing.T) {
	for name, test := range map[string]struct {
		fail func() error
		want int
	}{
		"any error": {func() error { return errors.New("lasting") }, 3},
		"no panic":  {func() error { panic("panic") }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			attempts := 0
			_, err := compile(t, one(func(_ context.Context, s trail) (trail, error) {
				attempts++
				return s, test.fail()
			}, &qed.NodeOptions{Attempts: 3}), nil).Run(t.Context(), trail{})
			if err == nil || attempts != test.want {
				t.Errorf("%d attempts, want %d: %v", attempts, test.want, err)
			}
		})
	}
}

func TestNodeTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		attempts := 0
		r := compile(t, one(func(ctx context.Context, s trail) (trail, error) {
			attempts++
			if attempts == 2 {
				return s, nil
			}
			<-ctx.Done()
			return s, errors.New("the connection broke")
		}, &qed.NodeOptions{Attempts: 2, Timeout: time.Minute}), nil)
		if _, err := r.Run(t.Context(), trail{}); err != nil {
			t.Errorf("the second attempt has its own time: %v", err)
		}

		r = compile(t, one(func(ctx context.Context, s trail) (trail, error) {
			<-ctx.Done()
			return s, errors.New("the connection broke")
		}, &qed.NodeOptions{Timeout: time.Minute}), nil)
		_, err := r.Run(t.Context(), trail{})
		wantNode(t, err, "a", 1)
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "1m0s") {
			t.Errorf("%v does not say that it took too long", err)
		}
	})
}

func TestCancelAtEveryStep(t *testing.T) {
	why := errors.New("the user has gone")
	for at := range 4 {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			noLeak(t)
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			cancelAt := func(i int) step {
				return func(nodeCtx context.Context, s trail) (trail, error) {
					if i != at {
						return s, nil
					}
					cancel(why)
					return s, nodeCtx.Err()
				}
			}
			g := row(cancelAt(1), cancelAt(2), cancelAt(3))
			if at == 0 {
				cancel(why)
			}
			_, err := compile(t, g, nil).Run(ctx, trail{})
			if !errors.Is(err, why) || !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want the cause and that it was cancelled", err)
			}
		})
	}
}

func TestGraphInAGraph(t *testing.T) {
	boom := errors.New("boom")
	inner := compile(t, row(visit("inner"), func(context.Context, trail) (trail, error) { return trail{}, boom }), nil)
	g := qed.NewGraph[trail]("outer")
	g.Node("sql", inner.Run, nil)
	g.Edge(qed.Start, "sql")
	g.Edge("sql", qed.End)
	_, err := compile(t, g, nil).Run(t.Context(), trail{})
	failed, ok := errors.AsType[*qed.NodeError](err)
	if !ok || *failed != (qed.NodeError{Graph: "row", Path: "sql/b", Attempt: 1, Err: boom}) {
		t.Errorf("got %#v", failed)
	}
}

// A Runner is used by all requests of a server at once.
func TestRunsShareNothing(t *testing.T) {
	r := compile(t, row(visit("a"), visit("b")), nil)
	done := make(chan error)
	for range 8 {
		go func() {
			got, err := r.Run(context.Background(), trail{})
			if err == nil && len(got.Seen) != 2 {
				err = fmt.Errorf("saw %v", got.Seen)
			}
			done <- err
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// unspeakable is an error whose Error method panics for a nil pointer.
type unspeakable struct{ text string }

func (e *unspeakable) Error() string { return e.text }

// TestNilPointersAsErrors returns what Go makes an error of by mistake. Nothing may fall over it, wherever it is read.
func TestNilPointersAsErrors(t *testing.T) {
	none := func() error { var e *unspeakable; return e }
	wantPanic := func(t *testing.T, err error) {
		t.Helper()
		if _, ok := errors.AsType[*qed.PanicError](err); !ok {
			t.Errorf("error = %v, want a panic", err)
		}
	}
	begin := func(_ context.Context, s trail, _ qed.Turn) (trail, error) { return s, nil }
	answer := func(context.Context, trail) (qed.Answer, error) { return qed.Answer{}, nil }
	var both sync.WaitGroup // both branches run
	both.Add(2)
	meet := func(context.Context, trail) (string, error) {
		both.Done()
		both.Wait()
		return "", none()
	}
	for name, a := range map[string]qed.Agent{
		"agent":   qed.AgentFunc(func(context.Context, qed.Turn) (qed.Answer, error) { return qed.Answer{}, none() }),
		"node":    qed.NewAgent(compile(t, one(func(_ context.Context, s trail) (trail, error) { return s, none() }, nil), nil), begin, answer, nil),
		"fan-out": qed.NewAgent(compile(t, fanOut(branch{Name: "a", Run: meet}, branch{Name: "b", Run: meet}), nil), begin, answer, nil),
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := told(t.Context(), a)
			wantPanic(t, err)
		})
	}
	t.Run("tools", func(t *testing.T) {
		tool := nothing("nil", func(context.Context) error { return none() })
		tool.Idempotent = true
		results, err := registry(t, nil, tool).Do(t.Context(), call("nil", "{}"), call("nil", "{}"))
		if err != nil {
			t.Fatal(err)
		}
		if len(results) != 2 {
			t.Errorf("%d results of 2 calls", len(results))
		}
		for _, r := range results {
			wantPanic(t, r.Err)
		}
	})
}

func TestCloneThatPanics(t *testing.T) {
	g := qed.NewGraph[brittle]("g")
	g.Node("a", func(_ context.Context, s brittle) (brittle, error) { return s, nil }, &qed.NodeOptions{Attempts: 2})
	g.Edge(qed.Start, "a")
	g.Edge("a", qed.End)
	_, err := compile(t, g, nil).Run(t.Context(), brittle{})
	wantNode(t, err, "a", 0)
	if _, ok := errors.AsType[*qed.PanicError](err); !ok {
		t.Errorf("error = %v, want a panic", err)
	}
}

type brittle struct{ N int }

func (brittle) Clone() brittle { panic("brittle") }
