package store_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/store"
)

// logOf returns the records of a thread.
func logOf(t *testing.T, st store.Store, thread string) (recs []store.Record) {
	t.Helper()
	for rec, err := range st.Records(t.Context(), thread, store.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		recs = append(recs, rec)
	}
	return recs
}

// sameLog returns the difference of two logs, or "".
func sameLog(want, got []store.Record) string {
	return cmp.Diff(want, got, cmp.Comparer(func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }))
}

// trimmed fills the thread t with n records, of which each third is left.
func trimmed(t *testing.T, st store.Store, n int) {
	t.Helper()
	for i := range n {
		rec := store.Record{
			Time: time.Now(), Kind: store.Message, Run: int64(i), Address: "sql/execute",
			Data: fmt.Appendf(nil, `"%d%s"`, i, strings.Repeat("x", i%7*30_000)),
		}
		if i%3 > 0 {
			rec.Kind = store.Checkpoint
		}
		if err := st.Append(t.Context(), "t", int64(i), rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := st.Trim(t.Context(), "t", int64(n), store.Checkpoint); err != nil {
		t.Fatal(err)
	}
}

// A copy has the same records with the same numbers, whatever was trimmed.
func TestCopyThread(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 99, 100, 101, 302, 350} {
		var from, to store.InMemory
		trimmed(t, &from, n)
		h := &store.Header{User: "ann", Title: "who is ill?"}
		for range 2 { // the second call changes nothing
			if err := store.CopyThread(t.Context(), &from, &to, "t", h); err != nil {
				t.Fatal(err)
			}
			if diff := sameLog(logOf(t, &from, "t"), logOf(t, &to, "t")); diff != "" {
				t.Errorf("%d records: %s", n, diff)
			}
		}
		for info := range to.Threads(t.Context(), store.ThreadFilter{}) {
			if info.Header != *h {
				t.Errorf("%d records: the header is %+v", n, info.Header)
			}
		}
	}
}

// The copy of a thread that has grown gets the new records.
func TestCopyThreadAgain(t *testing.T) {
	var from, to store.InMemory
	trimmed(t, &from, 10)
	for range 3 {
		if err := store.CopyThread(t.Context(), &from, &to, "t", nil); err != nil {
			t.Fatal(err)
		}
		log := logOf(t, &from, "t")
		if diff := sameLog(log, logOf(t, &to, "t")); diff != "" {
			t.Error(diff)
		}
		if err := from.Append(t.Context(), "t", log[len(log)-1].Seq, store.Record{Kind: store.Ended}); err != nil {
			t.Fatal(err)
		}
	}
}

// A thread that is not a copy is refused and stays as it is.
func TestCopyThreadOther(t *testing.T) {
	var from, to store.InMemory
	trimmed(t, &from, 10)
	if err := to.Append(t.Context(), "t", 0, store.Record{Kind: store.Began, Data: []byte(`"another"`)}); err != nil {
		t.Fatal(err)
	}
	before := logOf(t, &to, "t")
	if err := store.CopyThread(t.Context(), &from, &to, "t", nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v, want ErrExist", err)
	}
	if diff := sameLog(before, logOf(t, &to, "t")); diff != "" {
		t.Error(diff)
	}
}

// failing is a store whose changes fail after some of them.
type failing struct {
	store.InMemory
	left    int
	largest int // the most bytes of data of an append
}

var errGone = errors.New("the server is gone")

func (f *failing) Append(ctx context.Context, thread string, after int64, recs ...store.Record) error {
	if f.left--; f.left < 0 {
		return errGone
	}
	size := 0
	for _, rec := range recs {
		size += len(rec.Data)
	}
	f.largest = max(f.largest, size)
	return f.InMemory.Append(ctx, thread, after, recs...)
}

func (f *failing) Trim(ctx context.Context, thread string, before int64, kinds ...store.Kind) error {
	if f.left--; f.left < 0 {
		return errGone
	}
	return f.InMemory.Trim(ctx, thread, before, kinds...)
}

// A copy that failed at any change is continued, and is listed when it is
// complete.
func TestCopyThreadFails(t *testing.T) {
	var from store.InMemory
	trimmed(t, &from, 350)
	for n := 0; ; n++ {
		to := &failing{left: n}
		err := store.CopyThread(t.Context(), &from, to, "t", &store.Header{User: "ann"})
		if err == nil {
			if n < 3 || to.largest > 1<<20+200_000 {
				t.Errorf("the copy made %d changes of up to %d bytes, want several of about a megabyte", n, to.largest)
			}
			return
		}
		if !errors.Is(err, errGone) {
			t.Fatalf("failing after %d changes: %v", n, err)
		}
		copied := logOf(t, to, "t")
		complete := len(copied) > 0 && copied[len(copied)-1].Seq == 350
		if !complete && listed(t, to) != "" {
			t.Errorf("failing after %d changes: the incomplete copy is listed", n)
		}
		to.left = 1000
		if err := store.CopyThread(t.Context(), &from, to, "t", &store.Header{User: "ann"}); err != nil {
			t.Errorf("after a failure at change %d: %v", n, err)
		}
		if diff := sameLog(logOf(t, &from, "t"), logOf(t, to, "t")); diff != "" {
			t.Errorf("after a failure at change %d: %s", n, diff)
		}
	}
}
