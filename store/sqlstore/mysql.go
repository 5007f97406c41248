package sqlstore

import (
	"context"
	"database/sql/driver"
	"slices"
	"strings"
	"time"
)

// mysql is the engine of MySQL and MariaDB. Ids, kinds and addresses are stored as
// bytes, because collations treat different texts as equal, even spaces at the
// end.
//
// The row of a thread is its lock: an append updates it first, so a concurrent
// append waits and then finds another last record.
type mysql struct{}

const (
	mysqlClock  = `timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6))`
	mysqlCreate = `INSERT IGNORE INTO qed_threads (head, written, writer, name) VALUES (?, ` + mysqlClock + `, ?, ?)`
	mysqlUpdate = `UPDATE qed_threads SET id = last_insert_id(id), head = ?, written = ` + mysqlClock + `, writer = ?
		WHERE name = ? AND head = ?`
	mysqlInsert = `INSERT INTO qed_records (thread, seq, written, kind, run, address, data) VALUES `
	mysqlRow    = `(?, ?, ?, ?, ?, ?, ?)`
	mysqlHeader = `INSERT INTO qed_headers (thread, ` + headerColumns + `, created, updated)
		VALUES (?, ?, ?, ?, ?, ?, ?, ` + mysqlClock + `, ` + mysqlClock + `)
		ON DUPLICATE KEY UPDATE user_name = VALUES(user_name), tenant = VALUES(tenant), title = VALUES(title),
		status = VALUES(status), turns = VALUES(turns), lease = VALUES(lease), updated = VALUES(updated)`
)

const serverKey = `(SELECT id FROM qed_threads WHERE name = ?t)`

// serverTexts are the statements that MySQL and PostgreSQL have in common.
var serverTexts = texts{
	head:    `SELECT id, head FROM qed_threads WHERE name = ?`,
	wasMade: `SELECT id FROM qed_threads WHERE name = ? AND head = ? AND writer = ?`,
	read: `SELECT thread, seq, written, kind, run, address, data FROM qed_records
		WHERE thread = ` + serverKey + ` AND seq BETWEEN ?l AND ?h`,
	order:         `seq`,
	deleteRecords: `DELETE FROM qed_records WHERE thread = ?`,
	deleteThread:  `DELETE FROM qed_threads WHERE id = ?`,
	ifLast:        ` AND head = ?`,
	list: `SELECT h.thread, t.name, t.head, t.written` + listColumns + `
		FROM qed_headers h JOIN qed_threads t ON t.id = h.thread` + listAfter,
}

var mysqlTexts = func() texts {
	t := serverTexts
	t.frequent = []string{mysqlCreate, mysqlUpdate, mysqlHeader}
	for n := 1; n <= mysqlRows; n *= 2 {
		t.frequent = append(t.frequent, mysqlInsertRows(n))
	}
	t.list = strings.Replace(t.list, " JOIN ", " STRAIGHT_JOIN ", 1) // from the headers, in their order
	t.byAddress = `SELECT seq FROM qed_records FORCE INDEX (qed_records_address)
		WHERE thread = ` + serverKey + ` AND seq BETWEEN ?l AND ?h`
	t.byKind = `SELECT seq FROM qed_records FORCE INDEX (qed_records_kind)
		WHERE thread = ` + serverKey + ` AND seq BETWEEN ?l AND ?h`
	t.join = `SELECT r.thread, r.seq, r.written, r.kind, r.run, r.address, r.data
		FROM (%s) AS k STRAIGHT_JOIN qed_records r ON r.thread = ` + serverKey + ` AND r.seq = k.seq`
	t.trim = `DELETE FROM qed_records WHERE thread = ? AND seq BETWEEN ? AND ? AND `
	t.clock = mysqlClock
	t.limit = `SELECT @@max_allowed_packet`
	t.table = `SELECT count(*) FROM information_schema.tables
		WHERE table_schema = database() AND table_name = ?`
	return t
}()

func (mysql) texts() *texts          { return &mysqlTexts }
func (mysql) text(s string) any      { return []byte(s) }
func (mysql) placeholder(int) string { return "" }
func (mysql) prepares() bool         { return true }
func (mysql) singleWriter() bool     { return false }
func (mysql) batch() int             { return 100 }
func (mysql) lanes() int             { return 4 }

func (mysql) atomic([]*appending) bool { return false }

