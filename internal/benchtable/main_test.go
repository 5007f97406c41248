package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// output returns the output of go test -bench with three runs of each benchmark.
func output() string {
	var b strings.Builder
	b.WriteString("goos: linux\ncpu: Test CPU\n")
	for _, want := range bounds {
		for _, nanos := range []int{3000, 1000, 2000} {
			fmt.Fprintf(&b, "Benchmark%s-2 \t 10\t %d ns/op\t 64 B/op\t 7 allocs/op\n", want.name, nanos)
		}
	}
	b.WriteString("PASS\n")
	return b.String()
}

func TestTableIsWrittenBetweenTheMarks(t *testing.T) {
	readme := filepath.Join(t.TempDir(), "README.md")
	if err := os.WriteFile(readme, []byte("before\n"+begin+"\nold\n"+end+"\nafter\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time gives the same
		if err := run(strings.NewReader(output()), readme); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	got := string(raw)
	for _, want := range []string{"before\n" + begin, "Test CPU", "| Linear10 |", "| 2 µs | 7 |", "| ≤ 1 µs, 15 allocations | 2 µs **(over)** | 7 |", end + "\nafter\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("the file does not contain %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, "old") || strings.Count(got, "| Linear10 |") != 1 {
		t.Errorf("the old table is still there:\n%s", got)
	}
}

// A figure is marked if it is above its bound, and a benchmark without its server has
// a row that says so.
func TestBoundsAndServers(t *testing.T) {
	runs := map[string][]result{}
	for _, want := range bounds {
		if want.server {
			continue
		}
		at := result{nanos: float64(want.time), allocs: float64(want.allocs)}
		runs[want.name] = []result{at}
	}
	table, err := render(runs, "Test CPU")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(table), over) {
		t.Errorf("a figure at its bound is marked:\n%s", table)
	}
	if !strings.Contains(string(table), "| IntrospectMariaDB1000 | introspection of 1,000 tables with 20,000 columns in MariaDB "+
		"| ≤ 3e+03 ms | left out: no server | |") {
		t.Errorf("a benchmark without its server has no row:\n%s", table)
	}
	runs["Linear10"] = []result{{nanos: 3001, allocs: 31}}
	if table, err = render(runs, "Test CPU"); err != nil || !strings.Contains(string(table), "| 3 µs **(over)** | 31 **(over)** |") {
		t.Errorf("figures over their bounds are not marked: %v\n%s", err, table)
	}
}

func TestRefused(t *testing.T) {
	if err := run(strings.NewReader("BenchmarkLinear10-2 10 5 ns/op\n"), ""); err == nil {
		t.Error("no error for missing benchmarks")
	}
	bare := filepath.Join(t.TempDir(), "README.md")
	if err := os.WriteFile(bare, []byte("no marks"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(strings.NewReader(output()), bare); err == nil {
		t.Error("no error for a file without marks")
	}
}
