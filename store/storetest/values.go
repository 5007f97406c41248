package storetest

import (
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/qedkit/qed/store"
)

// Data are returned byte by byte as they were appended.
func testData(t *test) {
	var log []store.Record
	for _, data := range []string{
		``, `null`, `true`, `0`, `-0`, `""`, `[]`, `{}`, `" "`,
		`{"b":1,"a":2,"a":3}`,
		"  { \"a\" : 1 ,\r\n\t\"b\" : [ ] } \n",
		`12345678901234567890.12345678901234567890`, `1e400`, `-1E-400`, `1.0`, `1.50`,
		`"\u0000"`, `"\ud800"`, `"\u00e9\/\u003c"`, `"é"`, "\"e\u0301\"", `"<&>"`, `"👍日本"`, `"\\ \" ' % _ ? $1 :a"`,
		`"` + "\u2028\u2029\ufeff\ufffd" + `"`, "\"\x7f\"",
		strings.Repeat("[", 500) + strings.Repeat("]", 500),
	} {
		rec := text("")
		rec.Seq, rec.Data = int64(len(log)+1), []byte(data)
		log = append(log, rec)
	}
	none := text("")
	none.Seq, none.Data = int64(len(log)+1), nil
	log = append(log, none)
	together, apart := newThread(), newThread()
	t.append(together, 0, log...)
	t.has(together, log...)
	for i, rec := range log {
		t.append(apart, int64(i), rec)
	}
	t.has(apart, log...)
}

// Large data are kept.
func testDataSize(t *test) {
	var log []store.Record
	for _, size := range []int{250, 4 << 10, 20 << 10, 1<<16 - 2, 1<<16 - 1, 1 << 16, 200 << 10, 1 << 20, 20} {
		rec := text(noise()[:size-2])
		rec.Seq = int64(len(log) + 1)
		log = append(log, rec)
	}
	together, apart := newThread(), newThread()
	t.append(together, 0, log...)
	t.has(together, log...)
	for i, rec := range log {
		t.append(apart, int64(i), rec)
	}
	t.has(apart, log...)
	t.returns(apart, log, store.Range{NewestFirst: true, Limit: 2})
}

// noise returns a text of 1 MB that compresses badly.
var noise = sync.OnceValue(func() string {
	b := make([]byte, 1<<20)
	for i := range b {
		b[i] = "abcdefghijklmnopqrstuvwxyz0123456789"[rand.IntN(36)]
	}
	return string(b)
})

// Times are kept to the microsecond and returned in UTC.
func testTime(t *test) {
	micro := func(year int, ns int) time.Time { return time.Date(year, 2, 3, 4, 5, 6, ns, time.UTC) }
	var log []store.Record
	for _, when := range []time.Time{
		micro(2026, 0), micro(2026, 1000), micro(2026, 999_999_000), micro(2026, 120_000_000),
		micro(1969, 999_999_000), micro(1970, 0), micro(1600, 1000), micro(2038, 0),
		micro(2500, 1000), micro(9999, 999_999_000),
		micro(2026, 1000).In(time.FixedZone("", -5*3600-1800)), {},
		time.Now(), time.Now().UTC(), micro(2026, 999_999_999), micro(1969, 999), micro(1969, 999_999_999),
	} {
		rec := text("")
		rec.Seq, rec.Time = int64(len(log)+1), when
		log = append(log, rec)
	}
	thread := newThread()
	t.append(thread, 0, log...)
	for i, rec := range t.read(thread, store.Range{}) {
		want := log[i].Time
		if off := rec.Time.Sub(want); off <= -time.Microsecond || off >= time.Microsecond {
			t.Errorf("time %v was returned as %v", want, rec.Time)
		}
		if rec.Time.Nanosecond()%1000 == 0 && rec.Time.Location() == time.UTC {
			continue
		}
		t.Errorf("time %v was returned as %v: want whole microseconds in UTC", want, rec.Time)
	}
}

// A kind of 32 bytes and an address of 1,000 bytes are kept. Longer ones are not
// cut.
func testLength(t *test) {
	thread := newThread()
	long := text("1")
	long.Seq, long.Kind, long.Address = 1, store.Kind(strings.Repeat("k", 32)), strings.Repeat("a", 998)+"é"
	t.append(thread, 0, long)
	t.has(thread, long)
	t.returns(thread, []store.Record{long}, store.Range{Kinds: []store.Kind{long.Kind}, Under: long.Address},
		store.Range{Under: long.Address[:998]})

	head := int64(1)
	log := []store.Record{long}
	for range 2 {
		long.Kind += "k"
		long.Address += "a"
		for _, rec := range []store.Record{
			{Time: noon, Kind: long.Kind},
			{Time: noon, Kind: store.Checkpoint, Address: long.Address},
			{Time: noon, Kind: store.Checkpoint, Address: strings.Repeat("a", 70_000)},
		} {
			if t.store.Append(t.ctx, thread, head, rec) == nil {
				head++
				rec.Seq = head
				log = append(log, rec)
			}
		}
	}
	t.has(thread, log...)
}
