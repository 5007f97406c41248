package sealed_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/sealed"
)

// copyAll copies every listed thread.
func copyAll(t *testing.T, from, to store.Store) {
	t.Helper()
	for info, err := range from.(store.Lister).Threads(t.Context(), store.ThreadFilter{}) {
		if err == nil {
			err = store.CopyThread(t.Context(), from, to, info.Thread, &info.Header)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Conversations that were saved in plain text are copied to a sealed store, and
// from there to one with another key. They continue there, and nothing needs the
// first key any more.
func TestMigrate(t *testing.T) {
	agent := qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		if _, err := qed.Step(ctx, "look", 1, func(context.Context) (string, error) { return "zebra", nil }); err != nil {
			return qed.Answer{}, err
		}
		return qed.Answer{Text: fmt.Sprintf("after %d messages", len(turn.History))}, nil
	})
	say := func(st store.Store, want string) {
		t.Helper()
		durable := qed.Durable(agent, st, &qed.DurableOptions{KeepRuns: 1})
		answer, err := qed.Ask(t.Context(), durable, qed.Turn{Thread: "t", Text: "zebra?"})
		if err != nil || answer.Text != want || !answer.Saved {
			t.Errorf("answer %+v, %v, want %s", answer, err, want)
		}
	}
	dir := t.TempDir()
	plain := openSQLite(t, filepath.Join(dir, "plain.db"))
	for n := range 3 {
		say(plain, fmt.Sprintf("after %d messages", 2*n))
	}
	path := filepath.Join(dir, "sealed.db")
	inner := openSQLite(t, path)
	first := over(t, inner, newKeys(t, "a"))
	copyAll(t, plain, first)
	say(first, "after 6 messages")
	if got := titles(t, first); got["t"] != "zebra?" {
		t.Errorf("titles: %q", got)
	}

	second := over(t, openSQLite(t, filepath.Join(dir, "resealed.db")), newKeys(t, "b"))
	copyAll(t, first, second)
	say(second, "after 8 messages")
	if got := titles(t, second); got["t"] != "zebra?" {
		t.Errorf("titles: %q", got)
	}
	if err := inner.Close(); err != nil {
		t.Fatal(err)
	}
	hasNone(t, path, "zebra")
}

// Until its threads are copied, a store that was sealed later refuses them. It does not start
// them again.
func TestPlaintextIsRefused(t *testing.T) {
	inner := new(store.InMemory)
	say(t, inner)
	refused := over(t, inner, newKeys(t, "a"))
	if answer := say(t, refused); answer.Saved {
		t.Errorf("a turn was saved after records that were refused: %+v", answer)
	}
	if _, err := qed.Messages(t.Context(), refused, "t", 0); !errors.Is(err, sealed.ErrNotSealed) {
		t.Errorf("messages: %v, want ErrNotSealed", err)
	}
}
