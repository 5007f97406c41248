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

// owned appends a record that makes a thread that of a user.
func owned(t *testing.T, st store.Store, thread, tenant, user string) {
	t.Helper()
	rec := store.Record{Kind: store.Began, Run: 1, Header: &store.Header{Tenant: tenant, User: user}}
	if err := st.Append(t.Context(), thread, 0, rec); err != nil {
		t.Fatal(err)
	}
}

// listed returns the ids of all threads, in alphabetical order.
func listed(t *testing.T, st store.Lister) string {
	t.Helper()
	var ids []string
	for info, err := range st.Threads(t.Context(), store.ThreadFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, info.Thread)
	}
	slices.Sort(ids)
	return strings.Join(ids, " ")
}

// EraseUser deletes the threads of the user of the tenant, and no others.
func TestEraseUser(t *testing.T) {
	var st store.InMemory
	for i := range 250 {
		owned(t, &st, fmt.Sprint("ann-", i), "acme", "ann")
	}
	for thread, owner := range map[string][2]string{
		"bob": {"acme", "bob"}, "other-ann": {"other", "ann"}, "Ann": {"acme", "Ann"}, "nobody": {"acme", ""},
		"no-tenant": {"", "ann"}, "shifted": {"acmea", "nn"},
	} {
		owned(t, &st, thread, owner[0], owner[1])
	}
	threads, err := store.EraseUser(t.Context(), &st, "acme", "ann")
	if err != nil || len(threads) != 250 || !slices.Contains(threads, "ann-0") {
		t.Errorf("erased %d threads, %v", len(threads), err)
	}
	if got := listed(t, &st); got != "Ann bob no-tenant nobody other-ann shifted" {
		t.Errorf("these threads are left: %s", got)
	}
	if threads, err := store.EraseUser(t.Context(), &st, "acme", "ann"); err != nil || len(threads) > 0 {
		t.Errorf("erased again: %v, %v", threads, err)
	}
	threads, err = store.EraseUser(t.Context(), &st, "", "ann")
	if err != nil || !slices.Equal(threads, []string{"no-tenant"}) {
		t.Errorf("without a tenant: %v, %v", threads, err)
	}
}

func TestEraseUserRefuses(t *testing.T) {
	var st store.InMemory
	owned(t, &st, "nobody", "acme", "")
	if _, err := store.EraseUser(t.Context(), &st, "acme", ""); err == nil {
		t.Error("an empty user was erased")
	}
	for _, st := range []store.Store{nil, struct{ store.Store }{&st}} {
		if _, err := store.EraseUser(t.Context(), st, "acme", "ann"); err == nil {
			t.Errorf("%T was erased although it is no Lister", st)
		}
	}
	if listed(t, &st) != "nobody" {
		t.Error("a thread was deleted")
	}
}

// deleting is a store whose Delete goes through a function.
type deleting struct {
	store.InMemory
	delete func(thread string) error
}

func (d *deleting) Delete(ctx context.Context, thread string) error {
	if err := d.delete(thread); err != nil {
		return err
	}
	return d.InMemory.Delete(ctx, thread)
}

// After a failure at any thread, the next call erases the others.
func TestEraseUserAgain(t *testing.T) {
	const n = 5
	gone := errors.New("the server is gone")
	for failing := range n {
		st := &deleting{}
		for i := range n {
			owned(t, st, fmt.Sprint(i), "acme", "ann")
		}
		made := 0
		st.delete = func(string) error {
			if made == failing {
				return gone
			}
			made++
			return nil
		}
		first, err := store.EraseUser(t.Context(), st, "acme", "ann")
		if !errors.Is(err, gone) || len(first) != failing {
			t.Errorf("failing after %d: erased %q, %v", failing, first, err)
		}
		st.delete = func(string) error { return nil }
		rest, err := store.EraseUser(t.Context(), st, "acme", "ann")
		if err != nil || len(first)+len(rest) != n || listed(t, st) != "" {
			t.Errorf("after a failure at %d: erased %q and %q, %v", failing, first, rest, err)
		}
	}
}

// A thread that begins meanwhile is erased too. A user who does not stop is an
// error, and the call ends.
func TestEraseUserMeanwhile(t *testing.T) {
	for _, begins := range []int{1, 5, 1000} {
		st := &deleting{}
		owned(t, st, "0", "acme", "ann")
		n := 0
		st.delete = func(string) error {
			if n++; n <= begins {
				owned(t, st, fmt.Sprint(n), "acme", "ann")
			}
			return nil
		}
		threads, err := store.EraseUser(t.Context(), st, "acme", "ann")
		if endless := begins > 10; (err != nil) != endless {
			t.Errorf("%d threads begun meanwhile: %v", begins, err)
		} else if !endless && (len(threads) != begins+1 || listed(t, st) != "") {
			t.Errorf("%d threads begun meanwhile: erased %q", begins, threads)
		}
	}
}
