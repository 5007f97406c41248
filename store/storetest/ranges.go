package storetest

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed/store"
)

// ranged creates a thread with a record for each of some kinds and addresses.
func (t *test) ranged() (thread string, log []store.Record) {
	t.Helper()
	for _, address := range []string{"a", "a/b", "", "ab", "a/b/c", "a/bc", "b"} {
		for _, kind := range []store.Kind{store.Message, store.Checkpoint, "messages"} {
			rec := text(address + " " + string(kind))
			rec.Seq, rec.Kind, rec.Address = int64(len(log)+1), kind, address
			log = append(log, rec)
		}
	}
	thread = newThread()
	t.append(thread, 0, log...)
	return thread, log
}

// selected returns the records that a Range selects, in the simplest way.
func selected(log []store.Record, r store.Range) (want []store.Record) {
	below := r.Under + "/"
	for _, rec := range log {
		from := r.From == 0 || rec.Seq >= r.From
		to := r.To == 0 || rec.Seq <= r.To
		kind := r.Kinds == nil || slices.Contains(r.Kinds, rec.Kind)
		exact := r.Address == "" || rec.Address == r.Address
		under := r.Under == "" || rec.Address == r.Under || strings.HasPrefix(rec.Address, below)
		if from && to && kind && exact && under {
			want = append(want, rec)
		}
	}
	if r.NewestFirst {
		slices.Reverse(want)
	}
	if r.Limit > 0 {
		want = want[:min(r.Limit, len(want))]
	}
	return want
}

// returns checks the records of ranges, and ends the check at a wrong result.
func (t *test) returns(thread string, log []store.Record, ranges ...store.Range) {
	t.Helper()
	for _, r := range ranges {
		if diff := difference(t.read(thread, r), selected(log, r)); diff != "" {
			t.Fatalf("%+v: %s", r, diff)
		}
	}
}

func testRangeNumbers(t *test) {
	thread, log := t.ranged()
	t.returns(thread, log,
		store.Range{},
		store.Range{From: 1},
		store.Range{From: 5},
		store.Range{To: 5},
		store.Range{From: 5, To: 9},
		store.Range{From: 5, To: 5},
		store.Range{From: 9, To: 5},
		store.Range{From: 21},
		store.Range{From: 22},
		store.Range{From: math.MaxInt64},
		store.Range{To: math.MaxInt64},
		store.Range{From: 22, To: math.MaxInt64},
		store.Range{From: 1 << 32, To: 1 << 33},
	)
	t.returns(newThread(), nil, store.Range{}, store.Range{From: 1, To: 2})
}

func testRangeKinds(t *test) {
	thread, log := t.ranged()
	many := []store.Kind{store.Message}
	for range 50 {
		many = append(many, "unknown", store.Checkpoint)
	}
	t.returns(thread, log,
		store.Range{Kinds: []store.Kind{store.Message}},
		store.Range{Kinds: []store.Kind{store.Message, store.Checkpoint}},
		store.Range{Kinds: []store.Kind{store.Checkpoint, store.Message, store.Ended}},
		store.Range{Kinds: []store.Kind{"messages"}},
		store.Range{Kinds: []store.Kind{"Message"}},
		store.Range{Kinds: []store.Kind{"message "}},
		store.Range{Kinds: []store.Kind{""}},
		store.Range{Kinds: []store.Kind{}},
		store.Range{Kinds: many},
	)
}

func testRangeUnder(t *test) {
	thread, log := t.ranged()
	for _, under := range []string{"a", "ab", "a/b", "a/b/c", "a/bc", "b", "c", "a/", "/", "A", "a/b/c/d"} {
		t.returns(thread, log, store.Range{Under: under}, store.Range{Address: under},
			store.Range{Address: under, Under: "a/b"})
	}
}

func testRangeNewest(t *test) {
	thread, log := t.ranged()
	t.returns(thread, log,
		store.Range{NewestFirst: true},
		store.Range{NewestFirst: true, From: 5, To: 9},
		store.Range{NewestFirst: true, Kinds: []store.Kind{store.Checkpoint}},
		store.Range{NewestFirst: true, Under: "a/b"},
	)
	t.returns(newThread(), nil, store.Range{NewestFirst: true})
}

func testRangeLimit(t *test) {
	thread, log := t.ranged()
	for _, limit := range []int{1, 2, 20, 21, 22, math.MaxInt} {
		t.returns(thread, log,
			store.Range{Limit: limit},
			store.Range{Limit: limit, From: 20},
			store.Range{Limit: limit, Kinds: []store.Kind{"messages"}},
			store.Range{Limit: limit, Under: "b"},
		)
	}
}

