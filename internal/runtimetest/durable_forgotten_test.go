package runtimetest_test

import (
	"context"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/store"
)

// forgetful is a store that deletes a thread just before its next append.
type forgetful struct {
	store.Store
	forget bool
}

func (s *forgetful) Append(ctx context.Context, thread string, after int64, recs ...store.Record) error {
	if s.forget {
		s.forget = false
		if err := s.Delete(ctx, thread); err != nil {
			return err
		}
	}
	return s.Store.Append(ctx, thread, after, recs...)
}

// A message to a thread that the store deletes by its age, or forgets, while the
// turn begins is the first message of a new conversation. No turn is running.
func TestThreadIsForgottenWhileATurnBegins(t *testing.T) {
	st := &forgetful{Store: new(store.InMemory)}
	c := converse(t, does(func(context.Context, string) (string, error) { return "done", nil }), st, nil)
	c.say("one")
	st.forget = true
	if a, err := c.try(qed.Turn{Text: "two"}); err != nil || !a.Saved {
		t.Errorf("%+v, %v", a, err)
	}
}
