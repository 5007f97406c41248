package storetest

import (
	"sync"

	"github.com/qedkit/qed/store"
)

// long is more records than a store should read at once.
const long = 700

// Who leaves a sequence early leaves nothing behind.
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

// Whoever reads can append for each record, and others can as well. What is
// appended may be seen or not, but the reader comes to an end.
func testReadAndAppend(t *test) {
	thread, other := t.fill(long), newThread()
	head, n := int64(long), int64(0)
	for rec, err := range t.store.Records(t.ctx, thread, store.Range{}) {
		if err != nil {
			t.Fatalf("Records, while the thread grows: %v", err)
		}
		if n++; rec.Seq != n || n <= long && string(rec.Data) != string(texts(n, n)[0].Data) {
			t.Fatalf("record %d is %s", n, show(rec))
		}
		if n > 3*long {
			t.Fatalf("the sequence does not end while its reader appends: it was of %d records", long)
		}
		if n%10 == 0 { // more than was read: who follows the end of the thread never gets there
			t.append(thread, head, texts(1, 12)...)
			head += 12
			var group sync.WaitGroup
			var err error
			group.Go(func() { err = t.store.Append(t.ctx, other, n/10-1, text("beside")) })
			group.Wait()
			if err != nil {
				t.Fatalf("Append, while somebody reads another thread: %v", err)
			}
		}
	}
	if n < long {
		t.Errorf("the sequence ended after %d records of %d", n, long)
	}
	if got := t.read(thread, store.Range{}); int64(len(got)) != head {
		t.Errorf("%d records were kept, of %d", len(got), head)
	}
}

// Whoever reads can read something else at every record.
func testReadAndRead(t *test) {
	thread := t.fill(5)
	var read func(depth int)
	read = func(depth int) {
		n := int64(0)
		for rec, err := range t.store.Records(t.ctx, thread, store.Range{}) {
			if err != nil {
				t.Fatalf("Records, at depth %d: %v", depth, err)
			}
			if n++; rec.Seq != n {
				t.Fatalf("record %d at depth %d has number %d", n, depth, rec.Seq)
			}
			if depth < 4 && n == 3 {
				read(depth + 1)
			}
		}
		if n != 5 {
			t.Errorf("%d records at depth %d", n, depth)
		}
	}
	read(1)
}

// A thread can be trimmed, and can go, while it is read.
func testReadAndDelete(t *test) {
	thread := t.fill(long)
	last := int64(0)
	for rec, err := range t.store.Records(t.ctx, thread, store.Range{}) {
		if err != nil {
			t.Fatalf("Records, while the thread is removed: %v", err)
		}
		if rec.Seq <= last || rec.Seq > long || string(rec.Data) != string(texts(rec.Seq, rec.Seq)[0].Data) {
			t.Fatalf("behind number %d comes %s", last, show(rec))
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
