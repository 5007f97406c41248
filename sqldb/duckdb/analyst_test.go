package duckdb_test

import (
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/analyst"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/sqldb/duckdb"
	"github.com/qedkit/qed/sqldb/duckdb/dialect"
)

// Rows with values that JSON does not have can be explored.
func TestAnalystOfInfiniteNumbers(t *testing.T) {
	db, _, err := duckdb.Load(t.Context(), []duckdb.File{{Path: write(t, "x.csv", "a,b\nNaN,1\ninf,2\n-inf,3\n1.5,4\n")}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	a, err := analyst.New(llmtest.New(), analyst.Data{DB: db, Dialect: dialect.Dialect{}, Policy: parsed}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	found, err := a.Describe(t.Context(), qed.Turn{Thread: "1"})
	if err != nil {
		t.Fatal(err)
	}
	if len(found.FirstRows) != 4 || found.RowCount != 4 || !strings.Contains(string(found.FirstRows[3]), "1.5") {
		t.Errorf("%s", found.FirstRows)
	}
}
