package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	_ "modernc.org/sqlite"

	"github.com/qedkit/qed/sqlproof/proof"
)

// asProgram makes the test binary behave as the program, in a process of its own.
const asProgram = "PROVE_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// runProve runs the program and returns its output, its messages and its status.
func runProve(t *testing.T, in string, args ...string) (out, errs string, status int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(in), &stdout, &stderr
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

type answer struct {
	ID  any
	OK  bool
	SQL string
	proof.Report
}

// summary returns an answer in one line: what is right, and what was found.
func summary(a answer) string {
	var parts []string
	for _, j := range a.Joins {
		parts = append(parts, fmt.Sprintf("%s-%s %s", j.Left, j.Right, j.Verdict))
	}
	for _, v := range a.Aggregates {
		parts = append(parts, fmt.Sprintf("%s %s", v.Text, v.Verdict))
	}
	for _, f := range a.Findings {
		parts = append(parts, fmt.Sprintf("%s %s", f.Severity, f.Code))
	}
	return fmt.Sprintf("%v %v %v: %s", a.ID, a.OK, a.SQL != "", strings.Join(parts, ", "))
}

func answers(t *testing.T, out string) (lines []string) {
	t.Helper()
	for line := range strings.Lines(out) {
		var a answer
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		for _, field := range []string{`"joins":[`, `"aggregates":[`, `"findings":[`} {
			if !strings.Contains(line, field) {
				t.Errorf("%s has no %s", line, field)
			}
		}
		lines = append(lines, summary(a))
	}
	return lines
}

var files = []string{"-schema", "testdata/schema.json", "-policy", "testdata/policy.json"}

func TestStatements(t *testing.T) {
	in := `{"id": 1, "sql": "SELECT SUM(total) FROM orders"}
{"id": 2, "sql": "SELECT SUM(o.total) FROM orders o JOIN item i ON i.order_id = o.id"}
{"id": 3, "sql": "SELECT o.id FROM orders o JOIN customer c ON c.id = o.id"}

{"id": 4, "sql": "SELECT COUNT(*) FROM orders o JOIN customer c ON c.id = o.customer_id"}
{"id": 5, "sql": "SELECT secret FROM orders"}
{"id": 6, "sql": "DELETE FROM orders"}
{"id": "7", "sql": 7}
nonsense
{"id": 8, "sql": "SELECT id FROM orders WHERE placed <= '2026-01-31'"}`
	out, errs, status := runProve(t, in, files...)
	if status != 0 || errs != "" {
		t.Errorf("status %d: %s", status, errs)
	}
	if diff := cmp.Diff([]string{
		"1 true true: SUM(total) proved",
		"2 false true: orders-item proved, SUM(o.total) contradicted, error fan_out",
		"3 false true: orders-customer contradicted, error join_unknown",
		"4 true true: orders-customer proved, COUNT(*) not_checked, note count_rows, note inner_join_optional",
		"5 false false: error unknown_column",
		"6 false false: error not_select",
		"7 false false: error bad_line",
		"<nil> false false: error bad_line",
		"8 true true: question date_boundary",
	}, answers(t, out)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, errs, status := runProve(t, in, append(files, "-fail")...); status != 1 || !strings.Contains(errs, "6") {
		t.Errorf("-fail: status %d, %s", status, errs)
	}
}

// Files and folders can be named instead of lines.
func TestFiles(t *testing.T) {
	out, errs, status := runProve(t, "", append(files, "testdata/queries")...)
	if status != 0 || errs != "" {
		t.Errorf("status %d: %s", status, errs)
	}
	if diff := cmp.Diff([]string{
		"testdata/queries/deeper/right.sql true true: SUM(total) proved",
		"testdata/queries/repeated.sql false true: orders-item proved, SUM(o.total) contradicted, error fan_out",
	}, answers(t, out)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A report for code review has each finding at its place in the file.
func TestSARIF(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad.sql")
	if err := os.WriteFile(bad, []byte("SELECT\n  'é', secret FROM orders"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, errs, status := runProve(t, "", append(files, "-sarif", "testdata/queries", bad)...)
	if status != 0 || errs != "" {
		t.Fatalf("status %d: %s", status, errs)
	}
	var log struct {
		Version string
		Runs    []struct {
			Results []struct {
				RuleID, Level string
				Locations     []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine, StartColumn int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &log); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range log.Runs[0].Results {
		at := r.Locations[0].PhysicalLocation
		got = append(got, fmt.Sprintf("%s %s %s:%d:%d", r.Level, r.RuleID, filepath.Base(at.ArtifactLocation.URI), at.Region.StartLine, at.Region.StartColumn))
	}
	if diff := cmp.Diff([]string{"error fan_out repeated.sql:2:8", "error unknown_column bad.sql:2:8"}, got); diff != "" || log.Version != "2.1.0" {
		t.Errorf("version %s (-want +got):\n%s", log.Version, diff)
	}
}

// The keys that a database declares count, and the relationships of the file.
func TestDatabase(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "shop.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec("CREATE TABLE a(id INTEGER PRIMARY KEY, x INTEGER); CREATE TABLE b(id INTEGER PRIMARY KEY, a_id INTEGER UNIQUE NOT NULL REFERENCES a, y INTEGER)")
	db.Close()
	if err != nil {
		t.Fatal(err)
	}
	policy := filepath.Join(folder, "policy.json")
	if err := os.WriteFile(policy, []byte(`{"dialect": "sqlite", "tables": {"a": ["id", "x"], "b": ["id", "a_id", "y"]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	const in = `{"id": 1, "sql": "SELECT SUM(a.x) FROM a JOIN b ON b.a_id = a.id"}`
	out, errs, _ := runProve(t, in, "-policy", policy, "-dsn", path)
	if diff := cmp.Diff([]string{"1 true true: a-b proved, SUM(a.x) proved"}, answers(t, out)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", errs, diff)
	}
	// The file says that many rows of b belong to one of a. The database knows better.
	schema := filepath.Join(folder, "schema.json")
	text := `{"version": 1, "tables": {"a": {"columns": ["id", "x"]}, "b": {"columns": ["id", "a_id", "y"]}},
		"relationships": [{"from_table": "b", "from_column": "a_id", "to_table": "a", "to_column": "id", "confidence": 1, "cardinality": "N:1"}]}`
	if err := os.WriteFile(schema, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, _, _ = runProve(t, in, "-policy", policy, "-dsn", path, "-schema", schema); !strings.Contains(out, `"ok":true`) {
		t.Errorf("with both: %s", out)
	}
	// A file that says that one row of c belongs to one of a is not believed.
	text = `{"version": 1, "tables": {"a": {"columns": ["id", "x"], "primary_key": ["id"]}, "c": {"columns": ["id", "a_id"], "primary_key": ["id"]}},
		"relationships": [{"from_table": "c", "from_column": "a_id", "to_table": "a", "to_column": "id", "type": "manual", "confidence": 1, "cardinality": "1:1"}]}`
	if err := errors.Join(os.WriteFile(schema, []byte(text), 0o600),
		os.WriteFile(policy, []byte(`{"dialect": "sqlite", "tables": {"a": ["id", "x"], "c": ["id", "a_id"]}}`), 0o600)); err != nil {
		t.Fatal(err)
	}
	const claimed = `{"id": 1, "sql": "SELECT SUM(a.x) FROM a JOIN c ON c.a_id = a.id"}`
	for _, more := range [][]string{{"-dsn", path}, nil} {
		out, errs, _ := runProve(t, claimed, append([]string{"-policy", policy, "-schema", schema}, more...)...)
		if diff := cmp.Diff([]string{"1 false true: a-c proved, SUM(a.x) contradicted, error fan_out"}, answers(t, out)); diff != "" {
			t.Errorf("%v: %s (-want +got):\n%s", more, errs, diff)
		}
	}
}

func TestUsage(t *testing.T) {
	for _, tt := range []struct {
		args []string
		says string
	}{
		{nil, "-policy"},
		{[]string{"-policy", "testdata/policy.json"}, "-schema is missing"},
		{[]string{"-policy", "testdata/policy.json", "-schema", "missing.json"}, "missing.json"},
		{[]string{"-policy", "testdata/policy.json", "-schema", "testdata/policy.json"}, "testdata/policy.json"},
		{append(files, "missing.sql"), "missing.sql"},
		{append(files, t.TempDir()), "no file that ends in .sql"},
		{[]string{"-policy", "testdata/policy.json", "-dsn", "oracle://x"}, "not supported"},
	} {
		if out, errs, status := runProve(t, "", tt.args...); status != 2 || out != "" || !strings.Contains(errs, tt.says) {
			t.Errorf("%v: status %d, %s%s", tt.args, status, out, errs)
		}
	}
}
