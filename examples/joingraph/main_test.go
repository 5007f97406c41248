package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/secureview"
)

func runIn(t *testing.T, args ...string) string {
	t.Helper()
	var out strings.Builder
	if err := run(t.Context(), args, &out, io.Discard); err != nil {
		t.Fatalf("%q: %v\n%s", args, err, out.String())
	}
	return out.String()
}

// The program finds the keys that the example company does not declare, writes a graph
// that it can read again, and says what has changed.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	models := filepath.Join(dir, "models.json")
	write(t, models, `{"relationships": [
		{"from_table": "work_time", "from_column": "employee_id", "to_table": "employee", "to_column": "id", "type": "association"},
		{"from_table": "ghost", "from_column": "id", "to_table": "employee", "to_column": "id", "type": "association"}]}`)
	corrections := filepath.Join(dir, "corrections.json")
	write(t, corrections, `{"relationships": [
		{"from_table": "note", "from_column": "entityId", "to_table": "customer", "to_column": "id", "confidence": 0}]}`)
	graph, dot, policy := filepath.Join(dir, "graph.json"), filepath.Join(dir, "graph.dot"), filepath.Join(dir, "policy.json")

	report := runIn(t, "-count", "-models", models, "-corrections", corrections,
		"-out", graph, "-dot", dot, "-write-policy", policy)
	for _, want := range []string{"56 tables", "customer (secure_customer)", "foreign_key", "Doubtful joins", "ghost",
		"Wrote the graph to " + graph, "Wrote the picture to " + dot, "Wrote a policy for review to " + policy} {
		if !strings.Contains(report, want) {
			t.Errorf("the report has no %q:\n%s", want, report)
		}
	}
	f, err := os.Open(graph)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s, err := joinpath.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	find := func(join string) joinpath.Relationship {
		t.Helper()
		at := slices.IndexFunc(s.Relationships, func(r joinpath.Relationship) bool { return r.String() == join })
		if at < 0 {
			t.Fatalf("no %s", join)
		}
		return s.Relationships[at]
	}
	if r := find("workTime.employeeId -> employee.id"); !slices.Contains(r.Provenance, "models.json") || len(r.Provenance) < 2 {
		t.Errorf("provenance: %+v", r)
	}
	if r := find("note.entityId -> customer.id"); r.Confidence != 0 || r.Type != joinpath.Manual {
		t.Errorf("corrected: %+v", r)
	}
	if text, err := os.ReadFile(dot); err != nil || !strings.Contains(string(text), "strict digraph") && !strings.Contains(string(text), "digraph") {
		t.Errorf("the picture: %v\n%.200s", err, text)
	}
	p, err := os.Open(policy)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if read, err := secureview.ReadPolicy(p); err != nil || read.Views["employee"] != "secure_employee" {
		t.Errorf("the policy: %v, %v", err, read)
	}

	counts := filepath.Join(dir, "counts.json")
	runIn(t, "-count", "-counts", counts, "-models", models)
	again := runIn(t, "-count", "-counts", counts, "-models", models, "-diff", graph)
	if !strings.Contains(again, "Changes since graph.json: 1\n") || !strings.Contains(again, "note.entityId -> customer.id") {
		t.Errorf("the changes:\n%s", again[strings.Index(again, "Changes"):])
	}
}

func TestWrongTurns(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "")
	t.Setenv("OPENAI_BASE_URL", "")
	t.Setenv("ANTHROPIC_API_KEY", "")
	broken := filepath.Join(t.TempDir(), "broken.json")
	write(t, broken, `{"version": 9}`)
	for _, args := range [][]string{
		{"extra"},
		{"-verdicts", "v.json"},
		{"-counts", "c.json"},
		{"-count", "-counts", broken},
		{"-validate"},
		{"-models", "missing.json"},
		{"-models", broken},
		{"-dsn", "oracle://x"},
	} {
		if err := run(t.Context(), args, io.Discard, io.Discard); err == nil {
			t.Errorf("%q: no error", args)
		} else if strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: more than one line: %v", args, err)
		}
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
