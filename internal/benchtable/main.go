// Benchtable reads the output of go test -bench and writes a table of the
// benchmarks: the median of the runs of each benchmark, and its bound.
//
//	go test -bench . -benchmem -count 5 ./... | go run ./internal/benchtable -file README.md
package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// bound is one row of the table.
type bound struct {
	name   string
	what   string
	time   time.Duration // the most time of an operation; 0: no bound
	allocs int           // the most allocations of an operation; 0: no bound
	server bool          // it needs a server, and may be left out
}

var bounds = []bound{
	{"ShortestPath122", "join path, 122 tables, 1,801 relationships, not cached", 20 * time.Microsecond, 0, false},
	{"ShortestPath122Cached", "the same, cached", 200 * time.Nanosecond, 0, false},
	{"ShortestPath10k", "join path, 10,000 tables, 100,000 relationships", 3 * time.Millisecond, 0, false},
	{"ShortestPath122Peer", "dominikbraun/graph's own search on the 122 tables, for comparison", 0, 0, false},
	{"ShortestPath10kPeer", "the same on the 10,000", 0, 0, false},
	{"Build122", "building the graph of the 122 tables", 0, 0, false},
	{"Build10k", "building the graph of the 10,000", 0, 0, false},
	{"Connect5", "Steiner trees of five of the 122 tables", 2 * time.Millisecond, 0, false},
	{"Infer1000", "joins of 1,000 tables with 20,000 columns inferred from names", time.Second, 0, false},
	{"RewriteMySQL", "guard a MySQL statement: read, resolve, rewrite, print, read again", 40 * time.Microsecond, 0, false},
	{"RewriteMySQLPeer", "xwb1989/sqlparser alone reads and writes the statement, for comparison", 0, 0, false},
	{"RewriteSQLite", "guard an SQLite statement: read, resolve, rewrite, print", 10 * time.Microsecond, 0, false},
	{"RewritePostgres", "guard a PostgreSQL statement: read, resolve, rewrite, print", 120 * time.Microsecond, 0, false},
	{"RewritePostgresPeer", "go-pgquery alone reads the statement, for comparison", 0, 0, false},
	{"IntrospectMariaDB1000", "introspection of 1,000 tables with 20,000 columns in MariaDB", 3 * time.Second, 0, true},
	{"IntrospectPostgres1000", "the same in PostgreSQL", 3 * time.Second, 0, true},
	{"GuardedReadMariaDB/rows=1000/guarded", "guarded read of 1,000 rows from MariaDB: two more round trips than", 0, 0, true},
	{"GuardedReadMariaDB/rows=1000/bare", "the same rows through database/sql alone", 0, 0, true},
	{"GuardedReadPostgres/rows=1000/guarded", "guarded read of 1,000 rows from PostgreSQL: two more round trips than", 0, 0, true},
	{"GuardedReadPostgres/rows=1000/bare", "the same rows through database/sql alone", 0, 0, true},
	{"Validate/plain", "check a search body (five clauses, two aggregations) against a mapping of 300 fields", 30 * time.Microsecond, 0, false},
	{"Linear10", "graph of ten nodes in a row, events read", 3 * time.Microsecond, 30, false},
	{"Linear10Ask", "the same, without a reader of events", time.Microsecond, 15, false},
	{"FanOut4", "four-way fan-out and merge, events read", 6 * time.Microsecond, 60, false},
	{"FanOut4Ask", "the same, without a reader of events", 3 * time.Microsecond, 45, false},
	{"Linear10Memory", "graph of ten nodes in a row, saved in memory: the whole turn with ten checkpoints", 10 * time.Microsecond, 0, false},
	{"ToolLoop10", "ten steps of a tool loop with scripted replies, events read", 0, 0, false},
	{"CheckpointSQLite/full", "a checkpoint of 20 KB in SQLite, synced to disk", 0, 0, false},
	{"CheckpointSQLite/normal", "the same, written by the system later", 0, 0, false},
	{"Steps20KBSQLite/steps=10", "a turn of ten nodes with a state of 20 KB, saved in SQLite", 2500 * time.Microsecond, 0, false},
	{"Steps20KBSQLite/steps=1000", "the same with a thousand", 0, 0, false},
	{"SearchTurn", "a whole turn of searchagent, two tasks, replies at once, with New", 0, 0, false},
	{"SearchTurnSQLite", "the same, saved in SQLite", 0, 0, false},
	{"SQLTurn", "a whole turn of sqlagent, one statement, replies at once, with New", 0, 0, false},
	{"SQLTurnSQLite", "the same, saved in SQLite", 0, 0, false},
}

