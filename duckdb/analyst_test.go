package duckdb_test

import (
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/qedkit/qed/analyst"
	"github.com/qedkit/qed/duckdb/dialect"
	"github.com/qedkit/qed/internal/analysttest"
	"github.com/qedkit/qed/secureview"
)

func TestAnalyst(t *testing.T) {
	path := filepath.Join(t.TempDir(), "orders.db")
	raw, err := sql.Open("duckdb", path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = raw.Exec("CREATE TABLE t_parsed AS " + analysttest.Rows + " FROM range(400) n(i)")
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.Close(); err != nil {
		t.Fatal(err)
	}
	analysttest.Explore(t, analyst.Data{DB: open(t, path, nil), Dialect: dialect.Dialect{}, Policy: &secureview.Policy{
		Dialect: "duckdb", Tables: map[string][]string{"t_parsed": {"region", "amount"}},
	}})
}
