package runlog

import (
	"sync"
	"time"

	"github.com/qedkit/qed/store"
)

const (
	// maxDelay is how long a record waits for others, with which it is appended.
	maxDelay = 5 * time.Millisecond

	// enough is how much data is appended without such a delay, in bytes.
	enough = 256 << 10

	// maxWaiting limits the data that waits, in bytes.
	maxWaiting = 1 << 20
)

// A queue has the records that are to be appended soon. Its mutex is not held
// during an append.
type queue struct {
	mu     sync.Mutex
	recs   []store.Record
	size   int   // of their data, in bytes
	next   int64 // the number of the next record
	run    int64
	timer  *time.Timer // calls Log.flush; nil if there are no records
	due    bool        // flush is called without a delay
	taken  bool        // records of the queue are being appended
	closed bool        // the log is lost or finished
}

// Later is AppendOrKeep for records that nothing waits for. It sets their Seq,
// Time and Run, and returns. The records are appended in the background within a few
// milliseconds, or with the next other append, read or end of the run, before
// its own records. If the append fails they are kept, as AppendOrKeep does.
//
// If the log is lost, if too much data waits, or if the store never waits,
// Later is AppendOrKeep.
func (l *Log) Later(recs ...store.Record) error {
	if l.opt.NeverWaits || !l.enqueue(recs) {
		return l.AppendOrKeep(recs...)
	}
	return nil
}

// enqueue adds records to the queue, and reports whether it did.
func (l *Log) enqueue(recs []store.Record) bool {
	q := &l.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || q.size >= maxWaiting {
		return false
	}
	now := l.Now()
	for i := range recs {
		recs[i].Seq, recs[i].Run, recs[i].Time = q.next, q.run, now
		q.next++
		q.size += len(recs[i].Data)
	}
	q.recs = append(q.recs, recs...)
	if q.timer == nil {
		q.timer = time.AfterFunc(maxDelay, l.flush)
	}
	if q.size >= enough && !q.due {
		q.due = true
		q.timer.Reset(0)
	}
	return true
}

// flush appends the records of the queue.
func (l *Log) flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.append(nil)
}

// join waits until the records of the queue are appended, if there are any.
func (l *Log) join() {
	q := &l.queue
	q.mu.Lock()
	none := len(q.recs) == 0 && !q.taken
	q.mu.Unlock()
	if !none {
		l.flush()
	}
}

// take removes the records from the queue. They are appended now, with n others
// after them. l.mu is held.
func (q *queue) take(head int64, n int) []store.Record {
	q.mu.Lock()
	defer q.mu.Unlock()
	recs := q.recs
	q.next = head + 1 + int64(len(recs)+n)
	q.taken = len(recs) > 0
	q.clear()
	return recs
}

// clear empties the queue. q.mu is held.
func (q *queue) clear() {
	if q.timer != nil {
		q.timer.Stop()
	}
	q.recs, q.size, q.timer, q.due = nil, 0, nil, false
}

// done says that the append of records that were taken has ended.
func (q *queue) done() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.taken = false
}

// position sets the number and the run of the next record.
func (q *queue) position(head, run int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.next, q.run = head+1, run
}

// close makes the queue refuse records, and returns those that it has.
func (q *queue) close() []store.Record {
	q.mu.Lock()
	defer q.mu.Unlock()
	recs := q.recs
	q.closed = true
	q.clear()
	return recs
}
