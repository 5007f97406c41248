package sqlstore

import (
	"context"
	"database/sql"
	"hash/fnv"
	"strconv"
	"strings"
)

// postgres is the engine of PostgreSQL. Texts are stored as bytes, because a text
// must be in the encoding of the database.
//
// An append is one statement. The row of a thread is its lock, as in MySQL.
type postgres struct{}

const (
	postgresClock  = `(extract(epoch FROM clock_timestamp()) * 1000000)::bigint`
	postgresCreate = `WITH t AS (INSERT INTO qed_threads (head, written, writer, name)
		VALUES (?, ` + postgresClock + `, ?, ?) ON CONFLICT (name) DO NOTHING RETURNING id, written) `
	postgresUpdate = `WITH t AS (UPDATE qed_threads SET head = ?, written = ` + postgresClock + `, writer = ?
		WHERE name = ? AND head = ? RETURNING id, written) `
	postgresHeader = `, h AS (INSERT INTO qed_headers (thread, ` + headerColumns + `, created, updated)
		SELECT id, ?::bytea, ?::bytea, ?::bytea, ?::bytea, ?::bigint, ?::bigint, written, written FROM t
		` + postgresReplace + `) `
	postgresReplace = `ON CONFLICT (thread) DO UPDATE SET user_name = excluded.user_name, tenant = excluded.tenant,
		title = excluded.title, status = excluded.status, turns = excluded.turns, lease = excluded.lease,
		updated = excluded.updated`
	postgresInsert = `INSERT INTO qed_records (thread, seq, written, kind, run, address, data)
		SELECT t.id, v.* FROM t, (VALUES `
	postgresRow = `(?::bigint, ?::bigint, ?::bytea, ?::bigint, ?::bytea, ?::bytea)`
)

var postgresTexts = func() texts {
	t := serverTexts
	t.table = `SELECT count(*) FROM pg_catalog.pg_class WHERE oid = pg_catalog.to_regclass(?)`
	t.byAddress = `SELECT seq FROM qed_records
		WHERE ~thread = ~` + serverKey + ` AND seq BETWEEN ?l AND ?h AND address <> ''`
	t.byKind = `SELECT seq FROM qed_records WHERE -thread = -` + serverKey + ` AND seq BETWEEN ?l AND ?h`
	t.join = `SELECT r.* FROM (%s) AS k CROSS JOIN LATERAL (
		SELECT thread, seq, written, kind, run, address, data FROM qed_records
		WHERE thread = ` + serverKey + ` AND seq = k.seq OFFSET 0) r` // OFFSET 0: a look-up for each k
	t.trim = `DELETE FROM qed_records WHERE -thread = -?::bigint AND seq BETWEEN ? AND ? AND `
	t.clock = postgresClock
	return t
}()

func (postgres) texts() *texts            { return &postgresTexts }
func (postgres) text(s string) any        { return []byte(s) }
func (postgres) placeholder(n int) string { return "$" + strconv.Itoa(n) }
func (postgres) prepares() bool           { return false }
func (postgres) singleWriter() bool       { return false }
func (postgres) batch() int               { return 100 }
func (postgres) lanes() int               { return 4 }

func (postgres) atomic(group []*appending) bool { return len(group) == 1 }

func (e postgres) append(ctx context.Context, on session, group []*appending) error {
	for _, a := range group {
		if err := e.appendOne(ctx, on, a); err != nil {
			return err
		}
	}
	return nil
}

func (e postgres) appendOne(ctx context.Context, on session, a *appending) error {
	args := []any{a.head(), a.id, e.text(a.thread)}
	lock := postgresCreate
	if a.after != 0 {
		lock = postgresUpdate
		args = append(args, a.after)
	}
	if h := a.header(); h != nil {
		lock += postgresHeader
		args = append(args, headerRow(e, h)...)
	}
	for i := range a.records {
		args = append(args, a.row(e, i)...)
	}
	insert := postgresInsert + postgresRow + strings.Repeat(", "+postgresRow, len(a.records)-1) + ") v"
	n, err := on.exec(ctx, lock+insert, args...)
	a.made = n == int64(len(a.records))
	return err
}

func (postgres) migrations() [][]change {
	return [][]change{{
		// Every append updates the row of its thread. With free space on the
		// page the new version of the row stays on it (a HOT update).
		{do: `CREATE TABLE IF NOT EXISTS qed_threads (
			id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
			name bytea NOT NULL UNIQUE,
			head bigint NOT NULL,
			written bigint NOT NULL,
			writer bigint NOT NULL
		) WITH (fillfactor = 80)`},
		{do: `CREATE TABLE IF NOT EXISTS qed_records (
			thread bigint NOT NULL,
			seq bigint NOT NULL,
			written bigint NOT NULL,
			kind bytea NOT NULL,
			run bigint NOT NULL,
			address bytea NOT NULL,
			data bytea,
			PRIMARY KEY (thread, seq)
		)`},
	}, {
		{do: `CREATE TABLE IF NOT EXISTS qed_headers (
			thread bigint PRIMARY KEY,
			user_name bytea NOT NULL,
			tenant bytea NOT NULL,
			title bytea NOT NULL,
			status bytea NOT NULL,
			turns bigint NOT NULL,
			lease bigint NOT NULL,
			created bigint NOT NULL,
			updated bigint NOT NULL
		)`},
		{do: `CREATE INDEX IF NOT EXISTS qed_headers_updated ON qed_headers (updated, thread)`},
		{do: `CREATE INDEX IF NOT EXISTS qed_headers_status ON qed_headers (status, updated, thread)`},
		{do: `CREATE INDEX IF NOT EXISTS qed_headers_tenant ON qed_headers (tenant, updated, thread)`},
		{do: `CREATE INDEX IF NOT EXISTS qed_headers_user ON qed_headers (user_name, tenant, updated, thread)`},
		// A statement with -thread or ~thread can only use the index that has it.
		// With thread, the planner would often read the thread in its order.
		{do: `CREATE INDEX IF NOT EXISTS qed_records_kind ON qed_records ((-thread), kind, seq)`},
		{do: `CREATE INDEX IF NOT EXISTS qed_records_address ON qed_records ((~thread), address, seq)
			WHERE address <> ''`},
	}}
}

// lockedForMigration takes an advisory lock that ends with the transaction.
func (postgres) lockedForMigration(ctx context.Context, s *Store, do func(querier) error) error {
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	key := fnv.New64a()
	key.Write([]byte("github.com/qedkit/qed/sqlstore " + s.opt.TablePrefix))
	if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", int64(key.Sum64())); err != nil {
		return err
	}
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}
