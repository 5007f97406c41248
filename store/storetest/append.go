package storetest

import (
	"math"

	"github.com/qedkit/qed/store"
)

// Records get the numbers after the last one, whatever their Seq is, and keep their
// other fields.
func testAppend(t *test) {
	thread := newThread()
	t.has(thread)
	first := store.Record{
		Seq: 77, Time: noon, Kind: store.Began, Run: 1, Address: "sql/execute", Data: []byte(`{"a":1}`),
	}
	second := store.Record{Seq: -1, Time: noon, Kind: "a custom kind", Run: math.MaxInt64}
	third := store.Record{Time: noon, Kind: store.Ended, Address: "x", Data: []byte(`[]`)}
	t.append(thread, 0, first)
	t.append(thread, 1, second, third)
	t.append(thread, 3, first)
	first.Seq, second.Seq, third.Seq = 1, 2, 3
	fourth := first
	fourth.Seq = 4
	t.has(thread, first, second, third, fourth)
}

// After any record but the last nothing is appended, not even a part.
func testAppendConflict(t *test) {
	thread := t.fill(3)
	for _, after := range []int64{-1, 0, 1, 2, 4, 5, math.MaxInt64 - 1, math.MaxInt64, math.MinInt64} {
		t.conflict(thread, after, text("one"))
		t.conflict(thread, after, text("one"), text("two"), text("three"), text("four"))
	}
	t.has(thread, texts(1, 3)...)
	t.append(thread, 3, text("4"))
	t.has(thread, texts(1, 4)...)

	missing := newThread()
	for _, after := range []int64{-1, 1, 3} {
		t.conflict(missing, after, text("one"))
	}
	t.has(missing)
	t.append(missing, 0, text("1"))
	t.has(missing, texts(1, 1)...)
}

// An append of no records changes nothing.
func testAppendNothing(t *test) {
	thread := newThread()
	t.append(thread, 0)
	t.has(thread)
	t.append(thread, 0, text("1"))
	t.append(thread, 1)
	t.has(thread, texts(1, 1)...)
	t.append(thread, 1, text("2"))
	t.has(thread, texts(1, 2)...)
}
