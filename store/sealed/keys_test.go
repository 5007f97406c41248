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
		st := over(t, inner, keys, nil)
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
