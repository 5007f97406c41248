//go:build duckdb

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDuckDB(t *testing.T) {
	policy := filepath.Join(t.TempDir(), "policy.json")
	text := `{"dialect": "duckdb", "tables": {"t_parsed": ["region", "amount"]}}`
	if err := os.WriteFile(policy, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	in := `{"id": 1, "sql": "SELECT region, sum(amount) FROM t_parsed GROUP BY ALL QUALIFY rank() OVER (ORDER BY sum(amount)) = 1"}
{"id": 2, "sql": "SELECT * FROM 'file.csv'"}
{"id": 3, "sql": "SELECT getenv('HOME')"}
`
	out, errs, status := finish(t, program(t, "-policy", policy), strings.NewReader(in))
	if errs != "" || status != 0 {
		t.Fatalf("status %d: %s", status, errs)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 3 || !strings.Contains(lines[0], `"ok":true`) ||
		!strings.Contains(lines[1], `"code":"unknown_table"`) || !strings.Contains(lines[2], `"code":"function"`) {
		t.Errorf("answers:\n%s", out)
	}
}