// over marks a figure that is above its bound.
const over = " **(not met)**"

const (
	begin = "<!-- figures: written by make bench -->"
	end   = "<!-- end of figures -->"
)

func main() {
	file := flag.String("file", "", "replace the table in `file` instead of printing it")
	flag.Parse()
	if err := run(os.Stdin, *file); err != nil {
		fmt.Fprintln(os.Stderr, "benchtable:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, file string) error {
	runs, machine, err := read(in)
	if err != nil {
		return err
	}
	table, err := render(runs, machine)
	if err != nil {
		return err
	}
	if file == "" {
		_, err := os.Stdout.Write(table)
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	text, err = replace(text, table)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return os.WriteFile(file, text, 0o644)
}

// result is one run of a benchmark.
type result struct {
	nanos  float64
	allocs float64
}

// read returns the runs of each benchmark, and the name of the processor.
func read(in io.Reader) (map[string][]result, string, error) {
	runs := map[string][]result{}
	machine := ""
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		if cpu, ok := strings.CutPrefix(lines.Text(), "cpu: "); ok {
			machine = cpu
		}
		fields := strings.Fields(lines.Text())
		name, ok := strings.CutPrefix(lines.Text(), "Benchmark")
		if !ok || len(fields) < 4 {
			continue
		}
		name, _, _ = strings.Cut(strings.Fields(name)[0], "-")
		var r result
		for i := 3; i < len(fields); i += 2 {
			v, err := strconv.ParseFloat(fields[i-1], 64)
			if err != nil {
				return nil, "", fmt.Errorf("line %q: %w", lines.Text(), err)
			}
			switch fields[i] {
			case "ns/op":
				r.nanos = v
			case "allocs/op":
				r.allocs = v
			}
		}
		runs[name] = append(runs[name], r)
	}
	return runs, machine, lines.Err()
}

func render(runs map[string][]result, machine string) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "Medians on %s.\n\n", machine)
	fmt.Fprintln(&b, "| benchmark | what | bound | measured | allocations |")
	fmt.Fprintln(&b, "|---|---|---|---|---|")
	for _, want := range bounds {
		got := runs[want.name]
		if len(got) == 0 && !want.server {
			return nil, fmt.Errorf("the input has no Benchmark%s", want.name)
		}
		most := "none"
		if want.time > 0 {
			most = "≤ " + short(float64(want.time))
		}
		if want.allocs > 0 {
			most += fmt.Sprintf(", %d allocations", want.allocs)
		}
		if len(got) == 0 {
			fmt.Fprintf(&b, "| %s | %s | %s | left out: no server | |\n", want.name, want.what, most)
			continue
		}
		nanos := median(got, func(r result) float64 { return r.nanos })
		allocs := median(got, func(r result) float64 { return r.allocs })
		measured, allocated := short(nanos), fmt.Sprintf("%.0f", allocs)
		if want.time > 0 && nanos > float64(want.time) {
			measured += over
		}
		if want.allocs > 0 && allocs > float64(want.allocs) {
			allocated += over
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", want.name, want.what, most, measured, allocated)
	}
	return b.Bytes(), nil
}

func median(runs []result, of func(result) float64) float64 {
	values := make([]float64, len(runs))
	for i, r := range runs {
		values[i] = of(r)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// short formats nanoseconds with three digits and a unit.
func short(nanos float64) string {
	switch {
	case nanos < 1e3:
		return fmt.Sprintf("%.3g ns", nanos)
	case nanos < 1e6:
		return fmt.Sprintf("%.3g µs", nanos/1e3)
	}
	return fmt.Sprintf("%.3g ms", nanos/1e6)
}

// replace writes the table between the two marks.
func replace(text, table []byte) ([]byte, error) {
	before, rest, ok := bytes.Cut(text, []byte(begin))
	_, after, closed := bytes.Cut(rest, []byte(end))
	if !ok || !closed {
		return nil, errors.New("no marks for the table: " + begin + " and " + end)
	}
	return slices.Concat(before, []byte(begin+"\n\n"), table, []byte("\n"+end), after), nil
}
