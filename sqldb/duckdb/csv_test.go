package duckdb_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb/duckdb"
	"github.com/qedkit/qed/sqldb/duckdb/dialect"
)

// TestDoubtfulCSV: dates whose order is not certain, and codes that look like numbers, stay
// texts. All others have their types.
func TestDoubtfulCSV(t *testing.T) {
	for text, want := range map[string]string{
		"01/02/24,1\n03/04/24,2":                             "VARCHAR [[01/02/24] [03/04/24]]",
		"31.12.24,1\n03.04.24,2":                             "VARCHAR [[31.12.24] [03.04.24]]",
		"01/02/2024,1\n03/04/2024,2":                         "VARCHAR [[01/02/2024] [03/04/2024]]",
		"01-02-2024,1\n03-04-2024,2":                         "VARCHAR [[01-02-2024] [03-04-2024]]",
		"1E5,1\n2E6,2":                                       "VARCHAR [[1E5] [2E6]]",
		"7e2,1\n,2":                                          "VARCHAR [[7e2] [<nil>]]",
		"007,1\n012,2":                                       "VARCHAR [[007] [012]]",
		"12345678901234567890,1\n5,2":                        "VARCHAR [[12345678901234567890] [5]]",
		"01/13/2024,1\n03/04/2024,2":                         "DATE [[2024-01-13] [2024-03-04]]",
		"13/01/2024,1\n,3\n03/04/2024,2":                     "DATE [[2024-01-13] [<nil>] [2024-04-03]]",
		"13-01-2024,1\n03-04-2024,2":                         "DATE [[2024-01-13] [2024-04-03]]",
		"01.02.2024,1\n12.04.2024,2":                         "DATE [[2024-02-01] [2024-04-12]]",
		"2024-01-02,1\n2024-02-03,2":                         "DATE [[2024-01-02] [2024-02-03]]",
		"2024-01-02 10:00:00,1\n2024-02-03 11:00:00,2":       "TIMESTAMP [[2024-01-02 10:00:00] [2024-02-03 11:00:00]]",
		"01/22/2024 10:00:00 AM,1\n02/03/2024 11:00:00 PM,2": "TIMESTAMP [[2024-01-22 10:00:00] [2024-02-03 23:00:00]]",
		"1.0,1\n5.0,2":                                       "DOUBLE [[1] [5]]",
		"1.5,1\n2e3,2":                                       "DOUBLE [[1.5] [2000]]",
		"1e3,1\n2.0,2":                                       "DOUBLE [[1000] [2]]",
	} {
		path := filepath.Join(t.TempDir(), "a.csv")
		if err := os.WriteFile(path, []byte("x,n\n"+text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		db, _, err := duckdb.Load(t.Context(), []duckdb.File{{Path: path}}, nil)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		defer db.Close()
		g, err := secureview.New(&secureview.Policy{Tables: map[string][]string{duckdb.DefaultTable: {"x", "n"}}}, dialect.Dialect{})
		if err != nil {
			t.Fatal(err)
		}
		table, err := db.QueryText(t.Context(), g, "SELECT x FROM "+duckdb.DefaultTable)
		if err != nil {
			t.Fatal(err)
		}
		if got := table.Columns[0].Type + " " + fmt.Sprint(table.Rows); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
