package integration_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/mysql"
)

// No generated statement that a guard accepts ends the server.
func TestMariaDBSurvives(t *testing.T) {
	testSurvives(t, integration.MariaDBOwn(t), "max_statement_time", "2")
}

func TestMySQLSurvives(t *testing.T) {
	testSurvives(t, integration.MySQLOwn(t), "max_execution_time", "2000")
}

// testSurvives runs generated statements on a server, with a variable that limits the time
// of a statement.
func testSurvives(t *testing.T, server *integration.MariaDBServer, limit, most string) {
	const seed = 16
	g := mysqlGenerator{rand.New(rand.NewPCG(seed, 1))}
	pool := crashPool(t, server, limit, most)
	var version string
	if err := pool.QueryRow("SELECT VERSION()").Scan(&version); err != nil {
		t.Fatal(err)
	}
	guard, err := secureview.New(&secureview.Policy{Schema: "crash", Tables: mysqlGeneratorTables}, mysql.Dialect{Version: version})
	if err != nil {
		t.Fatal(err)
	}
	ran, refused, failed := 0, 0, 0
	for range statementCount(t, 2000) {
		text := g.statement()
		stmt, err := guard.Rewrite(t.Context(), text)
		if err != nil {
			refused++
			continue
		}
		ran++
		if runForCrash(t, pool, stmt.SQL()) == nil {
			continue
		}
		failed++
		died := server.Alive()
		if died == nil {
			continue
		}
		t.Errorf("seed %d: the server ends with\n%s\nprinted as\n%s\n%s", seed, text, stmt.SQL(), frames(died))
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
	}
	if ran == 0 || failed == ran {
		t.Error("no statement ran")
	}
	t.Logf("%d statements ran, %d of them with an error; %d were refused", ran, failed, refused)
}

// MariaDB 10.11 ends if HAVING of a query has a subquery that groups by a column of an
// outer query and names that column in its own HAVING. It does not end for what the
// guard prints.
func TestMariaDBSurvivesHaving(t *testing.T) {
	server := integration.MariaDBOwn(t)
	pool := openMaria(t, server.Config())
	for _, text := range []string{
		"CREATE DATABASE crash", "CREATE TABLE crash.t (x INT)", "CREATE TABLE crash.e (k INT)", "CREATE TABLE crash.u (a INT, x INT)",
		"INSERT INTO crash.t VALUES (5), (10)", "INSERT INTO crash.e VALUES (3)", "INSERT INTO crash.u VALUES (1, 7)",
	} {
		mariaExec(t, pool, text)
	}
	guard, err := secureview.New(&secureview.Policy{Schema: "crash", Tables: map[string][]string{"t": {"x"}, "e": {"k"}, "u": {"a"}}}, mysql.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	rewrite := func(name string) (*secureview.Statement, error) {
		return guard.Rewrite(t.Context(), strings.ReplaceAll("SELECT x, (SELECT max(k) FROM e GROUP BY # HAVING "+
			"(SELECT max(a) FROM u GROUP BY # HAVING # > 5) > 0) AS k FROM t o ORDER BY 1", "#", name))
	}
	if _, err := rewrite("x"); !errors.Is(err, secureview.ErrAmbiguousColumn) {
		t.Errorf("a column of an outer query without its table: %v", err)
	}
	stmt, err := rewrite("o.x")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := run(pool, stmt.SQL()); err != nil || fmt.Sprint(got) != "{[x k] [[5 <nil>] [10 3]]}" {
		t.Errorf("%s\nhas %v, %v", stmt.SQL(), got, err)
	}
}

// frames returns the lines of a server's trace.
func frames(died error) string {
	var lines []string
	for line := range strings.Lines(died.Error()) {
		if strings.Contains(line, "mariadbd(") || strings.Contains(line, "signal") || strings.Contains(line, "Assertion") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

// crashPool opens a pool of one connection to a database with the tables of the
// generator.
func crashPool(t *testing.T, server *integration.MariaDBServer, limit, most string) *sql.DB {
	t.Helper()
	root := server.Config()
	root.MultiStatements = true
	mariaExec(t, openMaria(t, root), "CREATE DATABASE crash CHARACTER SET utf8mb4; USE crash; SET sql_mode = ''; "+mysqlGeneratorScript)
	config := server.Config()
	config.DBName = "crash"
	config.Params = map[string]string{limit: most}
	pool := openMaria(t, config)
	pool.SetMaxOpenConns(1)
	return pool
}

// runForCrash executes a text and reads its rows.
func runForCrash(t *testing.T, pool *sql.DB, text string) error {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	rows, err := pool.QueryContext(ctx, text)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
	}
	return rows.Err()
}
