package stats_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	_ "modernc.org/sqlite"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/internal/stats"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/query"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqlagent"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/sqlitedb"
	"github.com/qedkit/qed/store"
)

// sales has n orders on the days of a year, in the order of the days. Amounts rise, the
// last is by far the largest, and every fiftieth is missing.
type sales struct {
	path   string
	source query.Source
}

func newSales(t *testing.T, n int, opt *sqldb.Options) *sales {
	t.Helper()
	s := &sales{path: filepath.Join(t.TempDir(), "sales.db")}
	s.exec(t, fmt.Sprintf(`
		CREATE TABLE sale(id INTEGER PRIMARY KEY, day TEXT, amount REAL, city TEXT, secret TEXT);
		WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %d - 1)
		INSERT INTO sale SELECT i, date('2024-01-01', '+' || (i * 360 / %[1]d) || ' days'),
			CASE WHEN i %% 50 = 0 THEN NULL WHEN i = %[1]d - 1 THEN 99999 ELSE i %% 97 + i * 100 / %[1]d END,
			CASE WHEN i %% 3 = 0 THEN 'Oslo' ELSE 'Rome' END, 'hidden' FROM n`, n))
	db, err := sqlitedb.Open(s.path, &sqlitedb.Options{Options: *opt})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	schema, err := db.Introspect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	guard, err := secureview.New(&secureview.Policy{
		Dialect: "sqlite", Tables: map[string][]string{"sale": {"id", "day", "amount", "city"}},
	}, sqlite.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	if s.source, err = sqlagent.NewSource("sales", db, guard, schema, nil); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *sales) exec(t *testing.T, text string) {
	t.Helper()
	host, err := sql.Open("sqlite", s.path)
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	if _, err := host.Exec(text); err != nil {
		t.Fatal(err)
	}
}

// analyse runs a query and gives its rows to a tool, as a plan does. change may be nil.
func (s *sales) analyse(t *testing.T, sql string, tool qed.Tool, arguments map[string]any, change func(*finding.RowsRef)) (result, []qed.Event) {
	t.Helper()
	run, err := query.NewExecutor("sql_executor", []query.Source{s.source})
	if err != nil {
		t.Fatal(err)
	}
	tools := qed.NewRegistry(nil)
	if err := tools.Add(run, tool); err != nil {
		t.Fatal(err)
	}
	var output json.RawMessage
	do := func(ctx context.Context, name string, arguments any) (json.RawMessage, error) {
		raw, err := json.Marshal(arguments)
		if err != nil {
			return nil, err
		}
		results, err := tools.Do(ctx, llm.ToolCall{ID: name, Name: name, Arguments: raw})
		if err != nil {
			return nil, err
		}
		return results[0].Output, results[0].Err
	}
	agent := qed.Durable(qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
		found, err := do(ctx, "sql_executor", map[string]any{"query": sql})
		if err != nil {
			return qed.Answer{}, err
		}
		rows := finding.Parse(found).Rows
		if change != nil {
			change(rows)
		}
		all := map[string]any{"rows": rows}
		for name, value := range arguments {
			all[name] = value
		}
		output, err = do(ctx, tool.Name, all)
		return qed.Answer{Text: "done"}, err
	}), &store.InMemory{}, nil)
	var events []qed.Event
	for e, err := range agent.Run(t.Context(), qed.Turn{Thread: "t", Text: "go"}) {
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	return decode(t, output, nil), events
}

func warnings(events []qed.Event) (codes []string) {
	for _, e := range events {
		if w, ok := e.Data.(qed.Warning); ok {
			codes = append(codes, w.Code)
		}
	}
	return codes
}

const byDay = "SELECT id, day, amount, city FROM sale ORDER BY day"

// The figures hold for all rows, of which a query by day saves only those of the first days.
func TestAllRows(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 150,000 rows")
	}
	const n = 150_000
	s := newSales(t, n, &sqldb.Options{})
	got, events := s.analyse(t, byDay, stats.NewAnalysisTool(s.source), nil, nil)
	if got.RowCount != 100_000 || got.Total != n || got.Truncated || len(warnings(events)) > 0 {
		t.Fatalf("%d of %d rows, truncated: %v; %v", got.RowCount, got.Total, got.Truncated, warnings(events))
	}
	summary := map[string]stats.Summary{}
	for _, c := range got.Summary {
		summary[c.Column] = c
	}
	var want struct {
		count, missing      int
		sum, mean, min, max float64
	}
	row := queryRow(t, s.path, "SELECT count(amount), count(*) - count(amount), sum(amount), avg(amount), min(amount), max(amount) FROM sale")
	if err := row.Scan(&want.count, &want.missing, &want.sum, &want.mean, &want.min, &want.max); err != nil {
		t.Fatal(err)
	}
	amount := summary["amount"]
	diff(t, "amount", []any{n, want.count, want.missing, want.sum, want.mean, want.min, want.max}, []any{
		amount.Rows, amount.Count, amount.Missing, amount.Numbers.Sum, amount.Numbers.Mean, amount.Numbers.Min, amount.Numbers.Max,
	})
	if m := amount.Numbers.Median; m < 94 || m > 102 { // the first 1,000 rows have 48
		t.Errorf("the median of the sample is %v", m)
	}
	diff(t, "city", &stats.TextSummary{Top: []stats.ValueCount{
		{Value: "Rome", Count: 100_000, Share: 2. / 3}, {Value: "Oslo", Count: 50_000, Share: 1. / 3},
	}}, summary["city"].Texts)
	day := summary["day"].Times
	if day.First.Format(time.DateOnly) != "2024-01-01" || day.Last.Format(time.DateOnly) != "2024-12-25" {
		t.Errorf("days from %v to %v", day.First, day.Last)
	}
	if len(got.Queries) != 1 || got.Queries[0].Rows != n || !strings.Contains(got.Queries[0].Executed, "ORDER BY") {
		t.Errorf("queries %+v", got.Queries)
	}
	for _, part := range []string{"100,000 rows", "drawn at random from 150,000", "means and ranges are those of all rows"} {
		if !strings.Contains(got.Text, part) {
			t.Errorf("%q is not in %s", part, got.Text)
		}
	}
}

