package sqlstore

import (
	"context"
	"time"
)

// sqlite is the engine of SQLite. SQLite has one writer at a time, so an append
// needs no further lock.
//
// The primary key of a record is its place: the key of the thread in the upper 32
// bits and the number of the record in the lower ones. So the table needs no
// index of its own on threads and numbers, and a table WITHOUT ROWID would make
// an append of 20 KB take twice as long. The two indexes on kinds and addresses
// make it 5 to 10 % longer, and 20 % if the commit does not wait for the disk
// (BenchmarkIndexesSQLite): without them every read of an address reads the
// whole thread.
type sqlite struct{}

const (
	// sqliteHead is the number of the last record of thread t.
	sqliteHead = `coalesce((SELECT max(place) - (t.id << 32) FROM qed_records
		WHERE place BETWEEN t.id << 32 AND (t.id << 32) + 4294967295), 0)`

	// sqliteWritten is the time of the last record of thread t.
	sqliteWritten = `coalesce((SELECT written FROM qed_records
		WHERE place BETWEEN t.id << 32 AND (t.id << 32) + 4294967295 ORDER BY place DESC LIMIT 1), 0)`

	// sqliteKey has a plus, because the index on place >> 32 is not used for a
	// value with the type of a column.
	sqliteKey = `(SELECT +id FROM qed_threads WHERE name = ?t)`

	sqliteWithin = `place BETWEEN (SELECT id << 32 FROM qed_threads WHERE name = ?t) + ?l
		AND (SELECT id << 32 FROM qed_threads WHERE name = ?t) + ?h`

	sqliteThread = `INSERT OR IGNORE INTO qed_threads (name) VALUES (?)`

	// sqliteInsert ignores a record that does not follow the last one: its time
	// is NULL, which violates NOT NULL. INSERT ... SELECT ... WHERE would read
	// the table that it inserts into, and SQLite would first copy the row with
	// its data to a temporary table.
	sqliteInsert = `INSERT OR IGNORE INTO qed_records (place, written, kind, run, address, data) VALUES (
		((SELECT id FROM qed_threads WHERE name = ?1) << 32) + ?2,
		(SELECT CASE ` + sqliteHead + ` + 1 WHEN ?2 THEN ?3 END FROM qed_threads t WHERE t.name = ?1),
		?4, ?5, ?6, ?7)`

	sqliteHeader = `INSERT INTO qed_headers (thread, ` + headerColumns + `, created, updated)
		SELECT id, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8 FROM qed_threads WHERE name = ?1
		ON CONFLICT (thread) DO UPDATE SET user_name = excluded.user_name, tenant = excluded.tenant,
		title = excluded.title, status = excluded.status, turns = excluded.turns, lease = excluded.lease,
		updated = excluded.updated`
)

var sqliteTexts = texts{
	frequent: []string{sqliteThread, sqliteInsert, sqliteHeader},
	table:    `SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?`,
	head:     `SELECT t.id, ` + sqliteHead + ` FROM qed_threads t WHERE t.name = ?`,
	read: `SELECT place >> 32, place & 4294967295, written, kind, run, address, data FROM qed_records
		WHERE ` + sqliteWithin,
	order: `place`,
	byAddress: `SELECT place AS seq FROM qed_records INDEXED BY qed_records_address
		WHERE place >> 32 = ` + sqliteKey + ` AND ` + sqliteWithin + ` AND address <> ''`,
	byKind: `SELECT place AS seq FROM qed_records INDEXED BY qed_records_kind
		WHERE place >> 32 = ` + sqliteKey + ` AND ` + sqliteWithin,
	join: `SELECT r.place >> 32, r.place & 4294967295, r.written, r.kind, r.run, r.address, r.data
		FROM (%s) AS k CROSS JOIN qed_records r ON r.place = k.seq`,
	trim: `DELETE FROM qed_records INDEXED BY qed_records_kind
		WHERE place >> 32 = ?1 AND place BETWEEN (?1 << 32) + ?2 AND (?1 << 32) + ?3 AND `,
	deleteRecords: `DELETE FROM qed_records WHERE place BETWEEN ?1 << 32 AND (?1 << 32) + 4294967295`,
	deleteThread:  `DELETE FROM qed_threads AS t WHERE t.id = ?`,
	ifLast:        ` AND ` + sqliteHead + ` = ?`,
	list: `SELECT h.thread, t.name, ` + sqliteHead + `, ` + sqliteWritten + listColumns + `
		FROM qed_headers h CROSS JOIN qed_threads t ON t.id = h.thread` + listAfter,
}

