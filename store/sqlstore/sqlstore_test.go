package sqlstore_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"modernc.org/sqlite"

	"github.com/qedkit/qed/retry"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/sqlstore"
)

// connect opens a pool on an SQLite file.
func connect(tb testing.TB, path, pragmas string) *sql.DB {
	tb.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(wal)&_pragma=synchronous(normal)"+pragmas)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { db.Close() })
	return db
}

func file(tb testing.TB) string { return filepath.Join(tb.TempDir(), "host.db") }

// keep returns options with short waits.
func keep() *sqlstore.Options {
	return &sqlstore.Options{Retry: retry.Policy{Wait: time.Millisecond}}
}

// once is the policy that repeats nothing.
var once = retry.Policy{Attempts: 1}

func open(tb testing.TB, db *sql.DB, opt *sqlstore.Options) *sqlstore.Store {
	tb.Helper()
	s, err := sqlstore.New(tb.Context(), db, sqlstore.SQLite, opt)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
		if n := db.Stats().InUse; n != 0 {
			tb.Errorf("%d connections are still in use", n)
		}
	})
	return s
}

func exec(tb testing.TB, db *sql.DB, text string, args ...any) {
	tb.Helper()
	if _, err := db.Exec(text, args...); err != nil {
		tb.Fatalf("%s: %v", text, err)
	}
}

func message(text string) store.Record {
	return store.Record{Time: time.Now(), Kind: store.Message, Data: fmt.Appendf(nil, "%q", text)}
}

// read returns the numbers of a thread's records. If reading fails, last is the
// record that was yielded with the error.
func read(s store.Store, thread string) (seqs []int64, last store.Record, err error) {
	for rec, err := range s.Records(context.Background(), thread, store.Range{}) {
		if err != nil {
			return seqs, rec, err
		}
		seqs = append(seqs, rec.Seq)
	}
	return seqs, last, nil
}