func (e mysql) append(ctx context.Context, on session, group []*appending) error {
	var rows [][]any
	for _, a := range group {
		thread, err := e.lock(ctx, on, a)
		if err != nil {
			return err
		}
		if a.made = thread != 0; !a.made {
			continue
		}
		for i := range a.records {
			rows = append(rows, append([]any{thread}, a.row(e, i)...))
		}
		if h := a.header(); h != nil {
			if _, err := on.exec(ctx, mysqlHeader, append([]any{thread}, headerRow(e, h)...)...); err != nil {
				return err
			}
		}
	}
	// The prepared statements have a power of 2 of rows.
	for n := mysqlRows; n > 0; n /= 2 {
		for ; len(rows) >= n; rows = rows[n:] {
			if _, err := on.exec(ctx, mysqlInsertRows(n), slices.Concat(rows[:n]...)...); err != nil {
				return err
			}
		}
	}
	return nil
}

// lock updates the row of a thread and returns the thread's key, or 0 if the
// thread has another last record.
func (e mysql) lock(ctx context.Context, on session, a *appending) (thread int64, err error) {
	args := []any{a.head(), a.id, e.text(a.thread)}
	text := mysqlCreate
	if a.after != 0 {
		text = mysqlUpdate
		args = append(args, a.after)
	}
	result, err := on.result(ctx, text, args...)
	if err != nil {
		return 0, err
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return 0, err
	}
	return result.LastInsertId()
}

// mysqlRows is the highest number of records in a statement.
const mysqlRows = 64

func mysqlInsertRows(n int) string {
	return mysqlInsert + mysqlRow + strings.Repeat(", "+mysqlRow, n-1)
}

func (mysql) migrations() [][]change {
	return [][]change{{
		{do: `CREATE TABLE IF NOT EXISTS qed_threads (
			id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
			name VARBINARY(256) NOT NULL,
			head BIGINT NOT NULL,
			written BIGINT NOT NULL,
			writer BIGINT NOT NULL,
			UNIQUE KEY (name)
		) ENGINE=InnoDB`},
		{do: `CREATE TABLE IF NOT EXISTS qed_records (
			thread BIGINT NOT NULL,
			seq BIGINT NOT NULL,
			written BIGINT NOT NULL,
			kind VARBINARY(32) NOT NULL,
			run BIGINT NOT NULL,
			address VARBINARY(1000) NOT NULL,
			data LONGBLOB,
			PRIMARY KEY (thread, seq)
		) ENGINE=InnoDB`},
	}, {
		mysqlIndex("qed_records_kind", "thread, kind, seq"),
		mysqlIndex("qed_records_address", "thread, address, seq"),
		{do: `CREATE TABLE IF NOT EXISTS qed_headers (
			thread BIGINT NOT NULL PRIMARY KEY,
			user_name VARBINARY(500) NOT NULL,
			tenant VARBINARY(500) NOT NULL,
			title VARBINARY(2000) NOT NULL,
			status VARBINARY(32) NOT NULL,
			turns BIGINT NOT NULL,
			lease BIGINT NOT NULL,
			created BIGINT NOT NULL,
			updated BIGINT NOT NULL,
			KEY (updated, thread),
			KEY (status, updated, thread),
			KEY (tenant, updated, thread),
			KEY (user_name, tenant, updated, thread)
		) ENGINE=InnoDB`},
	}}
}

// mysqlIndex returns the change that adds an index to the records. Only MariaDB
// has CREATE INDEX IF NOT EXISTS.
func mysqlIndex(name, columns string) change {
	return change{
		unless: `SELECT count(*) FROM information_schema.statistics
			WHERE table_schema = database() AND table_name = 'qed_records' AND index_name = '` + name + `'`,
		do: `CREATE INDEX ` + name + ` ON qed_records (` + columns + `)`,
	}
}

// lockedForMigration takes a named lock of the server, because CREATE TABLE
// commits a transaction.
func (mysql) lockedForMigration(ctx context.Context, s *Store, do func(querier) error) (err error) {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	name := s.opt.TablePrefix + "migration"
	var got *int // null if an error occurred
	if err := conn.QueryRowContext(ctx, "SELECT get_lock(?, 30)", name).Scan(&got); err != nil {
		return err
	}
	if got == nil || *got != 1 {
		return errMigrating
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if _, failed := conn.ExecContext(ctx, "DO release_lock(?)", name); failed != nil {
			conn.Raw(func(any) error { return driver.ErrBadConn }) // closing the connection releases the lock
		}
	}()
	return do(conn)
}
