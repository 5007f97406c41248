package duckdb_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/qedkit/qed/sqldb/duckdb"
)

// A database removes the temporary directory of a process that was killed, and leaves
// none of its own.
func TestStaleDirectories(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	if err := os.Mkdir(filepath.Join(temp, "qed-duckdb-1"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(temp, "qed-duckdb-1.lock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	db, _, err := duckdb.Load(t.Context(), []duckdb.File{{Path: write(t, "x.csv", "a,b\n1,x\n")}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}
