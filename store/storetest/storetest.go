// Package storetest tests implementations of [qed.Store], as testing/fstest
// tests file systems.
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) qed.Store { return openStore(t) })
//	}
//
// What it asks for beyond the words of the interface is what a run needs to be
// resumed safely:
//
//   - Ids of threads, kinds and addresses are compared byte by byte. "Thread" is
//     not "thread", "a " is not "a", and the two ways to write "é" are two ids.
//   - Data come back with the bytes they went in with: nothing is reordered,
//     reformatted or rounded. That no Data is nil, or an empty slice, is the same.
//   - Times are kept to the microsecond and come back in UTC.
//   - An address of 1,000 bytes and a kind of 32 are kept whole. A store that is
//     given longer ones keeps them whole or refuses them. It never cuts.
//   - A context that is done stops a method before it does anything. The error
//     matches the context's.
//   - While somebody reads a thread, he and others can use the store in any way,
//     even where it has a single connection. A reader who appends for each record
//     that he reads comes to an end.
package storetest

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/qedkit/qed/store"
)

// Run tests the stores that open returns: one for each check, opened with the
// subtest's t, which is also where it is to be closed. They may be one and the
// same, and hold threads of others, as all but a few threads of a check have ids
// that are random. A check takes a minute at most; a store that does not heed its
// context ends the program then.
//
// It is worth running under the race detector.
func Run(t *testing.T, open func(t *testing.T) store.Store) {
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) { c.run(t, open(t), time.Minute) })
	}
}

// A check is a thing that a store must do right.
type check struct {
	name string
	do   func(t *test)
}

var checks = []check{
	{"Append", testAppend},
	{"AppendConflict", testAppendConflict},
	{"AppendNothing", testAppendNothing},
	{"RangeNumbers", testRangeNumbers},
	{"RangeKinds", testRangeKinds},
	{"RangeUnder", testRangeUnder},
	{"RangeNewest", testRangeNewest},
	{"RangeLimit", testRangeLimit},
	{"RangeAll", testRangeAll},
	{"Addresses", testAddresses},
	{"Threads", testThreads},
	{"ThreadIDs", testThreadIDs},
	{"Data", testData},
	{"DataSize", testDataSize},
	{"Time", testTime},
	{"Length", testLength},
	{"Trim", testTrim},
	{"TrimPlace", testTrimPlace},
	{"Delete", testDelete},
	{"DeleteAgain", testDeleteAgain},
	{"Cancelled", testCancelled},
	{"ConcurrentPlace", testConcurrentPlace},
	{"ConcurrentWriters", testConcurrentWriters},
	{"ReadBreak", testReadBreak},
	{"ReadAndAppend", testReadAndAppend},
	{"ReadAndRead", testReadAndRead},
	{"ReadAndDelete", testReadAndDelete},
}

func (c check) run(tb testing.TB, st store.Store, patience time.Duration) {
	ctx, cancel := context.WithTimeout(tb.Context(), patience)
	defer cancel()
	stuck := time.AfterFunc(patience+5*time.Second, func() {
		panic("storetest: " + c.name + " does not end: a method of the store does not heed its context, or Records holds a lock while it yields")
	})
	defer stuck.Stop()
	c.do(&test{TB: tb, store: st, ctx: ctx})
}

// A test is the store that is tested, and what a check does with it. Its methods
// end the check when the store fails.
type test struct {
	testing.TB
	store store.Store
	ctx   context.Context
}

// newThread returns an id that nobody has.
func newThread() string { return "storetest-" + rand.Text() }

// text makes a record whose Data is a text.
func text(s string) store.Record {
	data, _ := json.Marshal(s) // a text has a JSON form
	return store.Record{Time: noon, Kind: store.Message, Run: 1, Address: "a", Data: data}
}

// texts makes records with numbers and "1", "2", ... for their texts.
func texts(from, to int64) []store.Record {
	var recs []store.Record
	for seq := from; seq <= to; seq++ {
		rec := text(fmt.Sprint(seq))
		rec.Seq = seq
		recs = append(recs, rec)
	}
	return recs
}

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// append adds records to the end of a thread.
func (t *test) append(thread string, after int64, recs ...store.Record) {
	t.Helper()
	if err := t.store.Append(t.ctx, thread, after, recs...); err != nil {
		t.Fatalf("Append(%.60q, %d) of %d records: %v", thread, after, len(recs), err)
	}
}

// fill makes a thread of the records that texts makes.
func (t *test) fill(n int64) (thread string) {
	t.Helper()
	thread = newThread()
	t.append(thread, 0, texts(1, n)...)
	return thread
}

// conflict appends where it is to be refused.
func (t *test) conflict(thread string, after int64, recs ...store.Record) {
	t.Helper()
	if err := t.store.Append(t.ctx, thread, after, recs...); !errors.Is(err, store.ErrConflict) {
		t.Errorf("Append behind number %d, which is not the last: got %v, want an error that matches ErrConflict", after, err)
	}
}

// read returns what a thread has.
func (t *test) read(thread string, r store.Range) []store.Record {
	t.Helper()
	recs, err := collect(t.store.Records(t.ctx, thread, r))
	if err != nil {
		t.Fatalf("Records(%.60q, %+v): %v", thread, r, err)
	}
	return recs
}

// collect reads a sequence to its end, which comes no later than its error.
func collect(seq func(func(store.Record, error) bool)) (recs []store.Record, err error) {
	for rec, e := range seq {
		if err != nil {
			return recs, fmt.Errorf("the sequence goes on after its error, %w", err)
		}
		if err = e; err == nil {
			recs = append(recs, rec)
		}
	}
	return recs, err
}

// has compares what a thread has with what it should have.
func (t *test) has(thread string, want ...store.Record) {
	t.Helper()
	if diff := difference(t.read(thread, store.Range{}), want); diff != "" {
		t.Errorf("Records(%.60q): %s", thread, diff)
	}
}

// difference says where two logs differ first, or nothing.
func difference(got, want []store.Record) string {
	for i := range min(len(got), len(want)) {
		g, w := got[i], want[i]
		if g.Seq != w.Seq || !g.Time.Equal(w.Time) || g.Kind != w.Kind || g.Run != w.Run || g.Address != w.Address || !bytes.Equal(g.Data, w.Data) {
			return fmt.Sprintf("record %d of %d differs\n got %s\nwant %s", i+1, len(want), show(g), show(w))
		}
	}
	if len(got) != len(want) {
		return fmt.Sprintf("got %d records with the numbers %d, want %d with %d", len(got), numbers(got), len(want), numbers(want))
	}
	return ""
}

func show(r store.Record) string {
	return fmt.Sprintf("seq %d, time %v, kind %q, run %d, address %.60q, %d bytes of data %.60q", r.Seq, r.Time, r.Kind, r.Run, r.Address, len(r.Data), r.Data)
}

func numbers(recs []store.Record) []int64 {
	seqs := make([]int64, len(recs))
	for i, rec := range recs {
		seqs[i] = rec.Seq
	}
	return seqs
}
