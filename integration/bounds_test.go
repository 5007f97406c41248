package integration_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"flag"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/qedkit/qed/dialect"
	"github.com/qedkit/qed/dialect/mysql"
	"github.com/qedkit/qed/dialect/postgres"
	"github.com/qedkit/qed/dialect/sqlite"
	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/secureview"
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
	"(2, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab'), (3, 'a'), (4, 'ab'), (5, ''), (6, NULL), (7, 'b a'), (8, 'aaaaaaaaaaaaaaaaaaaab')"

// costTest runs generated statements that a guard accepts. Each ends within the
// time limit, whatever it computes.
func costTest(t *testing.T, d dialect.Dialect, schema string, db *sqldb.DB, memory func() int64, most int64) {
	guard, err := secureview.New(&secureview.Policy{Schema: schema, Tables: map[string][]string{"t": {"n", "s"}}}, d)
	if err != nil {
		t.Fatal(err)
	}
	const seed = 1
	g := newCostGenerator(seed, d.Name())
	var refused, ran, ended, failed, other int
	var slowest time.Duration
	var slow string
	for i := range *costlyStatements {
		text := g.statement()
		stmt, err := guard.Rewrite(t.Context(), text)
		if err != nil {
			if refused++; !errors.Is(err, secureview.ErrTooCostly) {
				if other++; other == 1 {
					t.Logf("%.500s: %v", text, err)
				}
			}
			continue
		}
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), costLimit+costSlack)
		_, err = db.Query(ctx, stmt)
		cancel()
		took := time.Since(start)
		switch {
		case errors.Is(err, sqldb.ErrTimeout):
			ended++
		case err != nil:
			if failed++; failed == 1 {
				t.Logf("%.500s: %v", text, err)
			}
		default:
			ran++
		}
		if took > slowest {
			slowest, slow = took, text
		}
		if took > costLimit+costSlack {
			t.Fatalf("seed %d, statement %d took %v: %s", seed, i, took, text)
		}
		if used := memory(); used > most {
			t.Fatalf("seed %d, statement %d used %d MB: %s", seed, i, used>>20, text)
		}
	}
	t.Logf("%d refused (%d for other reasons), %d ran, %d reached the time limit, %d failed; the slowest took %v: %.2000s",
		refused, other, ran, ended, failed, slowest, slow)
	if refused-other < *costlyStatements/20 || ran < *costlyStatements/10 {
		t.Error("the generator tests one side only")
	}
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
	before := residentBytes(t, os.Getpid())
	peak := func() int64 { return peakBytes(t, os.Getpid()) - before }
	costTest(t, sqlite.Dialect{}, "", db, peak, 256<<20+costBytes)
}

func TestCostIsBoundedMariaDB(t *testing.T) {
	m := newMaria(t, integration.MariaDBOwn(t).Config(), "costs", costRows)
	m.grant(t, "SELECT ON t")
	db := m.open(t, &sqldb.Options{Timeout: costLimit, MaxBytes: costBytes})
	costTest(t, mysql.Dialect{}, m.name, db, func() int64 { return 0 }, 1)
}

func TestCostIsBoundedPostgreSQL(t *testing.T) {
	p := newPostgres(t, integration.PostgreSQLOwn(t).Config(), "costs", costRows+"; GRANT SELECT ON t TO costs")
	db := p.open(t, &postgresdb.Options{Options: sqldb.Options{Timeout: costLimit, MaxBytes: costBytes}})
	costTest(t, postgres.Dialect{}, "public", db, func() int64 { return 0 }, 1)
}

func residentBytes(t *testing.T, pid int) int64 { return statusBytes(t, pid, "VmRSS:") }

func peakBytes(t *testing.T, pid int) int64 { return statusBytes(t, pid, "VmHWM:") }

// statusBytes returns a figure of a process. It returns 0 where there is none.
func statusBytes(t *testing.T, pid int, name string) int64 {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(status) {
		if fields := strings.Fields(string(line)); len(fields) > 1 && fields[0] == name {
			n, err := strconv.ParseInt(fields[1], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n << 10
		}
	}
	return 0
}
