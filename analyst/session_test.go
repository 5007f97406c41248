package analyst_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/analyst"
	"github.com/qedkit/qed/internal/poll"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/store"
)

// ledgered returns the model of explorer that counts its requests by the number of
// results in them, which is the same for a request that is repeated.
func ledgered(l *qedtest.Ledger) llm.Model {
	return llm.ModelFunc(func(ctx context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
		l.Do(fmt.Sprint(req.Name, " ", len(req.Messages)))
		return explorer().Generate(ctx, req, stream)
	})
}

// result returns what an exploration found, without how long it took.
func result(t *testing.T, answer qed.Answer) *analyst.Exploration {
	t.Helper()
	e, err := analyst.ExplorationOf(answer)
	if err != nil {
		t.Fatal(err)
	}
	e.Metadata.DurationMs = 0
	return e
}

// A process that dies after any record leaves an exploration that another process
// resumes: it finds the same, and no recorded request is made again.
func TestCrashAfterEveryRecord(t *testing.T) {
	data := orders(t)
	run := func(st store.Store, l *qedtest.Ledger, turn qed.Turn) (qed.Answer, error) {
		a, err := analyst.New(ledgered(l), data, &analyst.Options{Store: st})
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		turn.Thread = "t"
		return qed.Ask(qed.WithClock(t.Context(), clock.Now), a, turn)
	}
	l := &qedtest.Ledger{}
	snaps := qedtest.NewSnapshots(t, l)
	answer, err := run(snaps, l, qed.Turn{Text: "Where are the orders larger?"})
	if err != nil {
		t.Fatal(err)
	}
	whole, made := result(t, answer), l.Count()
	if len(snaps.Moments) < 5 || len(made) < 4 {
		t.Fatalf("%d records, requests %v", len(snaps.Moments), made)
	}
	for _, m := range snaps.Moments[:len(snaps.Moments)-1] {
		last := m.Log[len(m.Log)-1]
		at := fmt.Sprintf("after record %d (%s %s)", last.Seq, last.Kind, last.Address)
		clock.Pass(time.Minute) // the lease of the dead process ends
		again := qedtest.NewLedger(m.Made)
		answer, err := run(qedtest.Restore(t, m.Log), again, qed.Turn{})
		if errors.Is(err, qed.ErrEmptyTurn) && last.Kind == store.Ended {
			continue // there is nothing to resume
		}
		if err != nil {
			t.Errorf("%s: %v", at, err)
			continue
		}
		if diff := cmp.Diff(whole, result(t, answer)); diff != "" {
			t.Errorf("%s (-whole +resumed)\n%s", at, diff)
		}
		for what, n := range again.Count() {
			if n > m.Made[what]+1 || n > 2 {
				t.Errorf("%s: %s was asked %d times", at, what, n)
			}
		}
	}
}

var clock = qedtest.NewClock()

// loader loads the orders for each session, and counts what is open.
type loader struct {
	mu           sync.Mutex
	data         analyst.Data
	opened, open int
}

func (l *loader) load(context.Context, qed.Turn) (analyst.Data, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.opened++
	l.open++
	d := l.data
	d.Close = func() error {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.open--
		return nil
	}
	return d, nil
}

func (l *loader) count() [2]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return [2]int{l.opened, l.open}
}

