package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/analyst"
	"github.com/qedkit/qed/analyst/tabular"
	"github.com/qedkit/qed/examples/analyst/orders"
	"github.com/qedkit/qed/internal/command/settings"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
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
		facts.invoices, facts.waits,
	} {
		if !strings.Contains(printed, want) {
			t.Errorf("%q is not in\n%s", want, printed)
		}
	}
	for _, want := range append(facts.jobs, facts.beta+" % against "+facts.alpha, facts.doubled+" rows from 11 March", facts.invoices, facts.waits) {
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

// A report is written on any explorations, in any order.
func TestReports(t *testing.T) {
	data, err := orders.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	a, err := analyst.New(orders.Model(llmtest.New(orders.Transcript()...)), analyst.Data{
		DB: data.DB, Policy: data.Policy, Dialect: sqlite.Dialect{}, Table: data.Table,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	var found []*analyst.Exploration
	facts := measure(t)
	for i, question := range []string{orders.Recorded[1], orders.Recorded[0]} {
		answer, err := qed.Ask(t.Context(), a, qed.Turn{Thread: "t", Text: question})
		if err != nil {
			t.Fatal(err)
		}
		e, err := analyst.ExplorationOf(answer)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, e)
		report, err := a.Report(t.Context(), found...)
		if err != nil {
			t.Fatal(err)
		}
		if len(report.Unproved) > 0 || strings.Contains(report.Markdown, "(unknown)") || !strings.Contains(report.Markdown, facts.waits) ||
			strings.Contains(report.Markdown, facts.invoices) != (i == 1) || strings.Count(report.Markdown, "](chart:") != i+1 ||
			!strings.Contains(report.Markdown, "![Waiting days](chart:chart_a)") {
			t.Errorf("after %s, unproved %v:\n%s", question, report.Unproved, report.Markdown)
		}
	}
}

// facts are figures of the orders as text.
type facts struct {
	alpha, beta, doubled string
	invoices, waits      string
	jobs                 []string
}

// measure computes the figures from the file, without a database.
func measure(t *testing.T) facts {
	t.Helper()
	var file bytes.Buffer
	if err := orders.Write(&file); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := func(row []string, column string) string { return row[slices.Index(orders.Columns, column)] }
	mean := func(column string, match map[string]string) float64 {
		sum, n := 0.0, 0.0
		for _, row := range rows[1:] {
			other := func(column string) bool { return !strings.HasPrefix(at(row, column), match[column]) }
			if slices.ContainsFunc(slices.Collect(maps.Keys(match)), other) {
				continue
			}
			v, err := strconv.ParseFloat(at(row, column), 64)
			if err != nil {
				t.Fatal(err)
			}
			sum, n = sum+v, n+1
		}
		return sum / n
	}
	percent := func(match map[string]string) string { return fmt.Sprintf("%.1f", 100*mean("on_time", match)) }
	var f facts
	f.alpha, f.beta = percent(map[string]string{"team": "Alpha"}), percent(map[string]string{"team": "Beta"})
	for _, job := range []string{"install", "overhaul", "repair"} {
		f.jobs = append(f.jobs, fmt.Sprintf("| %s | %s %% | %s %% |", job,
			percent(map[string]string{"team": "Alpha", "job": job}), percent(map[string]string{"team": "Beta", "job": job})))
	}
	ids := map[string]bool{}
	months := map[string]float64{}
	for _, row := range rows[1:] {
		ids[at(row, "order_id")] = true
		months[at(row, "ordered_on")[:7]] = 0
	}
	f.doubled = strconv.Itoa(len(rows) - 1 - len(ids))
	for month := range months {
		months[month] = mean("invoice", map[string]string{"ordered_on": month})
	}
	highest := slices.SortedFunc(maps.Keys(months), func(a, b string) int { return cmp.Compare(months[b], months[a]) })
	next, err := time.Parse("2006-01", highest[1])
	if err != nil {
		t.Fatal(err)
	}
	f.invoices = fmt.Sprintf("The mean invoice of July 2024 is %.0f times that of %s, the month with the next highest",
		months[highest[0]]/months[highest[1]], next.Format("January 2006"))
	first, last := map[string]string{"quarter": "2023-Q1"}, map[string]string{"quarter": "2024-Q4"}
	f.waits = fmt.Sprintf("Waiting grew from %.1f to %.1f days, and logins from %.0f to %.0f",
		mean("wait_days", first), mean("wait_days", last), mean("app_logins", first), mean("app_logins", last))
	return f
}

// A note names the flag that decides, in the terminal and on the page.
func TestDecidingFlags(t *testing.T) {
	csv := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(csv, []byte("n;d\n1.234;03/04/2026\n2.500;05/06/2026\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	printed, err := explore(t, csv)
	if !errors.Is(err, settings.ErrNoModel) || !strings.Contains(printed, "The option decimal decides.") || !strings.Contains(printed, "The option dateorder decides.") {
		t.Errorf("%v: %s", err, printed)
	}
	printed, err = explore(t, "-decimal", ",", "-dateorder", "dmy", csv)
	if !errors.Is(err, settings.ErrNoModel) || !strings.Contains(printed, "2 rows: n, d") || strings.Contains(printed, "decides") {
		t.Errorf("%v: %s", err, printed)
	}
	if text := findings(&analyst.Exploration{Question: "Why?"}, []string{"The option decimal decides."}); !strings.HasSuffix(text, "\n\nThe option decimal decides.\n") {
		t.Errorf("%q", text)
	}
}

func TestWrongTurns(t *testing.T) {
	csv := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(csv, []byte("a,b\n1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := explore(t, csv); !errors.Is(err, settings.ErrNoModel) {
		t.Errorf("a file without a model: %v", err)
	}
	if _, err := explore(t, "-duckdb", csv); err == nil {
		t.Error("no file is loaded into DuckDB without a model")
	}
	if _, err := explore(t, filepath.Join(t.TempDir(), "none.csv")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	if err := os.WriteFile(csv, []byte("a,b\n\"1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := explore(t, csv); !errors.Is(err, tabular.ErrFormat) {
		t.Errorf("an open quotation mark: %v", err)
	}
	if _, err := explore(t, "-no-flag"); err == nil {
		t.Error("an unknown flag is accepted")
	}
}