func TestNewRefuses(t *testing.T) {
	db := connect(t, file(t), "")
	for name, open := range map[string]func() (*sqlstore.Store, error){
		"no database": func() (*sqlstore.Store, error) { return sqlstore.New(t.Context(), nil, sqlstore.SQLite, nil) },
		"no dialect":  func() (*sqlstore.Store, error) { return sqlstore.New(t.Context(), db, 0, nil) },
		"another dialect": func() (*sqlstore.Store, error) {
			return sqlstore.New(t.Context(), db, sqlstore.PostgreSQL, &sqlstore.Options{Retry: once})
		},
		"a cancelled context": func() (*sqlstore.Store, error) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			return sqlstore.New(ctx, db, sqlstore.SQLite, nil)
		},
	} {
		if s, err := open(); s != nil || err == nil || !strings.HasPrefix(err.Error(), "sqlstore: ") {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
	for _, opt := range []sqlstore.Options{
		{Retry: retry.Policy{Attempts: -1}},
		{SweepInterval: -1},
		{CheckpointDB: db},
	} {
		_, err := sqlstore.New(t.Context(), db, sqlstore.PostgreSQL, &opt)
		if err == nil || !strings.HasPrefix(err.Error(), "sqlstore: Options.") {
			t.Errorf("options %+v: %v", opt, err)
		}
	}
	for _, prefix := range []string{
		"Qed_", "qed-", "1qed", "qed_; DROP TABLE x", "qéd", `"qed`, "main.qed_", strings.Repeat("q", 33),
	} {
		opt := &sqlstore.Options{TablePrefix: prefix}
		if _, err := sqlstore.New(t.Context(), db, sqlstore.SQLite, opt); err == nil {
			t.Errorf("the prefix %q was accepted", prefix)
		}
	}
	for _, prefix := range []string{"_", "q", "conversations_of_2026_", strings.Repeat("q", 32)} {
		s := open(t, db, &sqlstore.Options{TablePrefix: prefix})
		if err := s.Append(t.Context(), "thread", 0, message("text")); err != nil {
			t.Errorf("the prefix %q: %v", prefix, err)
		}
	}
}

// A closed store refuses everything. It closes the database only with CloseDB.
func TestClose(t *testing.T) {
	for name, own := range map[string]bool{"the host's": false, "the store's": true} {
		db := connect(t, file(t), "")
		s := open(t, db, &sqlstore.Options{CloseDB: own})
		if err := s.Append(t.Context(), "thread", 0, message("text")); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
		_, _, read := read(s, "thread")
		_, sweep := s.Sweep(t.Context(), time.Hour, time.Hour)
		for method, err := range map[string]error{
			"Append":  s.Append(t.Context(), "thread", 1, message("text")),
			"Records": read,
			"Trim":    s.Trim(t.Context(), "thread", 1, store.Message),
			"Delete":  s.Delete(t.Context(), "thread"),
			"Sweep":   sweep,
		} {
			if !errors.Is(err, sqlstore.ErrClosed) {
				t.Errorf("%s, %s of a closed store: %v, want ErrClosed", name, method, err)
			}
		}
		if err := db.Ping(); (err != nil) != own {
			t.Errorf("%s database, afterwards: %v", name, err)
		}
	}
}

// A record that cannot be read is an error with its number, after the records
// before it.
func TestCorrupt(t *testing.T) {
	db := connect(t, file(t), "")
	s := open(t, db, keep())
	// A table without types accepts values that the store never writes.
	exec(t, db, "DROP TABLE qed_records")
	exec(t, db, "CREATE TABLE qed_records (place INTEGER PRIMARY KEY, written, kind, run, address, data)")
	for name, change := range map[string]string{
		"no JSON":               `data = CAST('{"a":' AS BLOB)`,
		"two values":            `data = CAST('1 2' AS BLOB)`,
		"not JSON at all":       `data = x'00ff00'`,
		"a number":              `data = 5.5`,
		"a time of text":        `written = 'yesterday'`,
		"no time":               `written = NULL`,
		"a time with fractions": `written = 1.5`,
		"no kind":               `kind = NULL`,
		"a kind of numbers":     `kind = 7`,
		"no address":            `address = NULL`,
		"a run of text":         `run = x'31323334'||'x'`,
	} {
		for after := range int64(4) {
			if err := s.Append(t.Context(), name, after, message("secret")); err != nil {
				t.Fatal(err)
			}
		}
		exec(t, db, "UPDATE qed_records SET "+change+
			" WHERE place = (SELECT id << 32 | 3 FROM qed_threads WHERE name = ?)", name)
		seqs, rec, err := read(s, name)
		if !errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), "number 3") ||
			strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
		if len(seqs) != 2 || rec.Seq != 3 {
			t.Errorf("%s: read %v, and then number %d", name, seqs, rec.Seq)
		}
		for rec, err := range s.Records(t.Context(), name, store.Range{NewestFirst: true, Limit: 1}) {
			if rec.Seq != 4 || err != nil {
				t.Errorf("%s: the last record is %d, %v", name, rec.Seq, err)
			}
		}
		if err := s.Append(t.Context(), name, 4, message("more")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := s.Delete(t.Context(), name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The store waits for the lock of another writer, and then returns an error that
// names the lock.
func TestLocked(t *testing.T) {
	path := file(t)
	db := connect(t, path, "&_pragma=busy_timeout(0)")
	s := open(t, db, &sqlstore.Options{Retry: retry.Policy{Wait: 50 * time.Millisecond}})
	other := connect(t, path, "&_txlock=immediate")
	lock := func() *sql.Tx {
		tx, err := other.Begin()
		if err != nil {
			t.Fatal(err)
		}
		return tx
	}
	tx := lock()
	time.AfterFunc(20*time.Millisecond, func() { tx.Rollback() })
	if err := s.Append(t.Context(), "thread", 0, message("text")); err != nil {
		t.Errorf("while it was locked for a moment: %v", err)
	}
	tx = lock()
	if seqs, _, err := read(s, "thread"); len(seqs) != 1 || err != nil {
		t.Errorf("reading during a write: %v, %v", seqs, err)
	}
	err := s.Append(t.Context(), "thread", 1, message("secret"))
	var cause *sqlite.Error
	if !errors.As(err, &cause) || errors.Is(err, store.ErrConflict) ||
		err.Error() != "sqlstore: appending to a thread: the database is locked" {
		t.Errorf("while it is locked: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	err = s.Append(ctx, "thread", 1, message("secret"))
	cancel()
	if !errors.Is(err, context.DeadlineExceeded) || !errors.As(err, &cause) || !errors.Is(err, store.ErrBusy) ||
		!strings.Contains(err.Error(), "the database is locked") {
		t.Errorf("with a context that ended while it is locked: %v", err)
	}
	second, opt := connect(t, path, "&_pragma=busy_timeout(0)"), &sqlstore.Options{TablePrefix: "new_", Retry: once}
	if s, err := sqlstore.New(t.Context(), second, sqlstore.SQLite, opt); err == nil {
		s.Close()
		t.Error("tables were made while the database was locked")
	}
	tx.Rollback()
	if err := s.Append(t.Context(), "thread", 1, message("text")); err != nil {
		t.Error(err)
	}
}

// An operation that waited for a connection of the pool says so.
func TestPoolInUse(t *testing.T) {
	db := connect(t, file(t), "")
	db.SetMaxOpenConns(1)
	s := open(t, db, keep())
	held, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	err = s.Append(ctx, "thread", 0, message("text"))
	if !errors.Is(err, store.ErrBusy) || !errors.Is(err, context.DeadlineExceeded) ||
		!strings.Contains(err.Error(), "connections of the pool") {
		t.Errorf("with no free connection: %v", err)
	}
	held.Close()
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	if err := s.Append(ctx, "thread", 0, message("text")); errors.Is(err, store.ErrBusy) {
		t.Errorf("with a free connection: %v", err)
	}
}

// A full disk is an error that says so, and nothing is appended. With free space
// the thread can grow again.
func TestFull(t *testing.T) {
	db := connect(t, file(t), "")
	db.SetMaxOpenConns(1)
	s := open(t, db, keep())
	var pages int
	if err := db.QueryRow("PRAGMA page_count").Scan(&pages); err != nil {
		t.Fatal(err)
	}
	exec(t, db, fmt.Sprintf("PRAGMA max_page_count = %d", pages+20))
	large := message(strings.Repeat("secret", 3000))
	after := int64(0)
	var err error
	for ; err == nil; after++ {
		err = s.Append(t.Context(), "thread", after, message("small"), large)
		after++
	}
	after -= 2
	var cause *sqlite.Error
	if !errors.As(err, &cause) || err.Error() != "sqlstore: appending to a thread: the disk is full" || after == 0 {
		t.Errorf("after %d records: %v", after, err)
	}
	if seqs, _, err := read(s, "thread"); int64(len(seqs)) != after || err != nil {
		t.Errorf("%d records, %v, want %d", len(seqs), err, after)
	}
	exec(t, db, "PRAGMA max_page_count = 100000")
	if err := s.Append(t.Context(), "thread", after, large); err != nil {
		t.Error(err)
	}
}

// The file space of a deleted thread is used again.
func TestSpaceIsReused(t *testing.T) {
	db := connect(t, file(t), "")
	s := open(t, db, keep())
	pages := func() (n int) {
		if err := db.QueryRow("PRAGMA page_count").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	var grown []int
	for range 3 {
		for after := range int64(50) {
			if err := s.Append(t.Context(), "thread", after, message(strings.Repeat("x", 20<<10))); err != nil {
				t.Fatal(err)
			}
		}
		grown = append(grown, pages())
		if err := s.Delete(t.Context(), "thread"); err != nil {
			t.Fatal(err)
		}
	}
	if grown[2] > grown[0]+5 {
		t.Errorf("the file grows: it has %v pages", grown)
	}
	for _, table := range []string{"qed_threads", "qed_headers", "qed_records"} {
		var rows int
		if err := db.QueryRow("SELECT count(*) FROM " + table).Scan(&rows); err != nil || rows != 0 {
			t.Errorf("%d rows are left in %s, %v", rows, table, err)
		}
	}
}

// The last record of a long thread takes as much space as the first.
func TestSpaceIsLinear(t *testing.T) {
	db := connect(t, file(t), "")
	s := open(t, db, keep())
	rec := message(strings.Repeat("x", 20<<10))
	var pages []int
	for after := range int64(1000) {
		if err := s.Append(t.Context(), "thread", after, rec); err != nil {
			t.Fatal(err)
		}
		if after%250 == 249 {
			var n int
			if err := db.QueryRow("PRAGMA page_count").Scan(&n); err != nil {
				t.Fatal(err)
			}
			pages = append(pages, n)
		}
	}
	first, last := pages[1]-pages[0], pages[3]-pages[2]
	if last > first*101/100 || pages[3]*4096 > 1000*(20<<10)*13/10 {
		t.Errorf("the file has %v pages", pages)
	}
}

// An append of thousands of records is atomic as well.
func TestLongAppend(t *testing.T) {
	s := open(t, connect(t, file(t), ""), keep())
	recs := make([]store.Record, 5000)
	for i := range recs {
		recs[i] = message(fmt.Sprint(i + 1))
	}
	if err := s.Append(t.Context(), "thread", 0, recs...); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(t.Context(), "thread", 4999, recs...); !errors.Is(err, store.ErrConflict) {
		t.Errorf("got %v, want a conflict", err)
	}
	n := int64(0)
	for rec, err := range s.Records(t.Context(), "thread", store.Range{}) {
		if n++; err != nil || rec.Seq != n || string(rec.Data) != fmt.Sprintf(`"%d"`, n) {
			t.Fatalf("record %d is number %d with %s, %v", n, rec.Seq, rec.Data, err)
		}
	}
	if n != 5000 {
		t.Errorf("%d records", n)
	}
}

// A reader of a thread that is deleted and created again gets no record of the
// new one.
func TestRecreatedThread(t *testing.T) {
	s := open(t, connect(t, file(t), ""), keep())
	fill := func(text string) {
		recs := make([]store.Record, 1000)
		for i := range recs {
			recs[i] = message(text)
		}
		if err := s.Append(t.Context(), "thread", 0, recs...); err != nil {
			t.Fatal(err)
		}
	}
	fill("old")
	for rec, err := range s.Records(t.Context(), "thread", store.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		if rec.Seq == 1 {
			if err := s.Delete(t.Context(), "thread"); err != nil {
				t.Fatal(err)
			}
			fill("new")
		}
		if string(rec.Data) != `"old"` {
			t.Fatalf("number %d belongs to the new thread", rec.Seq)
		}
	}
}
