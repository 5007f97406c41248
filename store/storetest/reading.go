package storetest

import (
	"sync"

	"github.com/qedkit/qed/store"
)

// long is the length of a thread that a store should read in several batches.
const long = 700

// A sequence that is left early holds no resources.
func testReadBreak(t *test) {
	thread := t.fill(long)
	for i := range 30 {
		n := 0
		for rec, err := range t.store.Records(t.ctx, thread, store.Range{NewestFirst: i%2 == 1}) {
			if err != nil {
				t.Fatalf("Records, after %d sequences that were left early: %v", i, err)
			}
			if n++; n > i*i || rec.Seq == 0 {
				break
			}
		}
	}
	t.append(thread, long, text("more"))
	t.delete(thread)
}

// A reader can append to the thread that it reads, and other goroutines can
// append to other threads. The reader may see the new records, but it ends.
func testReadAndAppend(t *test) {
	thread, other := t.fill(long), newThread()
	head, n := int64(long), int64(0)
	for rec, err := range t.store.Records(t.ctx, thread, store.Range{}) {
		if err != nil {
			t.Fatalf("Records while the thread grows: %v", err)
		}
		if n++; rec.Seq != n || n <= long && string(rec.Data) != string(texts(n, n)[0].Data) {
			t.Fatalf("record %d is %s", n, show(rec))
		}
		if n > 3*long {
			t.Fatalf("the sequence does not end while its reader appends: the thread had %d records", long)
		}
		if n%10 == 0 { // append more than was read: a reader that follows the end never ends
			t.append(thread, head, texts(1, 12)...)
			head += 12
			var group sync.WaitGroup
			var err error
			group.Go(func() { err = t.store.Append(t.ctx, other, n/10-1, text("other")) })
			group.Wait()
			if err != nil {
				t.Fatalf("Append while another thread is read: %v", err)
			}
		}
	}
	if n < long {
		t.Errorf("the sequence ended after %d records of %d", n, long)
	}
	if got := t.read(thread, store.Range{}); int64(len(got)) != head {
		t.Errorf("the thread has %d records, want %d", len(got), head)
	}
}

// A reader can start further sequences at every record.
func testReadAndRead(t *test) {
	thread := t.fill(5)
	var read func(depth int)
	read = func(depth int) {
		n := int64(0)
		for rec, err := range t.store.Records(t.ctx, thread, store.Range{}) {
			if err != nil {
				t.Fatalf("Records at depth %d: %v", depth, err)
			}
			if n++; rec.Seq != n {
				t.Fatalf("record %d at depth %d has number %d", n, depth, rec.Seq)
			}
			if depth < 4 && n == 3 {
				read(depth + 1)
			}
		}
		if n != 5 {
			t.Errorf("%d records at depth %d, want 5", n, depth)
		}
	}
	read(1)
}

// A thread can be trimmed and deleted while it is read.
func testReadAndDelete(t *test) {
	thread := t.fill(long)
	last := int64(0)
	for rec, err := range t.store.Records(t.ctx, thread, store.Range{}) {
		if err != nil {
			t.Fatalf("Records while the thread is deleted: %v", err)
		}
		if rec.Seq <= last || rec.Seq > long || string(rec.Data) != string(texts(rec.Seq, rec.Seq)[0].Data) {
			t.Fatalf("number %d is followed by %s", last, show(rec))
		}
		last = rec.Seq
		switch last {
		case 2:
			t.trim(thread, 5, store.Message)
		case 7:
			t.delete(thread)
		}
	}
	t.has(thread)
}
