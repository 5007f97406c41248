package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/qedkit/qed/dataset"
	"github.com/qedkit/qed/examples/analyst/orders"
	"github.com/qedkit/qed/examples/internal/chat"
)

// explore runs the program without a model and returns what it prints.
func explore(t *testing.T, args ...string) (string, error) {
	t.Helper()
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"} {
		t.Setenv(name, "")
	}
	var out bytes.Buffer
	err := run(context.Background(), args, strings.NewReader(""), &out)
	return out.String(), err
}

// The recorded analyst finds what is planted in the orders, and its figures are those
// of the data.
func TestTranscript(t *testing.T) {
	folder := t.TempDir()
	printed, err := explore(t, "-out", folder)
	if err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	report, err := os.ReadFile(filepath.Join(folder, "report.md"))
	if err != nil {
		t.Fatal(err)
	}
	facts := measure(t)
	for _, want := range []string{
		"Simpson's paradox",                     // of the teams
		`"quarter" may explain it`,              // the spurious correlation
		facts.beta + " % of its orders",         // the shares of the teams
		"Alpha (" + facts.alpha + " %)",         //
		facts.doubled + " orders from 11 March", // the duplicates
		"The invoices of July 2024 cannot be trusted",
	} {
		if !strings.Contains(printed, want) {
			t.Errorf("%q is not in\n%s", want, printed)
		}
	}
	for _, want := range []string{facts.beta + " % against " + facts.alpha, facts.doubled + " rows from 11 March"} {
		if !strings.Contains(string(report), want) {
			t.Errorf("%q is not in\n%s", want, report)
		}
	}
	if strings.Contains(printed, "unproved") {
		t.Errorf("a figure is not proved:\n%s", printed)
	}
	for _, name := range []string{"answer-1.html", "answer-1-chart_a.vl.json", "answer-2.md", "report.html", "report-chart_b.vl.json"} {
		if info, err := os.Stat(filepath.Join(folder, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// facts are figures of the orders as text.
type facts struct{ alpha, beta, doubled string }

// measure computes the figures from the file, without a database.
func measure(t *testing.T) facts {
	t.Helper()
	var file bytes.Buffer
	if err := orders.Write(&file); err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for i, name := range orders.Columns {
		column[name] = i
	}
	all, onTime := map[string]float64{}, map[string]float64{}
	seen := map[string]bool{}
	doubled := 0
	for _, line := range strings.Split(strings.TrimSpace(file.String()), "\n")[1:] {
		cells := strings.Split(line, ",")
		team := cells[column["team"]]
		all[team]++
		if cells[column["on_time"]] == "1" {
			onTime[team]++
		}
		if id := cells[column["order_id"]]; seen[id] {
			doubled++
		} else {
			seen[id] = true
		}
	}
	percent := func(team string) string { return strconv.FormatFloat(100*onTime[team]/all[team], 'f', 1, 64) }
	return facts{percent("Alpha"), percent("Beta"), strconv.Itoa(doubled)}
}

func TestWrongTurns(t *testing.T) {
	csv := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(csv, []byte("a,b\n1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := explore(t, csv); !errors.Is(err, chat.ErrNoModel) {
		t.Errorf("a file without a model: %v", err)
	}
	if _, err := explore(t, filepath.Join(t.TempDir(), "none.csv")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	if err := os.WriteFile(csv, []byte("a,b\n\"1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := explore(t, csv); !errors.Is(err, dataset.ErrFormat) {
		t.Errorf("an open quotation mark: %v", err)
	}
	if _, err := explore(t, "-no-flag"); err == nil {
		t.Error("an unknown flag is accepted")
	}
}
