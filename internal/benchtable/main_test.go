package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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
	for _, want := range []string{"before\n" + begin, "Test CPU", "| Linear10 |", "| 2 µs | 7 |", "| ≤ 1 µs, 15 allocations | 2 µs **(not met)** | 7 |", end + "\nafter\n"} {
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
	if table, err = render(runs, "Test CPU"); err != nil || !strings.Contains(string(table), "| 3 µs **(not met)** | 31 **(not met)** |") {
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

// benchmarks returns the names of the benchmarks and tests of this repository.
func benchmarks(t *testing.T) map[string]bool {
	t.Helper()
	declared := regexp.MustCompile(`(?m)^func ((?:Benchmark|Test)\w*)\(`)
	names := map[string]bool{}
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range declared.FindAllSubmatch(text, -1) {
			names[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(names) < 100 {
		t.Fatalf("only %d benchmarks and tests are found", len(names))
	}
	return names
}

// named returns the benchmarks and tests that a text names: BenchmarkX, TestX and the
// pattern of -bench. The last ones match at least one benchmark each.
func named(text string) (whole, patterns []string) {
	whole = regexp.MustCompile(`\b(?:Benchmark|Test)[A-Z]\w*`).FindAllString(text, -1)
	for _, m := range regexp.MustCompile("-bench '?([^'\\s`]+)").FindAllStringSubmatch(text, -1) {
		patterns = append(patterns, strings.Split(m[1], "|")...)
	}
	return whole, patterns
}

// figure is a measured value: a number with a unit, or a count of what was measured.
var figure = regexp.MustCompile(`\d[\d.,]*\s?(?:%|ns|µs|ms|s|MB|turns|times|allocations)(?:\W|$)|\b0\.\d+`)

// Each benchmark of BENCHMARKS.md exists, and each of its figures names the benchmark or
// test that measures it.
func TestFiguresNameTheirBenchmarks(t *testing.T) {
	raw, err := os.ReadFile("../../BENCHMARKS.md")
	if err != nil {
		t.Fatal(err)
	}
	exist := benchmarks(t)
	for _, want := range bounds {
		name, _, _ := strings.Cut(want.name, "/")
		if !exist["Benchmark"+name] {
			t.Errorf("the table has Benchmark%s, which does not exist", name)
		}
	}
	prose := string(raw[bytes.Index(raw, []byte(end)):])
	whole, patterns := named(prose)
	if len(whole) < 5 || len(patterns) < 5 {
		t.Fatalf("only %q and %q are named", whole, patterns)
	}
	for _, name := range whole {
		if !exist[name] {
			t.Errorf("%s does not exist", name)
		}
	}
	for _, pattern := range patterns {
		if pattern == "." {
			continue
		}
		first, _, _ := strings.Cut(pattern, "/")
		match, err := regexp.Compile(first)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(slices.Collect(maps.Keys(exist)), func(name string) bool {
			return strings.HasPrefix(name, "Benchmark") && match.MatchString(name)
		}) {
			t.Errorf("-bench %s matches no benchmark", pattern)
		}
	}
	checked := 0
	for _, section := range strings.Split(prose, "\n## ") {
		for _, text := range passages(section) {
			found := figure.FindString(text)
			if found == "" {
				continue
			}
			checked++
			whole, patterns := named(text)
			rows := slices.ContainsFunc(bounds, func(b bound) bool { return strings.Contains(text, b.name) })
			if len(whole)+len(patterns) == 0 && !rows {
				t.Errorf("%q is measured by no benchmark that is named:\n%s", found, text)
			}
		}
	}
	if checked < 8 {
		t.Errorf("only %d passages have figures", checked)
	}
}

// passages returns the paragraphs, the items and the rows of tables of a section. What is
// indented belongs to the passage before it.
func passages(section string) (all []string) {
	for _, text := range strings.Split(section, "\n\n") {
		for _, item := range regexp.MustCompile(`\n- |\n\| `).Split("\n"+text, -1) {
			item = strings.Trim(item, "\n")
			if strings.HasPrefix(item, "  ") && len(all) > 0 {
				all[len(all)-1] += "\n" + item
			} else if item != "" {
				all = append(all, item)
			}
		}
	}
	return all
}

// A figure is marked if it exceeds its bound, whatever the text around it says: no other
// text of the table claims that a bound is reached.
func TestBoundsOfTheTable(t *testing.T) {
	raw, err := os.ReadFile("../../BENCHMARKS.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(raw), begin)
	table, _, _ := strings.Cut(rest, end)
	rows := 0
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		i := slices.IndexFunc(bounds, func(b bound) bool { return len(cells) > 5 && b.name == strings.TrimSpace(cells[1]) })
		if i < 0 {
			continue
		}
		rows++
		if strings.Contains(cells[4], "left out") {
			continue
		}
		value, unit, _ := strings.Cut(strings.TrimSpace(strings.ReplaceAll(cells[4], over, "")), " ")
		nanos, err := strconv.ParseFloat(value, 64)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		nanos *= map[string]float64{"ns": 1, "µs": 1e3, "ms": 1e6}[unit]
		// The table has three digits of the figure.
		if limit := float64(bounds[i].time); limit > 0 && math.Abs(nanos-limit) > limit/100 && (nanos > limit) != strings.Contains(cells[4], over) {
			t.Errorf("the figure is over its bound, or marked without being: %s", line)
		}
	}
	if rows != len(bounds) {
		t.Errorf("the table has %d rows, want %d: run make bench", rows, len(bounds))
	}
}
