// Package storetest tests implementations of store.Store, as testing/fstest
// tests file systems. Call [Run] in a test:
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) store.Store { return openStore(t) })
//	}
//
// In addition to the contract of the interface it tests what a run needs to be
// resumed safely:
//
//   - Thread ids, kinds and addresses are compared byte by byte. "Thread" is not
//     "thread", "a " is not "a", and the two encodings of "é" are two ids.
//   - Data are returned with the same bytes: they are not reordered, reformatted
//     or rounded. Nil data and empty data are the same.
//   - Times are kept to the microsecond and returned in UTC.
//   - An address of 1,000 bytes and a kind of 32 bytes are kept. Longer ones are
//     kept or refused, but never cut.
//   - A method that is called with a context that is done changes nothing and
//     returns an error that matches the context's error.
//   - While a thread is read, its reader and others can call every method, even
//     if the store has a single connection. A reader that appends a record for
//     each record that it reads ends at some time. So does
//     a reader of a list of threads that updates each of them.
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

// Run tests the stores that open returns. A store that is a [store.Lister] has
// further checks.
//
//   - open is called once for each check, with the t of the check's subtest. Use
//     its Cleanup to close the store.
//   - open may return the same store each time, and the store may have other
//     threads: the checks use random ids of threads and users, except for the
//     thread "x", which they delete.
//   - A check that takes longer than a minute fails. If the store does not
//     return although its context is done, Run panics.
//
// Run it with the race detector, because some checks use a store concurrently.
func Run(t *testing.T, open func(t *testing.T) store.Store) {
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) { c.run(t, open(t), time.Minute) })
	}
	for _, c := range listing {
		t.Run(c.name, func(t *testing.T) {
			st := open(t)
			if _, ok := st.(store.Lister); !ok {
				t.Skip("the store is not a store.Lister")
			}
			c.run(t, st, time.Minute)
		})
	}
}

// A check tests one property of a store.
type check struct {
	name string
	do   func(t *test)
}

var checks = []check{
	{"Append", testAppend},
	{"AppendConflict", testAppendConflict},
	{"AppendNothing", testAppendNothing},
	{"Ranges", testRanges},
	{"Addresses", testAddresses},
	{"Threads", testThreads},
	{"ThreadIDs", testThreadIDs},
	{"Data", testData},
	{"DataSize", testDataSize},
	{"Time", testTime},
	{"Length", testLength},
	{"Trim", testTrim},
	{"TrimGaps", testTrimGaps},
	{"Delete", testDelete},
	{"DeleteAgain", testDeleteAgain},
	{"Cancelled", testCancelled},
	{"ConcurrentAppend", testConcurrentAppend},
	{"ConcurrentWriters", testConcurrentWriters},
	{"ReadBreak", testReadBreak},
	{"ReadAndAppend", testReadAndAppend},
	{"ReadAndRead", testReadAndRead},
	{"ReadAndDelete", testReadAndDelete},
}

func (c check) run(tb testing.TB, st store.Store, timeout time.Duration) {
	ctx, cancel := context.WithTimeout(tb.Context(), timeout)
	defer cancel()
	stuck := time.AfterFunc(timeout+5*time.Second, func() {
		panic("storetest: " + c.name + " does not end: a method of the store ignores its context, " +
			"or Records holds a lock while it yields")
	})
	defer stuck.Stop()
	c.do(&test{TB: tb, store: st, ctx: ctx})
}

// A test runs one check on a store. Its methods end the check if the store
// returns an error.
type test struct {
	testing.TB
	store store.Store
	ctx   context.Context
}

func newThread() string { return "storetest-" + rand.Text() }

// text returns a record whose Data is a JSON string.
func text(s string) store.Record {
	data, _ := json.Marshal(s) // cannot fail for a string
	return store.Record{Time: noon, Kind: store.Message, Run: 1, Address: "a", Data: data}
}

// texts returns records with the numbers from and to, and their numbers as texts.
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

func (t *test) append(thread string, after int64, recs ...store.Record) {
	t.Helper()
	if err := t.store.Append(t.ctx, thread, after, recs...); err != nil {
		t.Fatalf("Append(%.60q, %d) of %d records: %v", thread, after, len(recs), err)
	}
}

func (t *test) fill(n int64) (thread string) {
	t.Helper()
	thread = newThread()
	t.append(thread, 0, texts(1, n)...)
	return thread
}

// conflict checks that an append is refused with ErrConflict.
func (t *test) conflict(thread string, after int64, recs ...store.Record) {
	t.Helper()
	if err := t.store.Append(t.ctx, thread, after, recs...); !errors.Is(err, store.ErrConflict) {
		t.Errorf("Append after number %d, which is not the last: got %v, want ErrConflict", after, err)
	}
}

func (t *test) read(thread string, r store.Range) []store.Record {
	t.Helper()
	recs, err := collect(t.store.Records(t.ctx, thread, r))
	if err != nil {
		t.Fatalf("Records(%.60q, %+v): %v", thread, r, err)
	}
	return recs
}

// collect reads a sequence and checks that it ends with its error.
func collect(seq func(func(store.Record, error) bool)) (recs []store.Record, err error) {
	for rec, e := range seq {
		if err != nil {
			return recs, fmt.Errorf("the sequence continues after its error: %w", err)
		}
		if err = e; err == nil {
			recs = append(recs, rec)
		}
	}
	return recs, err
}

// has checks that a thread has exactly the wanted records.
func (t *test) has(thread string, want ...store.Record) {
	t.Helper()
	if diff := difference(t.read(thread, store.Range{}), want); diff != "" {
		t.Errorf("Records(%.60q): %s", thread, diff)
	}
}

// difference describes the first difference of two logs. It returns "" if there
// is none.
func difference(got, want []store.Record) string {
	for i := range min(len(got), len(want)) {
		g, w := got[i], want[i]
		if g.Seq != w.Seq || !g.Time.Equal(w.Time) || g.Kind != w.Kind || g.Run != w.Run ||
			g.Address != w.Address || !bytes.Equal(g.Data, w.Data) {
			return fmt.Sprintf("record %d of %d differs\n got %s\nwant %s", i+1, len(want), show(g), show(w))
		}
	}
	if len(got) != len(want) {
		return fmt.Sprintf("got %d records with the numbers %d, want %d with %d",
			len(got), numbers(got), len(want), numbers(want))
	}
	return ""
}

func show(r store.Record) string {
	return fmt.Sprintf("seq %d, time %v, kind %q, run %d, address %.60q, %d bytes of data %.60q",
		r.Seq, r.Time, r.Kind, r.Run, r.Address, len(r.Data), r.Data)
}

func numbers(recs []store.Record) []int64 {
	seqs := make([]int64, len(recs))
	for i, rec := range recs {
		seqs[i] = rec.Seq
	}
	return seqs
}
