package sqlstore

import "context"

// sqlite is SQLite. It has one writer at a time, so an append needs no lock but itself.
//
// A record's place is its key: the thread's number in the upper half, its own in the
// lower. That makes an append touch a single tree. With an index beside the table, or
// rows inside an index (WITHOUT ROWID), one of 20 KB takes a third longer or twice as long.
type sqlite struct{}

const (
	// sqliteHead is the number of the last record of the thread t.
	sqliteHead = `coalesce((SELECT max(place) - (t.id << 32) FROM qed_records
		WHERE place BETWEEN t.id << 32 AND (t.id << 32) + 4294967295), 0)`

	// sqliteWritten is when it was written.
	sqliteWritten = `coalesce((SELECT written FROM qed_records
		WHERE place BETWEEN t.id << 32 AND (t.id << 32) + 4294967295 ORDER BY place DESC LIMIT 1), 0)`

	sqliteThread = `INSERT OR IGNORE INTO qed_threads (name) VALUES (?)`

	// sqlitePut ignores a record that is not behind the last one: its time would be NULL,
	// which no time may be. A condition would have to be that of a SELECT, and a SELECT that
	// reads the table which it adds to is first copied to another, with all data.
	sqlitePut = `INSERT OR IGNORE INTO qed_records (place, written, kind, run, address, data) VALUES (
		((SELECT id FROM qed_threads WHERE name = ?1) << 32) + ?2,
		(SELECT CASE ` + sqliteHead + ` + 1 WHEN ?2 THEN ?3 END FROM qed_threads t WHERE t.name = ?1),
		?4, ?5, ?6, ?7)`
)

var sqliteTexts = texts{
	frequent: []string{sqliteThread, sqlitePut},
	table:    `SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?`,
	head:     `SELECT t.id, ` + sqliteHead + ` FROM qed_threads t WHERE t.name = ?`,
	read: `SELECT place >> 32, place & 4294967295, written, kind, run, address, data FROM qed_records
		WHERE place BETWEEN (SELECT id << 32 FROM qed_threads WHERE name = ?1) + ?2
		AND (SELECT id << 32 FROM qed_threads WHERE name = ?1) + ?3`,
	order:  `place`,
	within: `place BETWEEN (?1 << 32) + ?2 AND (?1 << 32) + ?3`,
	forget: `DELETE FROM qed_threads AS t WHERE t.id = ? AND ` + sqliteWritten + ` < ?`,
	idle:   `SELECT t.id FROM qed_threads t WHERE t.id > ? AND ` + sqliteWritten + ` < ? ORDER BY t.id LIMIT ?`,
}

func (sqlite) texts() *texts          { return &sqliteTexts }
func (sqlite) name(s string) any      { return s }
func (sqlite) placeholder(int) string { return "" }
func (sqlite) prepares() bool         { return true }
func (sqlite) serial() bool           { return true }
func (sqlite) batch() int             { return 1 }
func (sqlite) alone(p *put) bool      { return p.after != 0 && len(p.records) == 1 }

func (e sqlite) put(ctx context.Context, on session, p *put) (bool, error) {
	if p.after == 0 {
		if _, err := on.exec(ctx, sqliteThread, p.thread); err != nil {
			return false, err
		}
	}
	n, err := on.exec(ctx, sqlitePut, append([]any{p.thread}, p.row(e, 0)...)...)
	return n == 1, err
}

func (sqlite) migrations() [][]string {
	return [][]string{{
		// A number is never used again: who still reads a thread that was deleted must not
		// find himself in another.
		`CREATE TABLE IF NOT EXISTS qed_threads (
			id INTEGER PRIMARY KEY AUTOINCREMENT,
			name TEXT NOT NULL UNIQUE
		) STRICT`,
		`CREATE TABLE IF NOT EXISTS qed_records (
			place INTEGER PRIMARY KEY,
			written INTEGER NOT NULL,
			kind TEXT NOT NULL,
			run INTEGER NOT NULL,
			address TEXT NOT NULL,
			data BLOB
		) STRICT`,
	}}
}

// exclusively needs no lock of its own: the first statement that writes takes SQLite's.
func (sqlite) exclusively(ctx context.Context, s *Store, do func(querier) error) error {
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