func TestSessions(t *testing.T) {
	l := &loader{data: orders(t)}
	st := new(store.InMemory)
	open := func(opt analyst.Options) *analyst.Analyst {
		opt.Load = l.load
		a, err := analyst.New(explorer(), analyst.Data{}, &opt)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	ask := func(a *analyst.Analyst, thread, text string) {
		t.Helper()
		if _, err := qed.Ask(t.Context(), a, qed.Turn{Thread: thread, Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	want := func(when string, opened, open int) {
		t.Helper()
		if diff := cmp.Diff([2]int{opened, open}, l.count()); diff != "" {
			t.Errorf("%s: opened and open (-want +got)\n%s", when, diff)
		}
	}

	a := open(analyst.Options{Store: st})
	ask(a, "1", "Where are the orders larger?")
	ask(a, "1", "And is it significant?")
	want("a follow-up uses the data of the session", 1, 1)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	want("closed", 1, 0)

	b := open(analyst.Options{Store: st})
	ask(b, "1", "And is it significant?")
	want("after a restart the data is loaded again", 2, 1)
	if err := b.EndSession(t.Context(), "1"); err != nil {
		t.Fatal(err)
	}
	want("an ended session has no data", 2, 0)
	if entries, err := qed.History(t.Context(), st, "1", 10); err != nil || len(entries) > 0 {
		t.Errorf("an ended session has %d turns, %v", len(entries), err)
	}

	idle := open(analyst.Options{IdleTimeout: time.Millisecond})
	ask(idle, "2", "Where are the orders larger?")
	poll.Until(t, "the idle session ends", func() bool { return l.count() == [2]int{3, 0} })
	ask(idle, "2", "Where are the orders larger?")
	poll.Until(t, "it ends again", func() bool { return l.count() == [2]int{4, 0} })
}

func TestSessionCannotBeLoaded(t *testing.T) {
	gone := errors.New("the file is gone")
	a, err := analyst.New(explorer(), analyst.Data{}, &analyst.Options{
		Load: func(context.Context, qed.Turn) (analyst.Data, error) { return analyst.Data{}, gone },
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := qed.Ask(t.Context(), a, qed.Turn{Thread: "1", Text: "Where are the orders larger?"}); !errors.Is(err, gone) {
		t.Errorf("the error is %v", err)
	}
	if err := a.EndSession(t.Context(), "none"); err != nil {
		t.Errorf("a session that is not there: %v", err)
	}
}

// The log and the metrics follow from the events, and have no text and no row.
func TestLogAndMetrics(t *testing.T) {
	var log bytes.Buffer
	a, err := analyst.New(explorer(), orders(t), &analyst.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	failed := map[string]int{} // as qedotel counts
	var metadata analyst.Metadata
	for e, err := range a.Run(t.Context(), qed.Turn{Thread: "s1", Text: "Where are the orders larger?"}) {
		if err != nil {
			t.Fatal(err)
		}
		if d, ok := e.Data.(qed.ToolFinished); ok && d.Error != "" {
			failed[d.Tool]++
		}
		if d, ok := e.Data.(qed.Completed); ok {
			found, err := analyst.ExplorationOf(d.Answer)
			if err != nil {
				t.Fatal(err)
			}
			metadata = found.Metadata
		}
	}
	if diff := cmp.Diff(metadata.ToolCalls, a.Metrics().ToolCalls) + cmp.Diff(metadata.Errors, a.Metrics().ToolErrors); diff != "" {
		t.Errorf("calls (-metadata +metrics)\n%s", diff)
	}
	if diff := cmp.Diff(failed, a.Metrics().ToolErrors); diff != "" {
		t.Errorf("failed calls (-events +metrics)\n%s", diff)
	}
	if _, err := qed.Ask(t.Context(), a, qed.Turn{Thread: "s2", Text: "nothing is scripted for this"}); err != nil {
		t.Logf("the second exploration fails: %v", err)
	}
	got := a.Metrics()
	got.Duration = 0
	if got.Started != 2 || got.Completed+got.Failed != 2 {
		t.Errorf("metrics %+v", got)
	}
	if got.ToolCalls["executeSQLQuery"] < 2 || got.ToolErrors["executeSQLQuery"] < 1 || got.ToolErrors["createVisualization"] != 0 {
		t.Errorf("calls %v, errors %v", got.ToolCalls, got.ToolErrors)
	}
	text := log.String()
	for _, want := range []string{
		"msg=step_start session=s1 step=1", "msg=tool_call session=s1 step=1 tokens=0 tool=executeSQLQuery", "msg=tool_result",
		"error=unknown_column tool=executeSQLQuery duration_ms=", "msg=completion session=s1",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, secret := range []string{"north", "SELECT", "larger", "Ignore everything"} {
		if strings.Contains(text, secret) {
			t.Errorf("the log has %q:\n%s", secret, text)
		}
	}
}