func (sqlite) texts() *texts          { return &sqliteTexts }
func (sqlite) text(s string) any      { return s }
func (sqlite) placeholder(int) string { return "" }
func (sqlite) prepares() bool         { return true }
func (sqlite) singleWriter() bool     { return true }
func (sqlite) batch() int             { return 1000 }
func (sqlite) lanes() int             { return 1 }

func (sqlite) atomic(group []*appending) bool {
	first := group[0]
	return len(group) == 1 && first.after != 0 && len(first.records) == 1 && first.header() == nil
}

func (e sqlite) append(ctx context.Context, on session, group []*appending) error {
	for _, a := range group {
		if err := e.appendOne(ctx, on, a); err != nil {
			return err
		}
	}
	return nil
}

func (e sqlite) appendOne(ctx context.Context, on session, a *appending) error {
	if a.after == 0 {
		if _, err := on.exec(ctx, sqliteThread, a.thread); err != nil {
			return err
		}
	}
	for i := range a.records {
		n, err := on.exec(ctx, sqliteInsert, append([]any{a.thread}, a.row(e, i)...)...)
		a.made = n == 1
		if err != nil || !a.made {
			return err // of a conflict the first record is the one that is not inserted
		}
	}
	if h := a.header(); h != nil {
		args := append([]any{a.thread}, headerRow(e, h)...)
		_, err := on.exec(ctx, sqliteHeader, append(args, time.Now().UnixMicro())...)
		return err
	}
	return nil
}

func (sqlite) migrations() [][]change {
	return [][]change{{
		// AUTOINCREMENT never uses a key again: a reader of a deleted thread must
		// not continue in another thread.
		{do: `CREATE TABLE IF NOT EXISTS qed_threads (
			id INTEGER PRIMARY KEY AUTOINCREMENT,
			name TEXT NOT NULL UNIQUE
		) STRICT`},
		{do: `CREATE TABLE IF NOT EXISTS qed_records (
			place INTEGER PRIMARY KEY,
			written INTEGER NOT NULL,
			kind TEXT NOT NULL,
			run INTEGER NOT NULL,
			address TEXT NOT NULL,
			data BLOB
		) STRICT`},
	}, {
		{do: `CREATE TABLE IF NOT EXISTS qed_headers (
			thread INTEGER PRIMARY KEY,
			user_name TEXT NOT NULL,
			tenant TEXT NOT NULL,
			title TEXT NOT NULL,
			status TEXT NOT NULL,
			turns INTEGER NOT NULL,
			lease INTEGER NOT NULL,
			created INTEGER NOT NULL,
			updated INTEGER NOT NULL
		) STRICT`},
		{do: `CREATE INDEX IF NOT EXISTS qed_headers_updated ON qed_headers (updated)`},
		{do: `CREATE INDEX IF NOT EXISTS qed_headers_status ON qed_headers (status, updated)`},
		{do: `CREATE INDEX IF NOT EXISTS qed_headers_tenant ON qed_headers (tenant, updated)`},
		{do: `CREATE INDEX IF NOT EXISTS qed_headers_user ON qed_headers (user_name, tenant, updated)`},
		{do: `CREATE INDEX IF NOT EXISTS qed_records_kind ON qed_records (place >> 32, kind)`},
		{do: `CREATE INDEX IF NOT EXISTS qed_records_address ON qed_records (place >> 32, address) WHERE address <> ''`},
	}}
}

// lockedForMigration uses the lock that the first write of a transaction takes.
func (sqlite) lockedForMigration(ctx context.Context, s *Store, do func(querier) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}
