package storetest

import (
	"errors"
	"strings"

	"github.com/qedkit/qed/store"
)

// Similar ids are different ids.
func testThreads(t *test) {
	unique := newThread()
	var threads []string
	for _, id := range []string{
		"thread", "Thread", "THREAD", "thread ", " thread", "thread  ", "threads", "thread%", "thread_", "thread?",
		"thread/", "thread/1",
		"t'", `t"`, "t`", `t\`, `t\\`, "t;--", "t$1", "t?1", "t:a", "NULL", "null",
		"0", "00", "0.0", "-0", "1", "01", "1e0",
		"é", "e\u0301", "e", "É", "ß", "ss", "SS", "ı", "i", "I", "İ", "а", "a", "ａ", "ﬁ", "fi", "ø", "o", "日", "日本",
		"👍", "👍🏽", "👎", "😀", "𝒂", "~",
	} {
		threads = append(threads, unique+id)
	}
	long := unique + strings.Repeat("x", 256-len(unique))
	threads = append(threads, long, long[:255]+"y", long[:255], long[:254],
		unique+strings.Repeat("é", (256-len(unique))/2))
	for _, thread := range threads {
		t.append(thread, 0, text(thread))
	}
	for i, thread := range threads {
		want := text(thread)
		want.Seq = 1
		t.has(thread, want)
		if i%2 == 0 {
			if err := t.store.Delete(t.ctx, thread); err != nil {
				t.Fatalf("Delete(%q): %v", thread, err)
			}
		}
	}
	for i, thread := range threads {
		if i%2 == 0 {
			t.has(thread)
			continue
		}
		t.append(thread, 1, text("more"))
		want, more := text(thread), text("more")
		want.Seq, more.Seq = 1, 2
		t.has(thread, want, more)
	}
}

// Every method refuses invalid ids and accepts valid ones.
func testThreadIDs(t *test) {
	unique := newThread()
	for name, id := range map[string]string{
		"empty":                       "",
		"257 bytes":                   unique + strings.Repeat("x", 257-len(unique)),
		"10 KB":                       unique + strings.Repeat("x", 10<<10),
		"257 bytes of two-byte runes": unique + strings.Repeat("é", (258-len(unique))/2),
		"a NUL":                       unique + "\x00",
		"a line feed":                 unique + "\n",
		"a tab":                       "\t" + unique,
		"an escape":                   unique + "\x1b[0m",
		"a DEL":                       unique + "\x7f",
		"a C1 control":                unique + "\u0085",
		"a zero width space":          unique + "\u200b",
		"a right-to-left override":    unique + "\u202e",
		"a byte order mark":           "\ufeff" + unique,
		"an unassigned rune":          unique + "\U0010FFFF",
		"a byte that is not UTF-8":    unique + "\xff",
		"half of a rune":              unique + "\xc3",
		"a surrogate":                 unique + "\xed\xa0\x80",
		"an overlong encoding of NUL": unique + "\xc0\x80",
		"a rune cut at 256 bytes":     unique + strings.Repeat("x", 255-len(unique)) + "\xc3",
	} {
		_, read := collect(t.store.Records(t.ctx, id, store.Range{}))
		for method, err := range map[string]error{
			"Append":  t.store.Append(t.ctx, id, 0, text("1")),
			"Records": read,
			"Trim":    t.store.Trim(t.ctx, id, 1, store.Message),
			"Delete":  t.store.Delete(t.ctx, id),
		} {
			if !errors.Is(err, store.ErrInvalidThread) {
				t.Errorf("%s of a thread whose id is or has %s: got %v, want ErrInvalidThread", method, name, err)
			}
		}
	}
	for _, id := range []string{
		unique + strings.Repeat("x", 256-len(unique)), unique + " with a space", unique + "/with:other;signs", "x",
	} {
		if err := t.store.Delete(t.ctx, id); err != nil {
			t.Fatalf("Delete(%q): %v", id, err)
		}
		t.append(id, 0, text("1"))
		t.has(id, texts(1, 1)...)
		if err := t.store.Trim(t.ctx, id, 1, store.Message); err != nil {
			t.Errorf("Trim(%q): %v", id, err)
		}
		if err := t.store.Delete(t.ctx, id); err != nil {
			t.Errorf("Delete(%q): %v", id, err)
		}
	}
}
