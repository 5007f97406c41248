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
	for _, want := range []string{"before\n" + begin, "Test CPU", "| Linear10 |", "| 2 µs | 7 |", end + "\nafter\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("the file does not contain %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, "old") || strings.Count(got, "| Linear10 |") != 1 {
		t.Errorf("the old table is still there:\n%s", got)
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
