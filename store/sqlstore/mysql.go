package sqlstore

import (
	"context"
	"database/sql/driver"
	"strings"
	"time"
)

// mysql is MySQL or MariaDB. Names are of bytes, as its collations hold for equal what
// is not, down to spaces at the end.
//
// The row of a thread is its lock: whoever appends changes it first, and whoever comes at
// the same time waits, and then finds another last record there.
type mysql struct{}

const (
	mysqlBegin = `INSERT IGNORE INTO qed_threads (head, written, writer, name) VALUES (?, ?, ?, ?)`
	mysqlMove  = `UPDATE qed_threads SET id = last_insert_id(id), head = ?, written = ?, writer = ?
		WHERE name = ? AND head = ?`
	mysqlAdd = `INSERT INTO qed_records (thread, seq, written, kind, run, address, data) VALUES `
	mysqlRow = `(?, ?, ?, ?, ?, ?, ?)`
)

// serverTexts are the statements that servers have in common.
var serverTexts = texts{
	head:  `SELECT id, head FROM qed_threads WHERE name = ?`,
	wrote: `SELECT id FROM qed_threads WHERE name = ? AND head = ? AND writer = ?`,
	read: `SELECT thread, seq, written, kind, run, address, data FROM qed_records
		WHERE thread = (SELECT id FROM qed_threads WHERE name = ?) AND seq BETWEEN ? AND ?`,
	order:  `seq`,
	within: `thread = ? AND seq BETWEEN ? AND ?`,
	forget: `DELETE FROM qed_threads WHERE id = ? AND written < ?`,
	idle:   `SELECT id FROM qed_threads WHERE id > ? AND written < ? ORDER BY id LIMIT ?`,
}

var mysqlTexts = func() texts {
	t := serverTexts
	t.frequent = []string{mysqlBegin, mysqlMove, mysqlAdd + mysqlRow}
	t.table = `SELECT count(*) FROM information_schema.tables
		WHERE table_schema = database() AND table_name = ?`
	return t
}()

func (mysql) texts() *texts          { return &mysqlTexts }
func (mysql) name(s string) any      { return []byte(s) }
func (mysql) placeholder(int) string { return "" }
func (mysql) prepares() bool         { return true }
func (mysql) serial() bool           { return false }
func (mysql) batch() int             { return 100 }
func (mysql) alone(*put) bool        { return false }

func (e mysql) put(ctx context.Context, on session, p *put) (bool, error) {
	last := &p.records[len(p.records)-1]
	args := []any{p.after + int64(len(p.records)), last.Time.UnixMicro(), p.writer, e.name(p.thread)}
	move := mysqlBegin
	if p.after != 0 {
		move = mysqlMove
		args = append(args, p.after)
	}
	result, err := on.result(ctx, move, args...)
	if err != nil {
		return false, err
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return false, err
	}
	thread, err := result.LastInsertId()
	if err != nil {
		return false, err
	}
	args = args[:0]
	for i := range p.records {
		args = append(append(args, thread), p.row(e, i)...)
	}
	n, err := on.exec(ctx, mysqlAdd+mysqlRow+strings.Repeat(", "+mysqlRow, len(p.records)-1), args...)
	return n == int64(len(p.records)), err
}

func (mysql) migrations() [][]string {
	return [][]string{{
		`CREATE TABLE IF NOT EXISTS qed_threads (
			id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
			name VARBINARY(256) NOT NULL,
			head BIGINT NOT NULL,
			written BIGINT NOT NULL,
			writer BIGINT NOT NULL,
			UNIQUE KEY (name)
		) ENGINE=InnoDB`,
		`CREATE TABLE IF NOT EXISTS qed_records (
			thread BIGINT NOT NULL,
			seq BIGINT NOT NULL,
			written BIGINT NOT NULL,
			kind VARBINARY(32) NOT NULL,
			run BIGINT NOT NULL,
			address VARBINARY(1000) NOT NULL,
			data LONGBLOB,
			PRIMARY KEY (thread, seq)
		) ENGINE=InnoDB`,
	}}
}

// exclusively takes a lock that the server names, as a table cannot be made in a transaction.
func (mysql) exclusively(ctx context.Context, s *Store, do func(querier) error) (err error) {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	name := s.opt.Prefix + "migration"
	var got *int
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
			conn.Raw(func(any) error { return driver.ErrBadConn }) // the lock goes with it
		}
	}()
	return do(conn)
}
