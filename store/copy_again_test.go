package store_test

import (
	"testing"

	"github.com/qedkit/qed/store"
)

// A copy can be continued after the original was trimmed.
func TestCopyAfterTrim(t *testing.T) {
	var from, to store.InMemory
	add := func(after int64, kinds ...store.Kind) {
		for i, k := range kinds {
			if err := from.Append(t.Context(), "t", after+int64(i), store.Record{Kind: k}); err != nil {
				t.Fatal(err)
			}
		}
	}
	add(0, store.Began, store.Message, store.Heartbeat)
	if err := store.CopyThread(t.Context(), &from, &to, "t", nil); err != nil {
		t.Fatal(err)
	}
	add(3, store.Resumed, store.Message, store.Ended, store.Began)
	if err := from.Trim(t.Context(), "t", 7, store.Heartbeat); err != nil {
		t.Fatal(err)
	}
	if err := store.CopyThread(t.Context(), &from, &to, "t", nil); err != nil {
		t.Error(err)
	}
}