// All fields of a Range in combination.
func testRangeAll(t *test) {
	thread, log := t.ranged()
	for _, from := range []int64{0, 4, 12} {
		for _, to := range []int64{0, 12, 20} {
			for _, kinds := range [][]store.Kind{nil, {store.Checkpoint}, {store.Checkpoint, "messages"}} {
				for _, under := range []string{"", "a", "a/b"} {
					for _, limit := range []int{0, 1, 3} {
						r := store.Range{From: from, To: to, Kinds: kinds, Under: under, Limit: limit}
						newest := r
						newest.NewestFirst = true
						t.returns(thread, log, r, newest)
					}
				}
			}
		}
	}
}

// An address is not treated as a pattern, whatever characters it has.
func testAddresses(t *test) {
	var names []string
	for c := rune(' '); c <= '~'; c++ {
		if c != '/' {
			names = append(names, string(c))
		}
	}
	names = append(names, "%%", "__", `\%`, "''", "é", "e\u0301", "日本", "👍", "?1", "$1", ":a", "@a", "NULL")
	var log []store.Record
	add := func(address string) {
		rec := text(address)
		rec.Seq, rec.Address = int64(len(log)+1), address
		log = append(log, rec)
	}
	for _, name := range names {
		add("node" + name)
		add("node" + name + "/below")
		add("node" + name + "after")
		add("node" + name + "." + "/below")
		add("node" + name + "0")
	}
	add("node")
	add("node/below")
	add("NODE/below")
	thread := newThread()
	t.append(thread, 0, log...)
	t.has(thread, log...)
	for _, name := range names {
		t.returns(thread, log, store.Range{Under: "node" + name})
	}
	for _, under := range []string{"node", "nod", "node_", "node%"} {
		t.returns(thread, log, store.Range{Under: under}, store.Range{Address: under},
			store.Range{Address: under, Under: "a/b"})
	}
}

// Ranges of a long thread, which a store may read in another way than a short
// one, before and after it was trimmed.
func testRangeLong(t *test) {
	random := rand.New(rand.NewPCG(1, 2))
	kinds := []store.Kind{store.Began, store.Message, store.Checkpoint, store.Called, store.Ended}
	addresses := []string{"", "", "a", "a/b", "a/b/c", "a0", "@n/a", "@n", "saved/1"}
	var log []store.Record
	for seq := range int64(3000) {
		rec := text("")
		rec.Seq, rec.Kind = seq+1, kinds[random.IntN(len(kinds))]
		rec.Address = addresses[random.IntN(len(addresses))]
		if random.IntN(10) == 0 {
			rec.Address += "/" + strconv.Itoa(random.IntN(30))
		}
		log = append(log, rec)
	}
	log[1000].Address, log[1000].Kind = "once", "once"
	thread := newThread()
	t.append(thread, 0, log[:1500]...)
	t.returns(thread, log[:1500], store.Range{Under: "a", Limit: 3}, store.Range{Kinds: kinds[:2], NewestFirst: true})
	t.append(thread, 1500, log[1500:]...)
	ranges := []store.Range{{}, {Under: "once"}, {Kinds: []store.Kind{"once"}, NewestFirst: true, Limit: 1}}
	for range 200 {
		r := store.Range{NewestFirst: random.IntN(2) == 0, Limit: []int{0, 1, 7, 40, 2000}[random.IntN(5)]}
		if random.IntN(2) == 0 {
			r.From, r.To = random.Int64N(3100), random.Int64N(3100)
		}
		if random.IntN(3) > 0 {
			r.Under = []string{"a", "a/b", "@n", "saved", "saved/1", "a0", "none"}[random.IntN(7)]
		}
		if random.IntN(4) == 0 {
			r.Address = []string{"a", "a/b", "@n", "a/b/c/7", "none"}[random.IntN(5)]
		}
		if random.IntN(3) > 0 {
			from := random.IntN(len(kinds))
			r.Kinds = kinds[from : from+random.IntN(len(kinds)-from)]
		}
		ranges = append(ranges, r)
	}
	t.returns(thread, log, ranges...)
	for _, before := range []int64{-1, 0, 1, 1200, 1, 2500} {
		if err := t.store.Trim(t.ctx, thread, before, store.Checkpoint, store.Called, store.Called); err != nil {
			t.Fatal(err)
		}
		log = slices.DeleteFunc(log, func(rec store.Record) bool {
			return rec.Seq < before && (rec.Kind == store.Checkpoint || rec.Kind == store.Called)
		})
		t.returns(thread, log, ranges[:20]...)
	}
	more := text("more")
	more.Seq, more.Address = 3001, "a/b"
	t.append(thread, 3000, more)
	t.returns(thread, append(log, more), ranges...)
}
