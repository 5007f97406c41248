package sqlstore

import (
	"context"
	"database/sql"
	"hash/fnv"
	"strconv"
	"strings"
)

// postgres is PostgreSQL. Names are of bytes, as are the data: a text could not be in an
// encoding that is not the database's.
//
// An append is one statement, in which the row of the thread is the lock, as in MySQL.
type postgres struct{}

const (
	postgresBegin = `WITH t AS (INSERT INTO qed_threads (head, written, writer, name) VALUES (?, ?, ?, ?)
		ON CONFLICT (name) DO NOTHING RETURNING id) `
	postgresMove = `WITH t AS (UPDATE qed_threads SET head = ?, written = ?, writer = ? WHERE name = ? AND head = ?
		RETURNING id) `
	postgresAdd = `INSERT INTO qed_records (thread, seq, written, kind, run, address, data)
		SELECT t.id, v.* FROM t, (VALUES `
	postgresRow = `(?::bigint, ?::bigint, ?::bytea, ?::bigint, ?::bytea, ?::bytea)`
)

var postgresTexts = func() texts {
	t := serverTexts
	t.table = `SELECT count(*) FROM pg_catalog.pg_class WHERE oid = pg_catalog.to_regclass(?)`
	return t
}()

func (postgres) texts() *texts            { return &postgresTexts }
func (postgres) name(s string) any        { return []byte(s) }
func (postgres) placeholder(n int) string { return "$" + strconv.Itoa(n) }
func (postgres) prepares() bool           { return false }
func (postgres) serial() bool             { return false }
func (postgres) batch() int               { return 100 }

func (e postgres) alone(p *put) bool { return len(p.records) <= e.batch() }

func (e postgres) put(ctx context.Context, on session, p *put) (bool, error) {
	last := &p.records[len(p.records)-1]
	args := []any{p.after + int64(len(p.records)), last.Time.UnixMicro(), p.writer, e.name(p.thread)}
	move := postgresBegin
	if p.after != 0 {
		move = postgresMove
		args = append(args, p.after)
	}
	for i := range p.records {
		args = append(args, p.row(e, i)...)
	}
	add := postgresAdd + postgresRow + strings.Repeat(", "+postgresRow, len(p.records)-1) + ") v"
	n, err := on.exec(ctx, move+add, args...)
	return n == int64(len(p.records)), err
}

func (postgres) migrations() [][]string {
	return [][]string{{
		// Room is left on the pages, so that the next version of a row finds its place beside it.
		`CREATE TABLE IF NOT EXISTS qed_threads (
			id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
			name bytea NOT NULL UNIQUE,
			head bigint NOT NULL,
			written bigint NOT NULL,
			writer bigint NOT NULL
		) WITH (fillfactor = 80)`,
		`CREATE TABLE IF NOT EXISTS qed_records (
			thread bigint NOT NULL,
			seq bigint NOT NULL,
			written bigint NOT NULL,
			kind bytea NOT NULL,
			run bigint NOT NULL,
			address bytea NOT NULL,
			data bytea,
			PRIMARY KEY (thread, seq)
		)`,
	}}
}

// exclusively takes a lock that ends with the transaction.
func (postgres) exclusively(ctx context.Context, s *Store, do func(querier) error) error {
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	key := fnv.New64a()
	key.Write([]byte("github.com/qedkit/qed/sqlstore " + s.opt.Prefix))
	if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", int64(key.Sum64())); err != nil {
		return err
	}
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}
