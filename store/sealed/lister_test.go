package sealed_test

import (
	"strings"
	"testing"

	"github.com/qedkit/qed/store"
)

// titles returns the titles of the threads of a store, by their ids.
func titles(t *testing.T, st store.Store) map[string]string {
	t.Helper()
	found := map[string]string{}
	for info, err := range st.(store.Lister).Threads(t.Context(), store.ThreadFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		found[info.Thread] = info.Title
	}
	return found
}

func titled(user, title string) store.Record {
	rec := record(`{}`)
	rec.Header = &store.Header{User: user, Tenant: "acme", Title: title, Status: store.StatusAnswered}
	return rec
}

// Titles are sealed, and are shown only for the thread and the owner whose they
// are.
func TestTitles(t *testing.T) {
	inner := new(store.InMemory)
	st := over(t, inner, newKeys(t, "a", "b"))
	recs := []store.Record{titled("ann", "who is ill?")}
	appended(t, st, "1", 0, recs...)
	appended(t, st, "2", 0, titled("bob", "who is well?"))
	appended(t, st, "no title", 0, titled("ann", ""))
	if recs[0].Header.Title != "who is ill?" {
		t.Errorf("Append changed the header of its caller: %+v", recs[0].Header)
	}
	saved := titles(t, inner)
	if strings.Contains(saved["1"], "ill") || saved["1"] == "" || saved["no title"] != "" {
		t.Errorf("saved titles: %q", saved)
	}
	if got := titles(t, st); got["1"] != "who is ill?" || got["2"] != "who is well?" || got["no title"] != "" {
		t.Errorf("titles: %q", got)
	}

	appended(t, inner, "2", 1, titled("bob", saved["1"]))                    // of another thread of another owner
	appended(t, inner, "no title", 1, titled("ann", saved["1"]))             // of another thread of the same owner
	appended(t, inner, "1", 1, titled("eve", saved["1"]))                    // another owner
	appended(t, inner, "3", 0, titled("ann", "not sealed"))                  // by somebody without a key
	appended(t, inner, "4", 0, titled("ann", saved["1"][:60]))               // cut off
	appended(t, inner, "5", 0, titled("ann", `{"key":"a","sealed":"AAAA"}`)) // nonsense
	for thread, title := range titles(t, st) {
		if title != "" {
			t.Errorf("the title of thread %s is shown: %q", thread, title)
		}
	}
}

// Threads whose key was destroyed are listed, without their titles.
func TestTitlesWithoutKey(t *testing.T) {
	inner := new(store.InMemory)
	appended(t, over(t, inner, newKeys(t, "a")), "old", 0, titled("ann", "who is ill?"))
	st := over(t, inner, newKeys(t, "b"))
	appended(t, st, "new", 0, titled("ann", "who is well?"))
	got := titles(t, st)
	if title, ok := got["old"]; title != "" || !ok || got["new"] != "who is well?" {
		t.Errorf("titles: %q", got)
	}
}

// A sealed store lists threads if the store in it does.
func TestLister(t *testing.T) {
	if _, ok := over(t, new(store.InMemory), newKeys(t, "a")).(store.Lister); !ok {
		t.Error("over a Lister the sealed store is none")
	}
	plain := struct{ store.Store }{new(store.InMemory)}
	if _, ok := over(t, plain, newKeys(t, "a")).(store.Lister); ok {
		t.Error("the sealed store is a Lister over a store that is none")
	}
}
