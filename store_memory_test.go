package qed_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/storetest"
)

func TestMemoryStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) qed.Store { return new(qed.MemoryStore) })
}

// What is appended, trimmed or deleted while a sequence is read does not change it.
func TestMemoryStoreSnapshot(t *testing.T) {
	var store qed.MemoryStore
	add := func(thread string, after int64, n int) {
		for range n {
			if err := store.Append(t.Context(), thread, after, qed.Record{Kind: qed.RecordState}); err != nil {
				t.Fatal(err)
			}
			after++
		}
	}
	for name, change := range map[string]func() error{
		"append": func() error { add("append", 10, 100); return nil },
		"trim":   func() error { return store.Trim(t.Context(), "trim", 10, qed.RecordState) },
		"delete": func() error { return store.Delete(t.Context(), "delete") },
		"delete and append": func() error {
			err := store.Delete(t.Context(), "delete and append")
			add("delete and append", 0, 5)
			return err
		},
	} {
		add(name, 0, 10)
		var got []int64
		for rec, err := range store.Records(t.Context(), name, qed.Range{}) {
			if err != nil {
				t.Fatal(err)
			}
			if got = append(got, rec.Seq); len(got) == 3 {
				if err := change(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if diff := cmp.Diff([]int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// One append to a thread that ends at 100 records, as a run's checkpoints do.
func BenchmarkMemoryStoreAppend(b *testing.B) {
	var store qed.MemoryStore
	rec := qed.Record{Time: time.Now(), Kind: qed.RecordState, Run: 1, Address: "step", Data: []byte(`{"question":"how many?"}`)}
	b.ReportAllocs()
	after := int64(0)
	for b.Loop() {
		if err := store.Append(b.Context(), "3f0c2d1e-8a55-4c1b-9d0a-1b6f6f2f7a10", after, rec); err != nil {
			b.Fatal(err)
		}
		if after++; after == 100 {
			after = 0
			if err := store.Delete(b.Context(), "3f0c2d1e-8a55-4c1b-9d0a-1b6f6f2f7a10"); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// The last record of a thread of 100,000.
func BenchmarkMemoryStoreNewest(b *testing.B) {
	var store qed.MemoryStore
	if err := store.Append(b.Context(), "thread", 0, make([]qed.Record, 100_000)...); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		for rec, err := range store.Records(b.Context(), "thread", qed.Range{Newest: true, Limit: 1}) {
			if err != nil || rec.Seq != 100_000 {
				b.Fatal(rec.Seq, err)
			}
		}
	}
}
