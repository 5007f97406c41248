package sealed_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/qedkit/qed/store"
)

// Compares an append and a read of one record to a plain and to a sealed store.
func BenchmarkAppend(b *testing.B) {
	each(b, func(b *testing.B, st store.Store, rec store.Record) {
		after := int64(0)
		for b.Loop() {
			appended(b, st, "thread", after, rec)
			if after++; after == 1000 {
				after = 0
				if err := st.Delete(b.Context(), "thread"); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

// Measures reading 100 records.
func BenchmarkRead100(b *testing.B) {
	each(b, func(b *testing.B, st store.Store, rec store.Record) {
		for after := range int64(100) {
			appended(b, st, "thread", after, rec)
		}
		for b.Loop() {
			if n := len(read(b, st, "thread")); n != 100 {
				b.Fatal(n)
			}
		}
	})
}

// each runs a benchmark over plain and sealed stores, with records of 1 KB and of
// 20 KB.
func each(b *testing.B, do func(*testing.B, store.Store, store.Record)) {
	for name, open := range map[string]func(b *testing.B) store.Store{
		"memory": func(*testing.B) store.Store { return new(store.InMemory) },
		"SQLite": func(b *testing.B) store.Store { return openSQLite(b, filepath.Join(b.TempDir(), "conversations.db")) },
	} {
		for _, size := range []int{1 << 10, 20 << 10} {
			rec := store.Record{
				Time: time.Now(), Kind: store.Checkpoint, Run: 1, Address: "sql/execute",
				Data: []byte(`"` + strings.Repeat("x", size-2) + `"`),
			}
			b.Run(fmt.Sprintf("%s/%dKB/plain", name, size>>10), func(b *testing.B) { do(b, open(b), rec) })
			b.Run(fmt.Sprintf("%s/%dKB/sealed", name, size>>10), func(b *testing.B) {
				do(b, over(b, open(b), newKeys(b, "a")), rec)
			})
		}
	}
}
