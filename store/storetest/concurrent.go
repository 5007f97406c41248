package storetest

import (
	"errors"
	"fmt"
	"sync"

	"github.com/qedkit/qed/store"
)

// Of concurrent appends after the same record exactly one succeeds.
func testConcurrentAppend(t *test) {
	const rounds, writers = 10, 6
	thread := newThread()
	for after := range int64(rounds) {
		errs := make([]error, writers)
		start := make(chan struct{})
		var group sync.WaitGroup
		for i := range errs {
			group.Go(func() {
				<-start
				errs[i] = t.store.Append(t.ctx, thread, after, text(fmt.Sprint(after+1)))
			})
		}
		close(start)
		group.Wait()
		won := 0
		for _, err := range errs {
			switch {
			case err == nil:
				won++
			case !errors.Is(err, store.ErrConflict):
				t.Fatalf("a second writer got %v, want an error that matches ErrConflict", err)
			}
		}
		if won != 1 {
			t.Fatalf("%d writers appended after number %d, want 1", won, after)
		}
	}
	t.has(thread, texts(1, rounds)...)
}

// Concurrent appends are all made, and their records are not mixed.
func testConcurrentWriters(t *test) {
	const writers, each, together = 4, 8, 3
	thread := newThread()
	errs := make([]error, writers)
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			refused := int64(-1)
			for n := 0; n < each && errs[w] == nil; {
				last, err := collect(t.store.Records(t.ctx, thread, store.Range{NewestFirst: true, Limit: 1}))
				if err != nil {
					errs[w] = err
					return
				}
				var after int64
				if len(last) > 0 {
					after = last[0].Seq
				}
				if after == refused {
					errs[w] = fmt.Errorf("an append after number %d was refused, but it is still the last", after)
					return
				}
				var recs []store.Record
				for part := range together {
					recs = append(recs, text(fmt.Sprint(w, n, part)))
				}
				switch err := t.store.Append(t.ctx, thread, after, recs...); {
				case err == nil:
					n++
				case errors.Is(err, store.ErrConflict):
					refused = after
				default:
					errs[w] = err
				}
			}
		})
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatalf("concurrent writers: %v", err)
	}
	got := t.read(thread, store.Range{})
	if len(got) != writers*each*together {
		t.Fatalf("%d records, want %d", len(got), writers*each*together)
	}
	next := [writers]int{}
	for i := 0; i < len(got); i += together {
		var w, n int
		if _, err := fmt.Sscanf(string(got[i].Data), `"%d %d`, &w, &n); err != nil || n != next[w] {
			t.Fatalf("record %d is %s: want number %d of its writer (%v)", i+1, got[i].Data, next[w], err)
		}
		next[w]++
		for part := range together {
			want := text(fmt.Sprint(w, n, part))
			want.Seq = int64(i + part + 1)
			if diff := difference(got[i+part:i+part+1], []store.Record{want}); diff != "" {
				t.Fatal(diff)
			}
		}
	}
}
