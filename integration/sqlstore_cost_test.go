package integration_test

import (
	"database/sql"
	"fmt"
	"testing"
	"time"

	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/sqlstore"
)

// countedEngines are the engines that count the rows and index entries that a
// connection reads.
var countedEngines = []struct {
	name    string
	dialect sqlstore.Dialect
	pool    func(t *testing.T) *sql.DB
	analyze string
	count   func(t *testing.T, db *sql.DB) int
}{
	{"MariaDB", sqlstore.MySQL, func(t *testing.T) *sql.DB { return mariaStores(t, integration.MariaDB(t))("") },
		"ANALYZE TABLE qed_records, qed_headers, qed_threads",
		func(t *testing.T, db *sql.DB) (n int) {
			t.Helper()
			err := db.QueryRow(`SELECT sum(variable_value) FROM information_schema.session_status
				WHERE variable_name LIKE 'Handler\_read\_%' AND variable_name NOT LIKE '%rnd_deleted'`).Scan(&n)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}},
	{"PostgreSQL", sqlstore.PostgreSQL, func(t *testing.T) *sql.DB { return postgresStores(t, integration.PostgreSQL(t))("") },
		"ANALYZE qed_records, qed_headers, qed_threads",
		func(t *testing.T, db *sql.DB) (n int) {
			t.Helper()
			mustExec(t, db, "SELECT pg_stat_force_next_flush()")
			err := db.QueryRow(`SELECT (SELECT sum(seq_tup_read + idx_tup_fetch) FROM pg_stat_user_tables)
				+ (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes)`).Scan(&n)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}},
}

// readAtMost fails if do reads more rows and index entries than a limit.
func readAtMost(t *testing.T, count func() int, limit int, what string, do func()) {
	t.Helper()
	own := count()
	before := count()
	own = before - own // of the counting itself
	do()
	if n := count() - before - own; n > limit {
		t.Errorf("%s reads %d rows and index entries, want at most %d", what, n, limit)
	}
}

