package storetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/qedkit/qed/store"
)

// The checks of a store that is a [store.Lister].
var listing = []check{
	{"List", testList},
	{"ListFilter", testListFilter},
	{"ListTimes", testListTimes},
	{"ListPages", testListPages},
	{"ListCrashed", testListCrashed},
	{"ListLength", testListLength},
	{"ListAndAppend", testListAndAppend},
}

// list returns the threads that f selects.
func (t *test) list(f store.ThreadFilter) (infos []store.ThreadInfo) {
	t.Helper()
	for info, err := range t.store.(store.Lister).Threads(t.ctx, f) {
		if err != nil {
			t.Fatalf("Threads(%+v): %v", f, err)
		}
		infos = append(infos, info)
	}
	return infos
}

// open appends a record with a header to a new thread.
func (t *test) open(h store.Header) (thread string) {
	t.Helper()
	thread = newThread()
	t.append(thread, 0, with(h))
	return thread
}

// with returns a record that is written now, with a header.
func with(h store.Header) store.Record {
	return store.Record{Time: time.Now(), Kind: store.Began, Run: 1, Header: &h}
}

// lists checks that f selects exactly the wanted threads.
func (t *test) lists(f store.ThreadFilter, want ...string) {
	t.Helper()
	var got []string
	for _, info := range t.list(f) {
		got = append(got, info.Thread)
	}
	if !slices.Equal(got, want) {
		t.Errorf("Threads(%+v)\n got %q\nwant %q", f, got, want)
	}
}

// A thread is listed with its last header.
func testList(t *test) {
	user, thread := newThread(), newThread()
	check := func(what string, last int64, want store.Header) {
		t.Helper()
		got := t.list(store.ThreadFilter{User: &user})
		if len(got) != 1 || got[0].Thread != thread || got[0].Last != last || got[0].Header != want ||
			got[0].Updated.Before(got[0].Created) || got[0].Created.IsZero() {
			t.Errorf("%s\n got %+v\nwant thread %s to number %d with %+v", what, got, thread, last, want)
		}
	}
	t.append(thread, 0, text("without a header"))
	t.lists(store.ThreadFilter{User: &user})
	want := store.Header{
		User: user, Tenant: "É e\u0301 '\"%_\x00\xff", Title: "日本 \\ ?", Status: store.StatusRunning,
		Turns: int(min(math.MaxInt, int64(3_000_000_000))), Lease: time.Hour + 7,
	}
	t.append(thread, 1, with(want))
	check("the first header", 2, want)
	t.append(thread, 2, text("3"), text("4"))
	check("after records without a header", 4, want)
	want = store.Header{User: user, Status: store.StatusAnswered}
	t.append(thread, 4, with(store.Header{User: "another"}), text("6"), with(want), text("8"))
	check("two headers in an append", 8, want)
	t.conflict(thread, 7, with(store.Header{User: user, Title: "not appended"}))
	check("after a conflict", 8, want)
	for _, rec := range t.read(thread, store.Range{}) {
		if rec.Header != nil {
			t.Errorf("Records returns number %d with a header", rec.Seq)
		}
	}
	if err := t.store.Delete(t.ctx, thread); err != nil {
		t.Fatal(err)
	}
	t.lists(store.ThreadFilter{User: &user})
	t.append(thread, 0, text("again"))
	t.lists(store.ThreadFilter{User: &user})
	ctx, cancel := context.WithCancel(t.ctx)
	cancel()
	for _, err := range t.store.(store.Lister).Threads(ctx, store.ThreadFilter{User: &user}) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("Threads with a context that is done: got %v", err)
		}
	}
}

