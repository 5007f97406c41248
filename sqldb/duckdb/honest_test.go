package duckdb_test

import (
	"context"
	"database/sql"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/sqldb/duckdb"
)

// Every analytic statement returns the same rows with the guard as without it.
func TestHonestStatements(t *testing.T) {
	path, raw := newShop(t)
	db := open(t, path, nil)
	g := newGuard(t, policy)
	for _, query := range lines(t, "honest.sql") {
		want, err := readRaw(raw, query)
		if err != nil {
			t.Errorf("%s\nwithout the guard: %v", query, err)
			continue
		}
		table, err := ask(db, g, query)
		if err != nil {
			t.Errorf("%s\n%v", query, err)
			continue
		}
		got := [][]string{}
		for _, row := range table.Rows {
			got = append(got, texts(row))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s\nrows without the guard (-) and with it (+):\n%s", query, diff)
		}
	}
}

// Statements with a name that could mean two things are refused, and those with a select
// alias in a subquery.
func TestAmbiguousStatements(t *testing.T) {
	g := newGuard(t, policy)
	for _, query := range lines(t, "ambiguous.sql") {
		if stmt, err := g.Rewrite(t.Context(), query); err == nil {
			t.Errorf("%s\nis accepted as %s", query, stmt.SQL())
		}
	}
}

// readRaw returns the rows of a query as the texts that the engine makes of them.
func readRaw(db *sql.DB, query string) ([][]string, error) {
	query, err := duckdb.WithTexts(db, query)
	if err != nil {
		return nil, err
	}
	rows, err := db.Query(query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		return nil, err
	}
	out := [][]string{}
	for rows.Next() {
		values, targets := make([]any, len(types)), make([]any, len(types))
		for i := range values {
			targets[i] = &values[i]
		}
		if err := rows.Scan(targets...); err != nil {
			return nil, err
		}
		cells := make([]any, len(types))
		for i, v := range values {
			cells[i] = duckdb.ConvertValue(types[i].DatabaseTypeName(), v)
		}
		out = append(out, texts(cells))
	}
	return out, rows.Err()
}

func texts(row []any) []string {
	out := make([]string, len(row))
	for i, v := range row {
		out[i] = fmt.Sprint(v)
	}
	return out
}

// A recursion without an end stops with the context, within the memory limit.
func TestEndlessRecursion(t *testing.T) {
	path, _ := newShop(t)
	db := open(t, path, nil)
	g := newGuard(t, policy)
	stmt, err := g.Rewrite(t.Context(), "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r) SELECT max(i) FROM r")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	start := time.Now()
	if _, err := db.Query(ctx, stmt); err == nil {
		t.Error("no error")
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("stopped after %v", took)
	}
}
