package integration_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/qedkit/qed/internal/sqlbound/shapetest"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

// shapeLimit returns the time limit of a statement and the number of random statements.
// QED_SHAPES sets the number, and a limit of 2 s.
func shapeLimit() (limit time.Duration, statements int) {
	if n, err := strconv.Atoi(os.Getenv("QED_SHAPES")); err == nil {
		return 2 * time.Second, n
	}
	return 300 * time.Millisecond, 25
}

// shapeSlack is how much after its limit a statement must have ended. A second is
// enough on an idle machine.
const shapeSlack = 10 * time.Second

// shapeScript creates the tables. The hierarchy of emp has cycles.
const shapeScript = `
	CREATE TABLE t (id INT PRIMARY KEY, boss INT, n INT, s VARCHAR(20));
	CREATE TABLE emp (id INT PRIMARY KEY, boss INT, name VARCHAR(20), tags VARCHAR(20), hired DATE, gone INT);
	INSERT INTO t %[1]s SELECT i, i / 10, i %% 100, 'x' FROM r;
	INSERT INTO emp %[1]s SELECT i, (i * 7) %% 300 + 1, 'Ann', 'a,b,c', '2024-01-31', i %% 5 FROM r`

func shapeTables(before string) string {
	return fmt.Sprintf(shapeScript, before+" r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r WHERE i < 300)")
}

// Every statement that a guard accepts near the bounds, and its EXPLAIN, ends soon
// after the time limit, and leaves the server alive.
func TestShapes(t *testing.T) {
	limit, _ := shapeLimit()
	t.Run("sqlite", func(t *testing.T) {
		db := openSQLite(t)
		for _, statement := range strings.Split(shapeTables("WITH RECURSIVE"), ";") {
			mustExec(t, db, statement)
		}
		testShapes(t, 's', sqlite.Dialect{}, "main", db)
	})
	t.Run("mariadb", func(t *testing.T) {
		m := newMaria(t, mariaServer(t), "shapes", shapeTables("WITH RECURSIVE"))
		db := m.admin
		db.SetMaxOpenConns(1)
		mariaExec(t, db, fmt.Sprintf("SET max_statement_time = %f, max_recursive_iterations = 4294967295", limit.Seconds()))
		testShapes(t, 'm', mysql.Dialect{}, m.name, db)
	})
	t.Run("postgresql", func(t *testing.T) {
		p := newPostgres(t, pgServer(t), "shapes", shapeTables("WITH RECURSIVE"))
		db := p.admin
		db.SetMaxOpenConns(1)
		pgExec(t, db, fmt.Sprintf("ANALYZE; SET statement_timeout = %d", limit.Milliseconds()))
		testShapes(t, 'p', postgres.Dialect{}, "public", db)
	})
}

func testShapes(t *testing.T, letter rune, d dialect.Dialect, schema string, db *sql.DB) {
	guard, err := secureview.New(&secureview.Policy{Schema: schema, Tables: shapetest.Tables}, d)
	if err != nil {
		t.Fatal(err)
	}
	limit, count := shapeLimit()
	execute := func(text string) (accepted bool) {
		stmt, err := guard.Rewrite(t.Context(), text)
		if err != nil {
			return false
		}
		for _, sql := range []string{"EXPLAIN " + stmt.SQL(), stmt.SQL()} {
			start := time.Now()
			err := shapeRun(t.Context(), db, sql, limit)
			if took := time.Since(start); took > limit+shapeSlack {
				t.Errorf("%.200s\nended after %v: %v", text, took, err)
			} else if took > limit+time.Second || err != nil && !isShapeError(err) {
				t.Logf("%.200s\nended after %v: %v", text, took, err)
			}
		}
		return true
	}
	for _, p := range shapetest.Pairs {
		if strings.ContainsRune(p.Dialects, letter) {
			if !execute(p.SQL(p.Most)) {
				t.Errorf("%s is refused with %d", p.Name, p.Most)
			}
			if _, err := guard.Rewrite(t.Context(), p.SQL(p.Most+1)); p.Code != "" && !errors.Is(err, p.Code) {
				t.Errorf("%s with %d: %v", p.Name, p.Most+1, err)
			}
		}
	}
	for _, s := range shapetest.Statements() {
		if strings.ContainsRune(s.Dialects, letter) && !execute(s.SQL) {
			t.Errorf("refused: %s", s.SQL)
		}
	}
	accepted, seed := 0, uint64(16)
	rng := rand.New(rand.NewPCG(seed, uint64(letter)))
	for range count {
		if execute(randomShape(rng, letter)) {
			accepted++
		}
	}
	t.Logf("seed %d: %d of %d random statements are accepted", seed, accepted, count)
	if err := db.PingContext(t.Context()); err != nil || accepted == 0 || accepted == count {
		t.Errorf("%d of %d random statements are accepted; then %v", accepted, count, err)
	}
}

// shapeRun executes a statement with the time limit and reads all rows.
func shapeRun(ctx context.Context, db *sql.DB, text string, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit+500*time.Millisecond)
	defer cancel()
	rows, err := db.QueryContext(ctx, text)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
	}
	return rows.Err()
}

// isShapeError reports whether an error is one of the limits.
func isShapeError(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) ||
		strings.Contains(err.Error(), "statement timeout") || strings.Contains(err.Error(), "max_statement_time") ||
		strings.Contains(err.Error(), "interrupted")
}
