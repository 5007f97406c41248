package integration_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/postgresdb"
)

// pgDatabase is the database of a test, and an account that may only connect to
// it.
type pgDatabase struct {
	admin   *sql.DB         // the superuser, in the database
	account *pgx.ConnConfig // of the account
}

// newPostgres creates a database and an account with the given name, and runs a
// script in the database.
func newPostgres(tb testing.TB, server *pgx.ConnConfig, name, script string) *pgDatabase {
	tb.Helper()
	root := openPGX(tb, server)
	for _, statement := range []string{
		"CREATE DATABASE " + name + " TEMPLATE template0",
		"CREATE ROLE " + name + " LOGIN PASSWORD 'correct horse'",
		"REVOKE ALL ON DATABASE " + name + " FROM PUBLIC",
		"GRANT CONNECT ON DATABASE " + name + " TO " + name,
	} {
		pgExec(tb, root, statement)
	}
	tb.Cleanup(func() {
		root.Exec("DROP DATABASE " + name + " WITH (FORCE)")
		root.Exec("DROP ROLE " + name)
	})
	own := server.Copy()
	own.Database = name
	p := &pgDatabase{admin: openPGX(tb, own), account: own.Copy()}
	p.account.User, p.account.Password = name, "correct horse"
	pgExec(tb, p.admin, "REVOKE CREATE ON SCHEMA public FROM PUBLIC")
	pgExec(tb, p.admin, script)
	return p
}

func openPGX(tb testing.TB, config *pgx.ConnConfig) *sql.DB {
	db := stdlib.OpenDB(*config)
	tb.Cleanup(func() { db.Close() })
	return db
}

func pgExec(tb testing.TB, db *sql.DB, script string) {
	tb.Helper()
	if _, err := db.Exec(script); err != nil {
		tb.Fatalf("%s: %v", script, err)
	}
}

// adminConfig returns how the superuser connects to the database.
func (p *pgDatabase) adminConfig() *pgx.ConnConfig {
	config := p.account.Copy()
	config.User, config.Password = "postgres", ""
	return config
}

// open opens the database as the account, with a pool of a few connections.
func (p *pgDatabase) open(tb testing.TB, opt *postgresdb.Options) *sqldb.DB {
	tb.Helper()
	pool := openPGX(tb, p.account)
	pool.SetMaxOpenConns(5)
	return openPostgresDB(tb, opt, pool)
}

func openPostgresDB(tb testing.TB, opt *postgresdb.Options, pools ...*sql.DB) *sqldb.DB {
	tb.Helper()
	o := postgresdb.Options{}
	if opt != nil {
		o = *opt
	}
	o.Replicas = pools[1:]
	db, err := postgresdb.New(pools[0], &o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { db.Close() })
	return db
}

func pgServer(tb testing.TB) *pgx.ConnConfig { return integration.PostgreSQL(tb) }

// pgVerbatim is a dialect that prints one text whatever it has parsed, like a
// guard with a broken parser or printer. With it, the tests give the engine
// statements that no guard allows.
type pgVerbatim struct {
	sqlite.Dialect
	text string
}

func (pgVerbatim) Name() string              { return "postgres" }
func (pgVerbatim) Safe(function string) bool { return postgres.Dialect{}.Safe(function) }
func (v pgVerbatim) Append(dst []byte, _ *sqlast.Query, _ bool) ([]byte, error) {
	return append(dst, v.text...), nil
}

// pgUnguarded returns a statement with the given text, which claims to read
// only the given tables of a schema.
func pgUnguarded(tb testing.TB, text, schema string, reads ...string) *secureview.Statement {
	tb.Helper()
	policy := &secureview.Policy{Schema: schema, Tables: map[string][]string{"unread": {"id"}}, RowLimit: 1 << 30}
	claim := "SELECT 1"
	for i, table := range reads {
		policy.Tables[table] = []string{"id"}
		claim += []string{" FROM ", ", "}[min(i, 1)] + (sqlite.Dialect{}).Quote(table)
	}
	guard, err := secureview.New(policy, pgVerbatim{text: text})
	if err != nil {
		tb.Fatal(err)
	}
	s, err := guard.Rewrite(tb.Context(), claim)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// pgRows returns the rows of a table on one line.
func pgRows(t *qed.Table) string {
	var b strings.Builder
	for _, row := range t.Rows {
		for _, cell := range row {
			b.WriteString(fmt.Sprint(cell))
			b.WriteByte(' ')
		}
	}
	return strings.TrimSpace(b.String())
}

// pgSetMode sets the query exec mode of pgx.
func pgSetMode(tb testing.TB, config *pgx.ConnConfig, mode string) {
	tb.Helper()
	parsed, err := pgx.ParseConfig("host=127.0.0.1 default_query_exec_mode=" + mode)
	if err != nil {
		tb.Fatal(err)
	}
	config.DefaultQueryExecMode = parsed.DefaultQueryExecMode
}
