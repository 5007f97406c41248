package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/storetest"
)

func TestInMemory(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return new(store.InMemory) })
}

// Appends, trims and deletions do not change a sequence that is being read.
func TestInMemorySnapshot(t *testing.T) {
	var st store.InMemory
	add := func(thread string, after int64, n int) {
		for range n {
			if err := st.Append(t.Context(), thread, after, store.Record{Kind: store.Checkpoint}); err != nil {
				t.Fatal(err)
			}
			after++
		}
	}
	for name, change := range map[string]func() error{
		"append": func() error { add("append", 10, 100); return nil },
		"trim":   func() error { return st.Trim(t.Context(), "trim", 10, store.Checkpoint) },
		"delete": func() error { return st.Delete(t.Context(), "delete") },
		"delete and append": func() error {
			err := st.Delete(t.Context(), "delete and append")
			add("delete and append", 0, 5)
			return err
		},
	} {
		add(name, 0, 10)
		var got []int64
		for rec, err := range st.Records(t.Context(), name, store.Range{}) {
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

// Measures reading the last of the records of an address in threads of different
// lengths.
func BenchmarkInMemoryAddress(b *testing.B) {
	for _, n := range []int{100, 100_000} {
		b.Run(fmt.Sprintf("records=%d", n), func(b *testing.B) {
			var st store.InMemory
			recs := make([]store.Record, n)
			for i := range recs {
				recs[i] = store.Record{Kind: store.Checkpoint, Address: fmt.Sprint("planner/", i%50)}
			}
			recs[n/2].Address = "@plan/1"
			if err := st.Append(b.Context(), "thread", 0, recs...); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				for _, err := range st.Records(b.Context(), "thread", store.Range{Under: "@plan"}) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// Measures a page of the list of 10,000 threads of 1,000 users.
func BenchmarkInMemoryList(b *testing.B) {
	var st store.InMemory
	for i := range 10_000 {
		rec := store.Record{Header: &store.Header{User: fmt.Sprint("user ", i%1000), Status: store.StatusAnswered}}
		if err := st.Append(b.Context(), fmt.Sprint(i), 0, rec); err != nil {
			b.Fatal(err)
		}
	}
	user := "user 7"
	for b.Loop() {
		n := 0
		for _, err := range st.Threads(b.Context(), store.ThreadFilter{User: &user}) {
			if n++; err != nil {
				b.Fatal(err)
			}
		}
		if n != 10 {
			b.Fatal(n)
		}
	}
}

// Measures one append to a thread that is deleted at 100 records.
func BenchmarkInMemoryAppend(b *testing.B) {
	var st store.InMemory
	rec := store.Record{
		Time: time.Now(), Kind: store.Checkpoint, Run: 1, Address: "step", Data: []byte(`{"question":"how many?"}`),
	}
	b.ReportAllocs()
	after := int64(0)
	for b.Loop() {
		if err := st.Append(b.Context(), "3f0c2d1e-8a55-4c1b-9d0a-1b6f6f2f7a10", after, rec); err != nil {
			b.Fatal(err)
		}
		if after++; after == 100 {
			after = 0
			if err := st.Delete(b.Context(), "3f0c2d1e-8a55-4c1b-9d0a-1b6f6f2f7a10"); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// Measures reading the last of 100,000 records.
func BenchmarkInMemoryNewest(b *testing.B) {
	var st store.InMemory
	if err := st.Append(b.Context(), "thread", 0, make([]store.Record, 100_000)...); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		for rec, err := range st.Records(b.Context(), "thread", store.Range{NewestFirst: true, Limit: 1}) {
			if err != nil || rec.Seq != 100_000 {
				b.Fatal(rec.Seq, err)
			}
		}
	}
}
