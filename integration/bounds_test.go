package integration_test

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"testing"
	"time"

	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/internal/peakmem"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/postgresdb"
	"github.com/qedkit/qed/sqldb/sqlitedb"
)

var costlyStatements = flag.Int("costly", 250, "the number of generated statements of each TestCostIsBounded")

const (
	costLimit = 2 * time.Second
	// A statement that no limit stops runs for minutes. The machine of a test may
	// be busy, so less is only logged.
	costSlack = 20 * time.Second
	costBytes = 4 << 20
)

const costRows = "CREATE TABLE t (n INTEGER, s VARCHAR(200)); INSERT INTO t VALUES " +
	"(1, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa')," +
	"(2, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab'), (3, 'a'), (4, 'ab'), (5, ''), (6, NULL), (7, 'b a')," +
	" (8, 'aaaaaaaaaaaaaaaaaaaab')"

// costTest runs generated statements that a guard accepts. Each ends within the
// time limit, whatever it computes.
func costTest(t *testing.T, d dialect.Dialect, schema string, db *sqldb.DB, memory func() int64, most int64) {
	guard, err := secureview.New(&secureview.Policy{Schema: schema, Tables: map[string][]string{"t": {"n", "s"}}}, d)
	if err != nil {
		t.Fatal(err)
	}
	const seed = 1
	g := newCostGenerator(seed, d.Name())
	run := costRun{t: t, guard: guard, db: db, memory: memory, most: most}
	for range *costlyStatements {
		run.statement(g.statement())
	}
	if run.refused < *costlyStatements/20 || run.ran < *costlyStatements/10 {
		t.Errorf("the generator tests one side only: %d ran, %d are refused", run.ran, run.refused)
	}
	for _, search := range g.searches {
		for _, length := range []int{1000, 12_000} {
			for items := 256; items > 0 && !run.statement(g.most(search, length, items)); items /= 2 {
			}
		}
	}
	for _, next := range []string{"v + v", "CASE WHEN v > 1 THEN v ELSE v + 1 END", "abs(v) * v - v"} {
		for levels := 40; levels > 0 && !run.statement(chain(levels, next)); levels-- {
		}
	}
	t.Logf("seed %d: %d refused, %d ran, %d reached the time limit, %d failed, %d MB; the slowest took %v: %.300s",
		seed, run.refused, run.ran, run.ended, run.failed, memory()>>20, run.slowest, run.slow)
}

// A costRun counts what becomes of statements.
type costRun struct {
	t      *testing.T
	guard  *secureview.Guard
	db     *sqldb.DB
	memory func() int64
	most   int64

	refused, ran, ended, failed int
	slowest                     time.Duration
	slow                        string
}

// statement runs a statement if the guard accepts it, and reports whether it does.
func (r *costRun) statement(text string) bool {
	stmt, err := r.guard.Rewrite(r.t.Context(), text)
	if err != nil {
		if r.refused++; !errors.Is(err, secureview.ErrTooCostly) && !errors.Is(err, secureview.ErrTooComplex) && !errors.Is(err, secureview.ErrTooLarge) {
			r.t.Errorf("%.300s: %v", text, err)
		}
		return false
	}
	ctx, cancel := context.WithTimeout(r.t.Context(), costLimit+costSlack)
	defer cancel()
	start := time.Now()
	_, err = r.db.Query(ctx, stmt)
	took := time.Since(start)
	switch {
	case errors.Is(err, sqldb.ErrTimeout):
		r.ended++
	case err != nil:
		r.failed++
	default:
		r.ran++
	}
	if took > r.slowest {
		r.slowest, r.slow = took, text
	}
	if took > costLimit+costSlack {
		r.t.Fatalf("%v: %s", took, text)
	}
	if used := r.memory(); used > r.most {
		r.t.Fatalf("%d MB: %s", used>>20, text)
	}
	return true
}

func TestCostIsBoundedSQLite(t *testing.T) {
	path := t.TempDir() + "/t.db"
	file, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	mustExec(t, file, costRows)
	file.Close()
	db, err := sqlitedb.Open(path, &sqlitedb.Options{Options: sqldb.Options{Timeout: costLimit, MaxBytes: costBytes}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	grown := peakmem.Start(t)
	costTest(t, sqlite.Dialect{}, "", db, func() int64 { return int64(grown()) }, 64<<20+costBytes)
}

func TestCostIsBoundedMariaDB(t *testing.T) {
	m := newMaria(t, integration.MariaDBOwn(t).Config(), "costs", costRows)
	m.grant(t, "SELECT ON t")
	db := m.open(t, &sqldb.Options{Timeout: costLimit, MaxBytes: costBytes})
	costTest(t, mysql.Dialect{Version: "10.11-MariaDB"}, m.name, db, func() int64 { return 0 }, 1)
}

func TestCostIsBoundedPostgreSQL(t *testing.T) {
	p := newPostgres(t, integration.PostgreSQLOwn(t).Config(), "costs", costRows+"; GRANT SELECT ON t TO costs")
	db := p.open(t, &postgresdb.Options{Options: sqldb.Options{Timeout: costLimit, MaxBytes: costBytes}})
	costTest(t, postgres.Dialect{}, "public", db, func() int64 { return 0 }, 1)
}
