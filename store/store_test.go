package store_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/qedkit/qed/store"
)

func TestDecode(t *testing.T) {
	rec := store.Record{Seq: 7, Kind: store.Began, Data: []byte(`{"a":1,"unknown":2}`)}
	var v struct{ A int }
	if err := rec.Decode(&v); err != nil || v.A != 1 {
		t.Errorf("decoded %+v, %v", v, err)
	}
	for _, data := range []string{"", "{", `{"a":"text"}`, "[]"} {
		rec.Data = []byte(data)
		if err := rec.Decode(&v); !errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), "number 7") {
			t.Errorf("%q: %v, want an error that matches ErrCorrupt and has the number", data, err)
		}
	}
}

func TestCheckRecords(t *testing.T) {
	kind, address := store.Kind(strings.Repeat("k", 32)), strings.Repeat("a", 1000)
	for _, test := range []struct {
		rec store.Record
		ok  bool
	}{
		{store.Record{}, true},
		{store.Record{Kind: kind, Address: address}, true},
		{store.Record{Kind: kind + "k"}, false},
		{store.Record{Address: address + "a"}, false},
	} {
		if err := store.CheckRecords([]store.Record{{}, test.rec}); (err == nil) != test.ok {
			t.Errorf("kind of %d bytes, address of %d: %v", len(test.rec.Kind), len(test.rec.Address), err)
		}
	}
}

func TestIsUnder(t *testing.T) {
	for _, test := range []struct {
		address, parent string
		want            bool
	}{
		{"a", "a", true},
		{"a/b", "a", true},
		{"a/b/c", "a/b", true},
		{"ab", "a", false},
		{"a", "a/b", false},
		{"b/a", "a", false},
	} {
		if got := store.IsUnder(test.address, test.parent); got != test.want {
			t.Errorf("IsUnder(%q, %q) = %v", test.address, test.parent, got)
		}
	}
}
