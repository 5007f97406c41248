//go:build duckdb

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qedkit/qed/internal/command/settings"
)

func TestDuckDB(t *testing.T) {
	csv := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(csv, []byte("a;b\n1,5;x\n2,5;y\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	printed, err := explore(t, "-duckdb", csv)
	if !errors.Is(err, settings.ErrNoModel) || !strings.Contains(printed, "2 rows: a, b") {
		t.Errorf("%v: %s", err, printed)
	}
}
