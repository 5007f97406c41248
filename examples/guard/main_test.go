//go:build duckdb

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestMain runs the program itself for the test that starts it as a process.
func TestMain(m *testing.M) {
	if os.Getenv("GUARD_MAIN") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

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
	program := exec.CommandContext(t.Context(), os.Args[0], "-policy", policy)
	program.Env = append(os.Environ(), "GUARD_MAIN=1")
	program.Stdin = strings.NewReader(in)
	out, err := program.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != 3 || !strings.Contains(lines[0], `"ok":true`) ||
		!strings.Contains(lines[1], `"code":"unknown_table"`) || !strings.Contains(lines[2], `"code":"function"`) {
		t.Errorf("answers:\n%s", out)
	}
}
