package usermemory_test

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/sealed"
	"github.com/qedkit/qed/store/sqlitestore"
	"github.com/qedkit/qed/store/usermemory"
)

// erasable are the stores whose users are erased.
var erasable = map[string]func(t *testing.T) store.Store{
	"in memory": func(*testing.T) store.Store { return new(store.InMemory) },
	"SQLite": func(t *testing.T) store.Store {
		st, err := sqlitestore.Open(filepath.Join(t.TempDir(), "conversations.db"), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { st.Close() })
		return st
	},
	"sealed": func(t *testing.T) store.Store { return sealedBy(t, new(store.InMemory), "a") },
}

// sealedBy returns a store that is sealed with the key of a letter.
func sealedBy(t *testing.T, st store.Store, letter string) store.Store {
	t.Helper()
	keys, err := sealed.StaticKeys(letter, map[string][]byte{letter: bytes.Repeat([]byte(letter), 32)})
	if err != nil {
		t.Fatal(err)
	}
	s, err := sealed.New(st, keys)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// keeper returns an agent that saves a row, remembers an entry, asks which port is meant, and notes
// the turn. wait is called after the row was saved.
func keeper(m *usermemory.Memory, wait func()) qed.Agent {
	return qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		table := &qed.Table{Columns: []qed.Column{{Name: "ship"}}}
		if err := table.Append("Mary"); err != nil {
			return qed.Answer{}, err
		}
		if _, err := finding.SaveRows(ctx, table); err != nil {
			return qed.Answer{}, err
		}
		wait()
		if err := qed.Remember(ctx, "ships", "Mary"); err != nil {
			return qed.Answer{}, err
		}
		note := usermemory.PastTurn{Thread: turn.Thread, Turn: 1, Request: turn.Text}
		user := usermemory.User{Tenant: turn.Tenant, ID: turn.User}
		if err := m.Note(ctx, user, note, nil); err != nil {
			return qed.Answer{}, err
		}
		port, err := qed.Interrupt[string](ctx, question.Question{Text: "Which port?"})
		return qed.Answer{Text: port}, err
	})
}

// After Erase nothing of the user is left, and everything of others is.
func TestErase(t *testing.T) {
	for name, open := range erasable {
		t.Run(name, func(t *testing.T) {
			st := open(t)
			m := &usermemory.Memory{Store: st}
			agent := qed.Durable(keeper(m, func() {}), st, nil)
			bob := usermemory.User{Tenant: ann.Tenant, ID: "bob"}
			for _, turn := range []qed.Turn{
				{Thread: "1", User: ann.ID, Tenant: ann.Tenant, Text: "which ships?"},
				{Thread: "2", User: ann.ID, Tenant: ann.Tenant, Text: "which crews?"},
				{Thread: "3", User: bob.ID, Tenant: bob.Tenant, Text: "which ports?"},
				{Thread: "4", User: ann.ID, Tenant: "other", Text: "which routes?"},
			} {
				if _, err := qed.Ask(t.Context(), agent, turn); err != nil {
					t.Fatal(err)
				}
			}
			if err := qed.Fork(t.Context(), store.ForUser(st, ann.Tenant, ann.ID), "1", 0, "5"); err != nil {
				t.Fatal(err)
			}
			threads, err := m.Erase(t.Context(), ann, st)
			if err != nil || len(threads) != 4 || !strings.HasPrefix(threads[3], "qed/user-memory/") {
				t.Fatalf("erased %q, %v", threads, err)
			}
			var conversations []string
			for _, thread := range threads[:3] {
				info := store.ThreadInfo{Thread: thread, Header: store.Header{User: ann.ID, Tenant: ann.Tenant}}
				conversations = append(conversations, info.Conversation())
			}
			if slices.Sort(conversations); !slices.Equal(conversations, []string{"1", "2", "5"}) {
				t.Errorf("erased %q", threads)
			}
			for _, thread := range threads {
				if left := qedtest.Log(t, st, thread); len(left) > 0 {
					t.Errorf("thread %s still has %d records", thread, len(left))
				}
			}
			for thread, other := range map[string]usermemory.User{"3": bob, "4": {Tenant: "other", ID: ann.ID}} {
				if found, err := qed.Inspect(t.Context(), store.ForUser(st, other.Tenant, other.ID), thread); err != nil || found.Status != store.StatusInterrupted {
					t.Errorf("thread %s of another user: %+v, %v", thread, found, err)
				}
			}
			same(t, "the memory of the user", []string{}, pastTurns(t, m, ann, 0))
			same(t, "the memory of another", []string{"which ports?"}, pastTurns(t, m, bob, 0))
			if threads, err := m.Erase(t.Context(), ann, st); err != nil || len(threads) > 0 {
				t.Errorf("erased again: %q, %v", threads, err)
			}
		})
	}
}

