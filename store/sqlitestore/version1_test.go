package sqlitestore_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// testdata/version1.db was written by the first version of the tables, before
// threads had headers. It has a thread of two turns, in which each turn
// remembered its text, and a thread that waits for a reply.
func TestVersion1(t *testing.T) {
	file, err := os.ReadFile("testdata/version1.db")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "conversations.db")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	st := open(t, path, nil)
	listed := func() (threads map[string]store.Header) {
		t.Helper()
		threads = map[string]store.Header{}
		for info, err := range st.Threads(t.Context(), store.ThreadFilter{}) {
			if err != nil {
				t.Fatal(err)
			}
			threads[info.Thread] = info.Header
		}
		return threads
	}
	if got := listed(); len(got) > 0 {
		t.Errorf("threads without a header are listed: %v", got)
	}
	if n, err := st.Sweep(t.Context(), time.Nanosecond, time.Nanosecond); n != 0 || err != nil {
		t.Errorf("a sweep deleted %d threads without a header, %v", n, err)
	}
	if h, err := qed.History(t.Context(), st, "answered", 1); err != nil || len(h) != 1 || h[0].Turn.Text != "two" {
		t.Errorf("history %+v, %v", h, err)
	}
	agent := qed.Durable(qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		if turn.Text == "ask" {
			s, err := qed.Interrupt[string](ctx, question.Question{Text: "Which one?"})
			return qed.Answer{Text: "You said " + s}, err
		}
		texts, err := qed.Remembered[string](ctx, "texts", 0)
		return qed.Answer{Text: fmt.Sprint(texts)}, err
	}), st, nil)
	for _, test := range []struct {
		turn qed.Turn
		want string
	}{
		// Threads had the ids of their conversations: they are copied for their users.
		{qed.Turn{Thread: "answered", User: "ann", Text: "three"}, "[one two]"},
		{qed.Turn{Thread: "waiting", User: "bob", Replies: []question.Reply{{Value: []byte(`"this"`)}}}, "You said this"},
	} {
		own := store.ForUser(st, "", test.turn.User)
		if err := store.CopyThread(t.Context(), st, own, test.turn.Thread, nil); err != nil {
			t.Fatal(err)
		}
		if len(test.turn.Replies) > 0 {
			waiting, err := qed.Inspect(t.Context(), own, "waiting")
			if err != nil || len(waiting.Questions) != 1 {
				t.Fatalf("%+v, %v", waiting, err)
			}
			test.turn.Replies[0].Question = waiting.Questions[0].ID
		}
		a, err := qed.Ask(t.Context(), agent, test.turn)
		if err != nil || a.Text != test.want || !a.Saved {
			t.Errorf("%+v: %q, %v, want %q", test.turn, a.Text, err, test.want)
		}
	}
	users := map[string]store.Status{}
	for _, h := range listed() {
		users[h.User] = h.Status
	}
	if len(users) != 2 || users["ann"] != store.StatusAnswered || users["bob"] != store.StatusAnswered {
		t.Errorf("after a turn the list is %+v", users)
	}
}