func testListFilter(t *test) {
	unique := newThread()
	ann, none := "ann "+unique, ""
	acme, other := "acme "+unique, "other "+unique
	var ids []string
	for _, h := range []store.Header{
		{User: ann, Tenant: acme, Status: store.StatusAnswered},
		{User: ann, Tenant: other, Status: store.StatusStopped},
		{User: ann, Tenant: "", Status: store.StatusInterrupted},
		{User: strings.ToUpper(ann), Tenant: acme, Status: store.StatusFailed},
		{User: ann + " ", Tenant: acme, Status: store.StatusAnswered},
		{User: "", Tenant: acme, Status: store.StatusStopped},
		{User: ann, Tenant: acme, Status: store.StatusStopped},
	} {
		ids = append(ids, t.open(h))
	}
	pick := func(numbers ...int) (threads []string) {
		for _, n := range numbers {
			threads = append(threads, ids[n])
		}
		return threads
	}
	t.lists(store.ThreadFilter{User: &ann}, pick(6, 2, 1, 0)...)
	t.lists(store.ThreadFilter{Tenant: &acme}, pick(6, 5, 4, 3, 0)...)
	t.lists(store.ThreadFilter{User: &ann, Tenant: &acme}, pick(6, 0)...)
	t.lists(store.ThreadFilter{User: &ann, Tenant: &none}, pick(2)...)
	t.lists(store.ThreadFilter{User: &none, Tenant: &acme}, pick(5)...)
	t.lists(store.ThreadFilter{Tenant: &acme, Statuses: []store.Status{store.StatusStopped}}, pick(6, 5)...)
	t.lists(store.ThreadFilter{
		Tenant: &acme, Statuses: []store.Status{store.StatusFailed, store.StatusStopped, store.StatusFailed},
	}, pick(6, 5, 3)...)
	t.lists(store.ThreadFilter{User: &ann, Statuses: []store.Status{}})
	t.lists(store.ThreadFilter{User: &ann, Statuses: []store.Status{"unknown"}})
	t.lists(store.ThreadFilter{User: &ann, Statuses: []store.Status{
		store.StatusStopped, store.StatusAnswered, store.StatusInterrupted,
	}, Limit: 3}, pick(6, 2, 1)...)
	for _, f := range []store.ThreadFilter{{}, {Statuses: []store.Status{store.StatusFailed}}} {
		found := t.list(f)
		if !slices.ContainsFunc(found, func(i store.ThreadInfo) bool { return i.Thread == ids[3] }) {
			t.Errorf("Threads(%+v) of anybody does not have %s", f, ids[3])
		}
	}
}

// The list has the threads that were updated last first. From and To select by
// that time.
func testListTimes(t *test) {
	user := newThread()
	var ids []string
	for range 4 {
		ids = append(ids, t.open(store.Header{User: user}))
		time.Sleep(2 * time.Millisecond) // so that the times differ
	}
	t.append(ids[1], 1, with(store.Header{User: user}))
	t.append(ids[0], 1, text("without a header"))
	t.lists(store.ThreadFilter{User: &user}, ids[1], ids[3], ids[2], ids[0])
	found := t.list(store.ThreadFilter{User: &user})
	if len(found) != 4 {
		return
	}
	if age := time.Since(found[0].Updated); age < -time.Minute || age > time.Minute {
		t.Errorf("a thread that was updated now is listed as of %v ago", age)
	}
	if !found[0].Created.Before(found[2].Created) || found[0].Updated.Location() != time.UTC {
		t.Errorf("the first of the list was created %v, the third %v", found[0].Created, found[2].Created)
	}
	t.lists(store.ThreadFilter{User: &user, From: found[2].Updated}, ids[1], ids[3], ids[2])
	t.lists(store.ThreadFilter{User: &user, To: found[1].Updated}, ids[2], ids[0])
	t.lists(store.ThreadFilter{User: &user, From: found[2].Updated, To: found[0].Updated}, ids[3], ids[2])
	t.lists(store.ThreadFilter{User: &user, From: found[0].Updated.Add(time.Hour)})
}