// A run that is active while its user is erased saves nothing more, neither in
// its conversation nor in the memory.
func TestEraseDuringRun(t *testing.T) {
	for name, open := range erasable {
		t.Run(name, func(t *testing.T) {
			st := open(t)
			m := &usermemory.Memory{Store: st}
			noted(t, m, ann, past("0", 1, "about ships"))
			var threads []string
			agent := qed.Durable(keeper(m, func() {
				var err error
				if threads, err = m.Erase(t.Context(), ann, st); err != nil {
					t.Error(err)
				}
			}), st, nil)
			_, err := qed.Ask(t.Context(), agent, qed.Turn{Thread: "1", User: ann.ID, Tenant: ann.Tenant, Text: "which ships?"})
			if !errors.Is(err, store.ErrConflict) {
				t.Errorf("the turn: %v, want an error that matches ErrConflict", err)
			}
			if len(threads) != 2 {
				t.Errorf("erased %q", threads)
			}
			for _, thread := range threads {
				if left := qedtest.Log(t, st, thread); len(left) > 0 {
					t.Errorf("thread %s has %d records", thread, len(left))
				}
			}
			if again, err := m.Erase(t.Context(), ann, st); err != nil || len(again) > 0 {
				t.Errorf("erased again: %q, %v", again, err)
			}
		})
	}
}

// The memory can be in another store. If its store fails, the next call removes
// it.
func TestEraseFails(t *testing.T) {
	st, memories := new(store.InMemory), &undeleted{err: errors.New("down")}
	m := &usermemory.Memory{Store: memories}
	agent := qed.Durable(keeper(m, func() {}), st, nil)
	turn := qed.Turn{Thread: "1", User: ann.ID, Tenant: ann.Tenant, Text: "which ships?"}
	if _, err := qed.Ask(t.Context(), agent, turn); err != nil {
		t.Fatal(err)
	}
	threads, err := m.Erase(t.Context(), ann, st)
	if !errors.Is(err, memories.err) || len(threads) != 1 || !strings.HasSuffix(threads[0], "/1") {
		t.Errorf("erased %q, %v", threads, err)
	}
	memories.err = nil
	if threads, err := m.Erase(t.Context(), ann, st); err != nil || len(threads) != 1 {
		t.Errorf("erased %q, %v", threads, err)
	}
	if _, err := m.Erase(t.Context(), usermemory.User{}, st); !errors.Is(err, usermemory.ErrNoUser) {
		t.Errorf("nobody was erased: %v", err)
	}
	if _, err := m.Erase(t.Context(), ann, nil); err == nil {
		t.Error("no conversations were given, and there is no error")
	}
}

type undeleted struct {
	store.InMemory
	err error
}

func (u *undeleted) Delete(ctx context.Context, thread string) error {
	if u.err != nil {
		return u.err
	}
	return u.InMemory.Delete(ctx, thread)
}

// A memory whose key was destroyed can be forgotten and erased.
func TestForgetWithoutKey(t *testing.T) {
	inner := new(store.InMemory)
	noted(t, &usermemory.Memory{Store: sealedBy(t, inner, "a")}, ann, past("1", 1, "about ships"))
	m := &usermemory.Memory{Store: sealedBy(t, inner, "b")}
	if _, err := m.Turns(t.Context(), ann, 0); err == nil || errors.Is(err, store.ErrCorrupt) {
		t.Errorf("without the key: %v, want an error that is not about damage", err)
	}
	if err := m.Forget(t.Context(), ann); err != nil {
		t.Fatal(err)
	}
	noted(t, m, ann, past("1", 2, "about crews"))
	same(t, "the new memory", []string{"about crews"}, pastTurns(t, m, ann, 0))
	m.Store = sealedBy(t, inner, "c")
	if threads, err := m.Erase(t.Context(), ann, inner); err != nil || len(threads) != 1 {
		t.Errorf("erased %q, %v", threads, err)
	}
}

// A memory is copied to a store that seals it, and continues there.
func TestCopyTo(t *testing.T) {
	plain, inner := new(store.InMemory), new(store.InMemory)
	m := &usermemory.Memory{Store: plain, MaxTurns: 4}
	for n := range 20 { // so that it was compacted
		noted(t, m, ann, past("1", n, "about ships"))
	}
	noted(t, m, ann, past("2", 30, "about crews"))
	st := sealedBy(t, inner, "a")
	if err := m.CopyTo(t.Context(), ann, st); err != nil {
		t.Fatal(err)
	}
	copied := &usermemory.Memory{Store: st, MaxTurns: 4}
	same(t, "the copy", pastTurns(t, m, ann, 0), pastTurns(t, copied, ann, 0))
	noted(t, copied, ann, past("2", 31, "about fuel"))
	same(t, "the last turns of the copy", []string{"about fuel", "about crews"}, pastTurns(t, copied, ann, 2))
	if err := m.CopyTo(t.Context(), usermemory.User{}, st); !errors.Is(err, usermemory.ErrNoUser) {
		t.Errorf("nobody was copied: %v", err)
	}
}