func queryRow(t *testing.T, path, text string) *sql.Row {
	t.Helper()
	host, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { host.Close() })
	return host.QueryRow(text)
}

// Up to 100,000 rows, all are analysed.
func TestAllRowsWithoutSample(t *testing.T) {
	s := newSales(t, 20_000, &sqldb.Options{})
	got, _ := s.analyse(t, byDay, stats.NewPatternTool(s.source), map[string]any{"period": "month"}, nil)
	if got.RowCount != 20_000 || got.Total != 0 || got.Truncated {
		t.Fatalf("%d of %d rows, truncated: %v", got.RowCount, got.Total, got.Truncated)
	}
	if got.Trend == nil || got.Trend.N < 10 || got.Trend.Unclear != "" {
		t.Errorf("the trend of the number of rows: %+v", got.Trend)
	}
}

// The mean of a sample is close to that of all rows. Its count is not, so there is no
// trend of it.
func TestPatternOfSample(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 150,000 rows three times")
	}
	s := newSales(t, 150_000, &sqldb.Options{})
	tool := stats.NewPatternTool(s.source)
	got, _ := s.analyse(t, byDay, tool, map[string]any{"value": "amount", "period": "month"}, nil)
	if got.Total != 150_000 || got.Trend == nil || got.Trend.Direction != stats.Rising || got.Series.Partial == "" {
		t.Errorf("the mean: total %d, %+v, %+v", got.Total, got.Trend, got.Series)
	}
	for _, aggregate := range []stats.Aggregate{stats.Sum, stats.Max} {
		got, _ = s.analyse(t, byDay, tool, map[string]any{"value": "amount", "period": "month", "aggregate": aggregate}, nil)
		if got.Trend == nil || got.Trend.Direction != stats.Unknown || len(got.Cycles) > 0 {
			t.Errorf("%s: %+v, %+v", aggregate, got.Trend, got.Cycles)
		}
	}
}

// Where all rows cannot be read, the saved ones are analysed and called the first ones.
func TestFirstRows(t *testing.T) {
	const n = 5000
	s := newSales(t, n, &sqldb.Options{})
	for _, test := range []struct {
		name    string
		sources []query.Source
		sql     string
		change  func(*finding.RowsRef)
		warns   []string
	}{
		{"no source", nil, byDay, nil, nil},
		{"another source", []query.Source{nil, renamed{s.source}}, byDay, nil, nil},
		{"no scanner", []query.Source{struct{ query.Source }{s.source}}, byDay, nil, nil},
		{"no origin", []query.Source{s.source}, byDay, func(r *finding.RowsRef) { r.Origin = "" }, nil},
		{"an invented origin", []query.Source{s.source}, byDay, func(r *finding.RowsRef) { r.Origin = "saved/x" }, nil},
		{"the rows as origin", []query.Source{s.source}, byDay, func(r *finding.RowsRef) { r.Origin = r.Handle }, nil},
		{"the query fails", []query.Source{failing{s.source}}, byDay, nil, []string{"rows_incomplete"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, events := s.analyse(t, test.sql, stats.NewAnalysisTool(test.sources...), nil, test.change)
			if got.RowCount != 1000 || !got.Truncated || got.Total != 0 || len(got.Queries) > 0 {
				t.Errorf("%d rows, truncated: %v, %d queries", got.RowCount, got.Truncated, len(got.Queries))
			}
			if d := cmp.Diff(test.warns, warnings(events)); d != "" {
				t.Error(d)
			}
		})
	}
	// A limit of the query is part of the question.
	got, _ := s.analyse(t, byDay+" LIMIT 10", stats.NewAnalysisTool(s.source), nil, nil)
	if got.RowCount != 10 || got.Truncated || len(got.Queries) > 0 {
		t.Errorf("LIMIT 10: %d rows, truncated: %v", got.RowCount, got.Truncated)
	}
	got, _ = s.analyse(t, byDay+" LIMIT 2000", stats.NewAnalysisTool(s.source), nil, nil)
	if got.RowCount != 2000 || got.Truncated {
		t.Errorf("LIMIT 2000: %d rows, truncated: %v", got.RowCount, got.Truncated)
	}
}

type renamed struct{ query.Source }

func (renamed) Name() string { return "purchases" }

// failing is a source whose database is lost when all rows are read.
type failing struct{ query.Source }

func (failing) Scan(context.Context, json.RawMessage, func([]qed.Column, []any) bool) (*query.Result, error) {
	return nil, sqldb.ErrUnavailable
}
