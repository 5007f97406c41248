package runtimetest_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/store"
)

// headerOf returns the only entry of a store's list of threads.
func headerOf(t *testing.T, st store.Lister) store.Header {
	t.Helper()
	var found []store.Header
	for info, err := range st.Threads(t.Context(), store.ThreadFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, info.Header)
	}
	if len(found) != 1 {
		t.Fatalf("%d threads are listed", len(found))
	}
	return found[0]
}

// A list of threads shows whose a thread is, how it began and how its last run
// ended.
func TestThreadIsListed(t *testing.T) {
	var st store.InMemory
	long := strings.Repeat("ä", 300)
	var during store.Header
	agent := func(err error) qed.Agent {
		return qed.Durable(qed.AgentFunc(func(context.Context, qed.Turn) (qed.Answer, error) {
			during = headerOf(t, &st)
			return qed.Answer{Text: "12"}, err
		}), &st, nil)
	}
	turn := qed.Turn{Thread: "t", User: "ann", Tenant: "acme", Text: long}
	want := store.Header{
		User: "ann", Tenant: "acme", Title: strings.Repeat("ä", 100) + "...", Status: store.StatusRunning, Turns: 1,
	}
	check := func(what string, got store.Header) {
		t.Helper()
		got.Lease = 0
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
	for _, test := range []struct {
		text  string
		err   error
		turns int
		ended store.Status
	}{
		{long, nil, 1, store.StatusAnswered},
		{"and now?", errors.New("no"), 2, store.StatusFailed},
		{"", nil, 2, store.StatusAnswered}, // resumed
		{"again", nil, 3, store.StatusAnswered},
	} {
		turn.Text = test.text
		qed.Ask(t.Context(), agent(test.err), turn)
		want.Turns, want.Status = test.turns, store.StatusRunning
		check("while it runs", during)
		if during.Lease <= 0 {
			t.Error("the running thread has no lease")
		}
		want.Status = test.ended
		check("afterwards", headerOf(t, &st))
	}
}

// A thread of a user whose id cannot be listed is refused before the agent
// runs.
func TestLongUser(t *testing.T) {
	var st store.InMemory
	agent := qed.Durable(qed.AgentFunc(func(context.Context, qed.Turn) (qed.Answer, error) {
		t.Error("the agent runs")
		return qed.Answer{}, nil
	}), &st, nil)
	_, err := qed.Ask(t.Context(), agent, qed.Turn{Thread: "t", Text: "hi", User: strings.Repeat("u", 501)})
	if !errors.Is(err, qed.ErrWrongUser) {
		t.Errorf("got %v, want ErrWrongUser", err)
	}
}
