package sqlitestore_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/sqlitestore"
)

// From and To select the same threads in every store if they have fractions of a
// microsecond: at or after From, and before To.
func TestFilterByFractions(t *testing.T) {
	st, err := sqlitestore.Open(filepath.Join(t.TempDir(), "conversations.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	for _, st := range []interface {
		store.Store
		store.Lister
	}{new(store.InMemory), st} {
		if err := st.Append(t.Context(), "thread", 0, store.Record{Header: &store.Header{}}); err != nil {
			t.Fatal(err)
		}
		count := func(f store.ThreadFilter) (n int, updated time.Time) {
			t.Helper()
			for info, err := range st.Threads(t.Context(), f) {
				if err != nil {
					t.Fatal(err)
				}
				n, updated = n+1, info.Updated
			}
			return n, updated
		}
		_, updated := count(store.ThreadFilter{})
		if n, _ := count(store.ThreadFilter{To: updated.Add(1)}); n != 1 {
			t.Errorf("%T: %d threads were updated before a time just after the update, want 1", st, n)
		}
		if n, _ := count(store.ThreadFilter{From: updated.Add(1)}); n != 0 {
			t.Errorf("%T: %d threads were updated at or after a time just after the update, want 0", st, n)
		}
	}
}
