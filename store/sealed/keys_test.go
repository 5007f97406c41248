package sealed_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/sealed"
)

// asked remembers the ids of the keys that were looked up.
type asked struct {
	sealed.Keys
	ids []string
}

func (k *asked) Key(ctx context.Context, id string) ([]byte, error) {
	k.ids = append(k.ids, id)
	return k.Keys.Key(ctx, id)
}

// The id in a record, which somebody without a key can write, is looked up only
// if it can be the id of a key.
func TestLookUpOnlyIDs(t *testing.T) {
	for _, id := range []string{"", "a b", "a\n", "é", `a\\b`, strings.Repeat("a", 129)} {
		inner := new(store.InMemory)
		rec := record(fmt.Sprintf(`{"key":"%s","sealed":"AAAA"}`, id))
		rec.Header = &store.Header{Title: string(rec.Data)}
		appended(t, inner, "thread", 0, rec)
		keys := &asked{Keys: newKeys(t, "a")}
		st := over(t, inner, keys)
		for _, err := range st.Records(t.Context(), "thread", store.Range{}) {
			if _, ok := errors.AsType[*sealed.KeyError](err); !ok || errors.Is(err, store.ErrCorrupt) {
				t.Errorf("id %q: %v, want a KeyError", id, err)
			}
		}
		titles(t, st)
		if len(keys.ids) > 0 {
			t.Errorf("id %q: looked up %q", id, keys.ids)
		}
	}
}

// storedKeys are keys that cannot be read, and say so as a store does.
type storedKeys struct {
	sealed.Keys
	err error
}

func (k *storedKeys) Key(ctx context.Context, id string) ([]byte, error) {
	if k.err != nil {
		return nil, k.err
	}
	return k.Keys.Key(ctx, id)
}

// An error of the keys says nothing of the thread, whatever it matches.
func TestErrorsOfKeys(t *testing.T) {
	for _, of := range []error{store.ErrCorrupt, store.ErrConflict, store.ErrInvalidThread} {
		keys := &storedKeys{Keys: newKeys(t, "a")}
		st := over(t, new(store.InMemory), keys)
		appended(t, st, "thread", 0, record(`{}`))
		keys.err = fmt.Errorf("the keys: %w", of)
		for _, err := range st.Records(t.Context(), "thread", store.Range{}) {
			if _, ok := errors.AsType[*sealed.KeyError](err); !ok || errors.Is(err, of) {
				t.Errorf("read: %v matches %v, or is no KeyError", err, of)
			}
		}
		if err := st.Append(t.Context(), "thread", 1, record(`{}`)); err == nil || errors.Is(err, of) {
			t.Errorf("append: %v matches %v", err, of)
		}
	}
}