// A list that is read in pages is the whole list.
func testListPages(t *test) {
	user := newThread()
	status := []store.Status{store.StatusAnswered, store.StatusFailed, store.StatusStopped}
	for n := range 125 {
		t.open(store.Header{User: user, Status: status[n%3], Turns: n})
	}
	for _, test := range []struct {
		statuses []store.Status
		want     int
	}{{nil, 125}, {status, 125}, {status[:2], 84}} {
		f := store.ThreadFilter{User: &user, Statuses: test.statuses}
		whole := t.list(f)
		if len(whole) != test.want {
			t.Errorf("Threads(%+v) returns %d threads, want %d", f, len(whole), test.want)
		}
		var paged []store.ThreadInfo
		for f.Limit = 7; ; f.After = paged[len(paged)-1].Position {
			page := t.list(f)
			paged = append(paged, page...)
			if len(page) < 7 || len(paged) > 200 {
				break
			}
		}
		if !slices.Equal(paged, whole) {
			t.Errorf("in pages the list has %d threads, or another order; the whole list has %d", len(paged), len(whole))
		}
		if !slices.IsSortedFunc(whole, func(a, b store.ThreadInfo) int { return b.Updated.Compare(a.Updated) }) {
			t.Errorf("Threads(%+v): the list is out of order", f)
		}
	}
	for _, after := range []string{"x y", "1", ".", "1.2.3", "'", strings.Repeat("9", 100) + ".1", "\x00"} {
		var err error
		for _, err = range t.store.(store.Lister).Threads(t.ctx, store.ThreadFilter{User: &user, After: after}) {
		}
		if !errors.Is(err, store.ErrInvalidPosition) {
			t.Errorf("Threads after %.20q: got %v, want ErrInvalidPosition", after, err)
		}
	}
}

// A running thread whose last record is older than its lease has crashed.
func testListCrashed(t *test) {
	const lease = 300 * time.Millisecond
	user := newThread()
	long := t.open(store.Header{User: user, Status: store.StatusRunning, Lease: time.Hour})
	short := t.open(store.Header{User: user, Status: store.StatusRunning, Lease: lease})
	ended := t.open(store.Header{User: user, Status: store.StatusStopped, Lease: lease})
	running := store.ThreadFilter{User: &user, Statuses: []store.Status{store.StatusRunning}}
	crashed := store.ThreadFilter{User: &user, Statuses: []store.Status{store.StatusCrashed}}
	both := store.ThreadFilter{User: &user, Statuses: []store.Status{store.StatusCrashed, store.StatusStopped}}
	time.Sleep(lease + 50*time.Millisecond)
	t.lists(running, long)
	t.lists(crashed, short)
	t.lists(both, ended, short)
	if all := t.list(store.ThreadFilter{User: &user}); len(all) != 3 || all[1].Status != store.StatusCrashed ||
		all[2].Status != store.StatusRunning {
		t.Errorf("got %+v, want a stopped, a crashed and a running thread", all)
	}
	crashed.Limit = 1
	t.lists(crashed, short)
	t.append(short, 1, store.Record{Time: time.Now(), Kind: store.Heartbeat, Run: 1})
	t.lists(running, short, long)
	t.lists(crashed)
}

// Texts of the documented lengths are kept. Longer ones are kept or refused,
// but never cut.
func testListLength(t *test) {
	unique := newThread()
	text := func(n int) string { return unique + strings.Repeat("x", n-len(unique)) }
	h := store.Header{
		User: text(500), Tenant: text(500), Title: strings.Repeat("é", 500),
		Status: store.Status(strings.Repeat("s", 32)),
	}
	t.open(h)
	if got := t.list(store.ThreadFilter{User: &h.User, Tenant: &h.Tenant}); len(got) != 1 || got[0].Header != h {
		t.Errorf("a header with long texts is listed as %+v", got)
	}
	for n, longer := range []store.Header{
		{User: h.User + "x"}, {Tenant: h.Tenant + "x"}, {User: unique, Title: h.Title + "x"},
		{User: unique, Status: h.Status + "s"},
	} {
		thread := newThread()
		if err := t.store.Append(t.ctx, thread, 0, with(longer)); err != nil {
			t.has(thread)
			continue
		}
		got := t.list(store.ThreadFilter{User: &longer.User, Limit: 1})
		if len(got) != 1 || got[0].Header != longer {
			t.Errorf("header %d is listed as %+v", n, got)
		}
	}
}

// While the list is read, its reader can use the store.
func testListAndAppend(t *test) {
	user := newThread()
	for range 130 {
		t.open(store.Header{User: user})
	}
	n := 0
	for info, err := range t.store.(store.Lister).Threads(t.ctx, store.ThreadFilter{User: &user}) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n > 1000 {
			t.Fatal("a reader that updates each thread that it reads does not end")
		}
		t.append(info.Thread, info.Last, with(store.Header{User: user, Title: fmt.Sprint(n)}))
	}
	if n < 130 {
		t.Errorf("%d of 130 threads were listed", n)
	}
}
