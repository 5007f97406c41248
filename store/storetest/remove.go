package storetest

import (
	"context"
	"errors"
	"math"

	"github.com/qedkit/qed/store"
)

// Trim removes the records of the kinds below a number, and no others.
func testTrim(t *test) {
	const state, called, message = store.Checkpoint, store.Called, store.Message
	log := texts(1, 9)
	for i, kind := range []store.Kind{message, state, called, state, message, "State", state, called, state} {
		log[i].Kind = kind
	}
	other := t.fill(3)
	for _, c := range []struct {
		before int64
		kinds  []store.Kind
		stay   []int
	}{
		{5, []store.Kind{state}, []int{1, 3, 5, 6, 7, 8, 9}},
		{4, []store.Kind{state}, []int{1, 3, 4, 5, 6, 7, 8, 9}},
		{9, []store.Kind{state, called}, []int{1, 5, 6, 9}},
		{100, []store.Kind{state, called}, []int{1, 5, 6, 9}},
		{math.MaxInt64, []store.Kind{state, called, message, "State"}, []int{9}},
		{0, []store.Kind{state}, []int{1, 2, 3, 4, 5, 6, 7, 8, 9}},
		{-5, []store.Kind{state}, []int{1, 2, 3, 4, 5, 6, 7, 8, 9}},
		{9, []store.Kind{"unknown"}, []int{1, 2, 3, 4, 5, 6, 7, 8, 9}},
		{9, nil, []int{1, 2, 3, 4, 5, 6, 7, 8, 9}},
	} {
		thread := newThread()
		t.append(thread, 0, log...)
		for range 2 { // the second call changes nothing
			t.trim(thread, c.before, c.kinds...)
			var want []store.Record
			for _, seq := range c.stay {
				want = append(want, log[seq-1])
			}
			if diff := difference(t.read(thread, store.Range{}), want); diff != "" {
				t.Errorf("Trim(%d, %q): %s", c.before, c.kinds, diff)
			}
		}
	}
	t.has(other, texts(1, 3)...)
	missing := newThread()
	t.trim(missing, 10, state)
	t.has(missing)
}

func (t *test) trim(thread string, before int64, kinds ...store.Kind) {
	t.Helper()
	if err := t.store.Trim(t.ctx, thread, before, kinds...); err != nil {
		t.Fatalf("Trim(%d, %q): %v", before, kinds, err)
	}
}

// A trimmed thread grows after its last record, and its gaps stay empty.
func testTrimGaps(t *test) {
	thread := newThread()
	log := texts(1, 5)
	log[1].Kind, log[2].Kind = store.Checkpoint, store.Checkpoint
	t.append(thread, 0, log...)
	t.trim(thread, 5, store.Checkpoint)
	for after := range int64(5) {
		t.conflict(thread, after, text("in a gap"))
		t.conflict(thread, after, text("in a gap"), text("after it"))
	}
	t.append(thread, 5, texts(6, 7)...)
	t.has(thread, append([]store.Record{log[0], log[3], log[4]}, texts(6, 7)...)...)
}

// Delete removes a thread, and no other.
func testDelete(t *test) {
	thread, other := t.fill(3), t.fill(2)
	for range 2 { // the second call finds no thread
		t.delete(thread)
		t.has(thread)
		t.has(other, texts(1, 2)...)
	}
	t.delete(newThread())
}

func (t *test) delete(thread string) {
	t.Helper()
	if err := t.store.Delete(t.ctx, thread); err != nil {
		t.Fatalf("Delete: %v", err)
	}
}

// A deleted thread starts again at number 1.
func testDeleteAgain(t *test) {
	thread := t.fill(3)
	t.delete(thread)
	t.conflict(thread, 3, text("4"))
	t.has(thread)
	t.append(thread, 0, texts(1, 1)...)
	t.conflict(thread, 3, text("4"))
	t.append(thread, 1, texts(2, 2)...)
	t.has(thread, texts(1, 2)...)
}

// With a context that is done, methods change nothing.
func testCancelled(t *test) {
	thread := t.fill(3)
	cause := errors.New("cause")
	done, cancel := context.WithCancelCause(t.ctx)
	cancel(cause)
	_, read := collect(t.store.Records(done, thread, store.Range{}))
	for method, err := range map[string]error{
		"Append":            t.store.Append(done, thread, 3, text("4")),
		"Append of several": t.store.Append(done, thread, 3, text("4"), text("5")),
		"Append to a new":   t.store.Append(done, newThread(), 0, text("1")),
		"Append of nothing": t.store.Append(done, thread, 3),
		"Records":           read,
		"Trim":              t.store.Trim(done, thread, 3, store.Message),
		"Delete":            t.store.Delete(done, thread),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s with a cancelled context: got %v, want an error that matches context.Canceled", method, err)
		}
	}
	t.has(thread, texts(1, 3)...)
	t.append(thread, 3, text("4"))
	t.has(thread, texts(1, 4)...)
}
