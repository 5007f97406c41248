package storetest

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed/store"
)

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

// ranges returns ranges of a thread of 1,200 records: with one field that is set, and with
// several.
func ranges() (all []store.Range) {
	many := []store.Kind{store.Message}
	for range 50 {
		many = append(many, "unknown", store.Checkpoint)
	}
	kinds := [][]store.Kind{
		nil, {store.Message}, {store.Checkpoint, store.Message, store.Ended}, {"messages"}, {"Message"}, {"message "}, {""}, {}, many,
	}
	addresses := []string{"", "a", "ab", "a/b", "a/b/c", "a/bc", "a/b/c/7", "@n", "saved", "once", "c", "a/", "/", "A"}
	numbers := []int64{0, 1, 5, 9, 1199, 1200, 1201, 1 << 32, math.MaxInt64}
	for _, n := range numbers {
		all = append(all, store.Range{From: n}, store.Range{To: n}, store.Range{From: n, To: n}, store.Range{From: n, To: 9},
			store.Range{Limit: int(min(n, math.MaxInt))})
	}
	for _, k := range kinds {
		all = append(all, store.Range{Kinds: k}, store.Range{Kinds: k, Limit: 2})
	}
	for _, a := range addresses {
		all = append(all, store.Range{Under: a}, store.Range{Address: a}, store.Range{Address: a, Under: "a/b"}, store.Range{Under: a, Limit: 2})
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		r := store.Range{Limit: []int{0, 1, 7, 40, 1000}[random.IntN(5)], Under: addresses[random.IntN(len(addresses))]}
		if random.IntN(2) == 0 {
			r.From, r.To = random.Int64N(1300), random.Int64N(1300)
		}
		if random.IntN(4) == 0 {
			r.Address = addresses[random.IntN(len(addresses))]
		}
		if random.IntN(3) > 0 {
			r.Kinds = kinds[random.IntN(len(kinds))]
		}
		all = append(all, r)
	}
	for _, r := range all {
		r.NewestFirst = true
		all = append(all, r)
	}
	return all
}

// Each range selects its records, before and after the thread was trimmed.
func testRanges(t *test) {
	random := rand.New(rand.NewPCG(1, 2))
	kinds := []store.Kind{store.Began, store.Message, store.Checkpoint, store.Called, store.Ended, "messages"}
	addresses := []string{"", "", "a", "a/b", "a/b/c", "a/bc", "ab", "a0", "b", "@n/a", "@n", "saved/1"}
	var log []store.Record
	for seq := range int64(1200) {
		rec := text("")
		rec.Seq, rec.Kind = seq+1, kinds[random.IntN(len(kinds))]
		rec.Address = addresses[random.IntN(len(addresses))]
		if random.IntN(10) == 0 {
			rec.Address += "/" + strconv.Itoa(random.IntN(30))
		}
		log = append(log, rec)
	}
	log[1000].Address = "once"
	thread := newThread()
	t.append(thread, 0, log...)
	ranges := ranges()
	t.returns(thread, log, ranges...)
	for i, before := range []int64{-1, 0, 1, 500, 1, 1000} {
		t.trim(thread, before, store.Checkpoint, store.Called, store.Called)
		log = slices.DeleteFunc(log, func(rec store.Record) bool {
			return rec.Seq < before && (rec.Kind == store.Checkpoint || rec.Kind == store.Called)
		})
		t.returns(thread, log, ranges[i*20:(i+1)*20]...)
	}
	more := text("more")
	more.Seq, more.Address = 1201, "a/b"
	t.append(thread, 1200, more)
	t.returns(thread, append(log, more), ranges...)
	t.returns(newThread(), nil, store.Range{}, store.Range{From: 1, To: 2}, store.Range{NewestFirst: true})
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
