package duckdb_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/qedkit/qed/secureview"
)

// A name that the guard accepts means the same to DuckDB: a column of the block, the alias of
// an item, or a column or an alias of an enclosing query. Each statement has the name n
// in one clause of a block, casts its value to a number, and fails with that value.
func TestNames(t *testing.T) {
	raw, err := sql.Open("duckdb", "?threads=1")
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	raw.SetMaxOpenConns(1)
	_, err = raw.Exec(`SET scalar_subquery_error_on_multiple_rows = false;
		CREATE TABLE inner_x AS SELECT unnest(['ib1', 'ib2']) AS b;
		CREATE TABLE inner_n AS SELECT b, 'in' || b AS n FROM inner_x;
		CREATE TABLE outer_x AS SELECT unnest(['om1', 'om2']) AS m;
		CREATE TABLE outer_n AS SELECT m, 'on' || m AS n FROM outer_x;`)
	if err != nil {
		t.Fatal(err)
	}
	g := newGuard(t, &secureview.Policy{Dialect: "duckdb", Tables: map[string][]string{
		"inner_x": {"b"}, "inner_n": {"b", "n"}, "outer_x": {"m"}, "outer_n": {"m", "n"},
	}})
	meanings := map[string]int{}
	for _, query := range namedStatements() {
		want, err := named(raw, query)
		if err != nil {
			continue
		}
		meanings[want[:2]]++
		stmt, err := g.Rewrite(context.Background(), query)
		if err != nil {
			// A name that could mean two things is refused, and an alias in a subquery.
			if !errors.Is(err, secureview.ErrMisplaced) && !errors.Is(err, secureview.ErrAmbiguousColumn) &&
				!errors.Is(err, secureview.ErrUnsupported) {
				t.Errorf("%s\n%v", query, err)
			}
			continue
		}
		if got, err := named(raw, stmt.SQL()); err != nil || got != want {
			t.Errorf("%s\n%s\nhas %q and error %v, want %q", query, stmt.SQL(), got, err, want)
		}
	}
	for _, meaning := range []string{"ia", "ib", "in", "oa", "om", "on"} { // the first letters of each value
		if meanings[meaning] == 0 {
			t.Errorf("no statement means %q: %v", meaning, meanings)
		}
	}
}

// namedStatements returns statements with the name n in each clause, for each kind of
// item with that alias and each block that encloses it.
func namedStatements() []string {
	items := []string{
		"1", "i.b AS n", "o.m AS n", "i.b || o.m AS n", "max(i.b) AS n", "max(i.b) || o.m AS n", "(SELECT o.m) AS n",
		"n || 'x' AS n", "'ia' || i.b AS n",
	}
	clauses := []string{
		"CAST(n AS INT) AS r FROM i", "max(CAST(n || i.b AS INT)) AS r FROM i", "max(CAST(n AS INT)) AS r FROM i",
		"list(i.b ORDER BY CAST(n AS INT)) AS r FROM i", "count(*) FILTER (WHERE CAST(n || i.b AS INT) > 1) AS r FROM i",
		"sum(CAST(n AS INT)) OVER () AS r FROM i", "(SELECT CAST(n AS INT)) AS r FROM i",
		"(SELECT max(CAST(n AS INT)) FROM inner_x) AS r FROM i", "1 AS r FROM i WHERE CAST(n AS INT) > 0",
		"1 AS r FROM i GROUP BY CAST(n AS INT)", "count(*) AS r FROM i GROUP BY n HAVING CAST(n AS INT) > 0",
		"n AS k, count(*) AS r FROM i GROUP BY ALL", "n || 'x' AS k, count(*) AS r FROM i GROUP BY n, k HAVING CAST(k AS INT) > 0",
		"1 AS r FROM i HAVING CAST(n AS INT) > 0", "1 AS r FROM i HAVING max(CAST(n || i.b AS INT)) > 0",
		"i.b AS r FROM i ORDER BY n DESC", "i.b AS r FROM i ORDER BY CAST(n AS INT)", "1 AS r FROM i ORDER BY max(CAST(n AS INT))",
		"1 AS r FROM i ORDER BY (SELECT CAST(n AS INT))", "i.b AS r FROM i ORDER BY row_number() OVER (ORDER BY CAST(n AS INT))",
		"z.q AS r FROM i, (SELECT CAST(n AS INT) AS q) AS z", "z.b AS r FROM i JOIN inner_x z ON CAST(n AS INT) > 0",
	}
	places := []string{
		"SELECT max(r) AS y FROM o, LATERAL block", "SELECT 'oa' || o.m AS n, (SELECT max(r) FROM block) AS y FROM o",
		"SELECT 'oa' || o.m AS n, 1 AS y FROM o WHERE (SELECT max(r) FROM block) IS NULL", "SELECT (SELECT max(r) FROM block) AS y FROM o",
		"SELECT 'oa' || o.m AS n, count(*) AS y FROM o GROUP BY (SELECT max(r) FROM block)", "SELECT max(o.m) AS n FROM o HAVING EXISTS block",
		"SELECT 'oa' || o.m AS n, max((SELECT max(r) FROM block)) AS y FROM o GROUP BY 1",
		"SELECT 'oa' || o.m AS n, o.m FROM o ORDER BY (SELECT max(r) FROM block)",
	}
	var out []string
	for _, item := range items {
		for _, clause := range clauses {
			for _, inner := range []string{"inner_x", "inner_n"} {
				if inner == "inner_n" && item != "i.b AS n" {
					continue // a column of the block comes first, whatever the item is
				}
				block := "(SELECT " + item + ", " + strings.Replace(clause, "FROM i", "FROM "+inner+" i", 1) + ")"
				for _, place := range places {
					for _, outer := range []string{"outer_x", "outer_n"} {
						out = append(out, strings.NewReplacer("FROM o", "FROM "+outer+" o", "block", block).Replace(place))
					}
				}
			}
		}
	}
	return out
}

var notNumber = regexp.MustCompile(`Could not convert string '([^']*)'`)

// named returns the value that a statement could not cast, or its rows.
func named(db *sql.DB, query string) (string, error) {
	rows, err := readRaw(db, query)
	if err == nil {
		return fmt.Sprint(rows), nil
	}
	if found := notNumber.FindStringSubmatch(err.Error()); found != nil {
		return found[1], nil
	}
	return "", err
}
