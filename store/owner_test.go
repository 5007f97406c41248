package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/qedkit/qed/store"
)

func begin(t *testing.T, st store.Store, id, tenant, user string) {
	t.Helper()
	h := &store.Header{User: user, Tenant: tenant, Status: store.StatusAnswered}
	if err := st.Append(t.Context(), id, 0, store.Record{Kind: store.Began, Header: h}); err != nil {
		t.Fatal(err)
	}
}

func idsOf(t *testing.T, st store.Store, f store.ThreadFilter) (ids []string) {
	t.Helper()
	for info, err := range st.(store.Lister).Threads(t.Context(), f) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, info.Thread)
	}
	slices.Sort(ids)
	return ids
}

// Owners whose ids are equal when they are joined have different threads, and each
// sees and deletes its own alone.
func TestForUser(t *testing.T) {
	st := new(store.InMemory)
	owners := [][2]string{{"", ""}, {"acme", "ann"}, {"acme", ""}, {"", "acme"}, {"acm", "eann"}, {"1:a", ""}, {"", "1:a"}, {"acme", "bob"}}
	for _, o := range owners {
		begin(t, store.ForUser(st, o[0], o[1]), "report", o[0], o[1])
	}
	begin(t, st, store.Reserved+"memory", "acme", "ann") // no conversation
	begin(t, store.ForUser(st, "acme", "ann"), "another", "acme", "ann")
	var conversations []string
	for info := range st.Threads(t.Context(), store.ThreadFilter{}) {
		conversations = append(conversations, info.Conversation())
	}
	if slices.Sort(conversations); !slices.Equal(slices.Compact(conversations), []string{"", "another", "report"}) {
		t.Errorf("conversations: %q", conversations)
	}
	ann := store.ForUser(st, "acme", "ann")
	if ids := idsOf(t, ann, store.ThreadFilter{}); !slices.Equal(ids, []string{"another", "report"}) {
		t.Errorf("ann has %q", ids)
	}
	if ids := idsOf(t, ann, store.ThreadFilter{Limit: 1}); len(ids) != 1 {
		t.Errorf("a page of ann has %q", ids)
	}
	bob := "bob"
	if ids := idsOf(t, ann, store.ThreadFilter{User: &bob}); len(ids) != 0 {
		t.Errorf("ann lists %q of bob", ids)
	}
	if err := ann.Delete(t.Context(), "report"); err != nil {
		t.Fatal(err)
	}
	for _, o := range owners {
		n := 0
		for range store.ForUser(st, o[0], o[1]).Records(t.Context(), "report", store.Range{}) {
			n++
		}
		if want := 1; (n == want) == (o == [2]string{"acme", "ann"}) {
			t.Errorf("%q has %d records", o, n)
		}
	}
	for _, id := range []string{"", strings.Repeat("x", 201), store.Reserved + "x", "a\x00"} {
		if err := ann.Append(t.Context(), id, 0); !errors.Is(err, store.ErrInvalidThread) {
			t.Errorf("%.20q: %v", id, err)
		}
		for _, err := range ann.Records(t.Context(), id, store.Range{}) {
			if !errors.Is(err, store.ErrInvalidThread) {
				t.Errorf("%.20q: %v", id, err)
			}
		}
	}
	begin(t, store.ForUser(st, strings.Repeat("t", 500), strings.Repeat("u", 500)), strings.Repeat("x", 200), "", "")
}

// Conversations of a version that had one name space for all users are copied to
// those of their owners.
func ExampleForUser() {
	ctx := context.Background()
	st := new(store.InMemory)
	header := store.Header{User: "ann", Tenant: "acme", Status: store.StatusAnswered}
	if err := st.Append(ctx, "report-2026", 0, store.Record{Kind: store.Began, Header: &header}); err != nil {
		fmt.Println(err)
		return
	}
	own := store.ForUser(st, "acme", "ann")
	if err := store.CopyThread(ctx, st, own, "report-2026", &header); err != nil {
		fmt.Println(err)
		return
	}
	for info := range own.(store.Lister).Threads(ctx, store.ThreadFilter{}) {
		fmt.Println(info.Thread, "of", info.User)
	}
	// Output: report-2026 of ann
}