// A range with an address or kinds reads only the records that match, however
// long the thread is.
func TestSQLStoreRangeCost(t *testing.T) {
	for _, e := range countedEngines {
		t.Run(e.name, func(t *testing.T) {
			db := e.pool(t)
			db.SetMaxOpenConns(1)
			s := newStore(t, db, e.dialect, nil)
			const length = 20_000
			var recs []store.Record
			for seq := range length {
				rec := store.Record{Time: time.Now(), Kind: store.Checkpoint, Address: fmt.Sprint("planner/", seq%7)}
				switch seq % 1000 {
				case 0:
					rec.Kind, rec.Address = store.Began, ""
				case 10:
					rec.Kind, rec.Address = store.Saved, fmt.Sprint("saved/", seq)
				case 20:
					rec.Kind, rec.Address = store.Returned, "@orders/call"
				case 999:
					rec.Kind, rec.Address = store.Ended, ""
				}
				recs = append(recs, rec)
			}
			for from := 0; from < length; from += 5000 {
				if err := s.Append(t.Context(), "thread", int64(from), recs[from:from+5000]...); err != nil {
					t.Fatal(err)
				}
			}
			check := func() {
				for _, test := range []struct {
					r    store.Range
					want int // records
				}{
					{store.Range{Under: "@orders", To: length - 100}, 20},
					{store.Range{Under: "@orders", Kinds: []store.Kind{store.Returned, store.Called}}, 20},
					{store.Range{Under: "saved/3010", Kinds: []store.Kind{store.Saved}, NewestFirst: true, Limit: 1}, 1},
					{store.Range{Under: "none"}, 0},
					{store.Range{Under: "planner/3", Kinds: []store.Kind{store.Checkpoint}, NewestFirst: true, Limit: 1}, 1},
					{store.Range{Kinds: []store.Kind{store.Ended}, NewestFirst: true, Limit: 1}, 1},
					{store.Range{Kinds: []store.Kind{store.Began, store.Ended}, NewestFirst: true, Limit: 3}, 3},
					{store.Range{Kinds: []store.Kind{store.Memory, store.Summary}, NewestFirst: true, Limit: 5}, 0},
					{store.Range{Kinds: []store.Kind{store.Began}, From: 900, To: 1100}, 1},
				} {
					readAtMost(t, func() int { return e.count(t, db) }, 10*test.want+20, fmt.Sprintf("%+v", test.r), func() {
						n := 0
						for _, err := range s.Records(t.Context(), "thread", test.r) {
							if err != nil {
								t.Fatal(err)
							}
							n++
						}
						if n != test.want {
							t.Errorf("%+v: %d records, want %d", test.r, n, test.want)
						}
					})
				}
			}
			check() // also while the engine has no statistics of the tables
			mustExec(t, db, e.analyze)
			check()
			readAtMost(t, func() int { return e.count(t, db) }, 100, "a trim of nothing", func() {
				if err := s.Trim(t.Context(), "thread", length-5, store.Called, store.Question, store.Heartbeat); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// A page of a list of threads reads about as many rows as it has entries,
// however many threads there are.
func TestSQLStoreListCost(t *testing.T) {
	for _, e := range countedEngines {
		t.Run(e.name, func(t *testing.T) {
			db := e.pool(t)
			db.SetMaxOpenConns(1)
			s := newStore(t, db, e.dialect, nil)
			const threads = 10_000
			fillThreads(t, db, e.dialect, threads)
			user, tenant, none := "user 7", "tenant 3", ""
			var after string
			for info, err := range s.Threads(t.Context(), store.ThreadFilter{Limit: threads / 2}) {
				if err != nil {
					t.Fatal(err)
				}
				after = info.Position
			}
			waiting := []store.Status{store.StatusCrashed, store.StatusStopped, store.StatusInterrupted}
			check := func() {
				for _, test := range []struct {
					f    store.ThreadFilter
					want int
				}{
					{store.ThreadFilter{Limit: 20}, 20},
					{store.ThreadFilter{Limit: 20, After: after}, 20},
					{store.ThreadFilter{Tenant: &tenant, Limit: 20}, 20},
					{store.ThreadFilter{Tenant: &tenant, Limit: 20, After: after}, 20},
					{store.ThreadFilter{User: &user}, 10},
					{store.ThreadFilter{User: &user, Tenant: &none}, 0},
					{store.ThreadFilter{Statuses: waiting}, 30},
					{store.ThreadFilter{Statuses: waiting[1:2], Limit: 5}, 5},
					{store.ThreadFilter{From: time.Now().Add(time.Hour)}, 0},
				} {
					what := fmt.Sprintf("a list of %+v", test.f)
					readAtMost(t, func() int { return e.count(t, db) }, 10*test.want+100, what, func() {
						n := 0
						for _, err := range s.Threads(t.Context(), test.f) {
							if err != nil {
								t.Fatal(err)
							}
							n++
						}
						if n != test.want {
							t.Errorf("%s: %d threads, want %d", what, n, test.want)
						}
					})
				}
			}
			mustExec(t, db, e.analyze)
			check()
		})
	}
}

// fillThreads creates threads of 1,000 users in 100 tenants. 10 of them have
// stopped, 10 have crashed and 10 wait for a reply.
func fillThreads(t *testing.T, db *sql.DB, d sqlstore.Dialect, threads int) {
	t.Helper()
	series := "SELECT seq AS n FROM seq_1_to_%d"
	if d == sqlstore.PostgreSQL {
		series = "SELECT generate_series(1, %d) AS n"
	}
	text := func(expr string) string {
		if d == sqlstore.PostgreSQL {
			return "convert_to(" + expr + "::text, 'SQL_ASCII')"
		}
		return expr
	}
	series = fmt.Sprintf(series, threads)
	mustExec(t, db, "INSERT INTO qed_threads (name, head, written, writer) SELECT "+text("concat('thread ', n)")+
		", 1, 0, 0 FROM ("+series+") s")
	mustExec(t, db, `INSERT INTO qed_headers (thread, user_name, tenant, title, status, turns, lease, created, updated)
		SELECT id, `+text("concat('user ', id % 1000)")+", "+text("concat('tenant ', id % 100)")+`, '', `+
		text("CASE id % 1000 WHEN 1 THEN 'running' WHEN 2 THEN 'stopped' WHEN 3 THEN 'interrupted' ELSE 'answered' END")+
		`, 1, 30, 0, id * 1000 FROM qed_threads`)
}
