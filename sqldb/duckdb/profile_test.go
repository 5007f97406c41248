package duckdb_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/qedkit/qed/analyst/profile"
	"github.com/qedkit/qed/internal/peakmem"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
	qeddialect "github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/sqldb/duckdb"
	"github.com/qedkit/qed/sqldb/duckdb/dialect"
)

// A column of DuckDB is read by its values. The profile is the same as that of its
// rows.
func TestProfile(t *testing.T) {
	const rows = 60_000
	definition := "amount DOUBLE, label VARCHAR, day VARCHAR, mixed VARCHAR, same INTEGER, id INTEGER, code VARCHAR"
	names := []string{"amount", "label", "day", "mixed", "same", "id", "code"}
	values := func(i int) []any {
		return []any{
			[]any{nil, float64(i%400) / 4, 900.5}[min(i%40, 2-min(i%97, 1))], []any{" a", "b", "", "N/A", nil, "c"}[i%6],
			fmt.Sprintf("20%02d-02-%02d", i%30, i%28+1), []any{"12", "7.5", "x"}[min(i%3, i%50)], 3, i / 2, fmt.Sprint("code ", i%200),
		}
	}
	path := filepath.Join(t.TempDir(), "t.db")
	db, err := sql.Open("duckdb", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("CREATE TABLE t (" + definition + ")"); err != nil {
		t.Fatal(err)
	}
	const together = 2000
	row := "(" + strings.Repeat("?,", len(names)-1) + "?)"
	for i := 0; i < rows; i += together {
		var arguments []any
		for j := range together {
			arguments = append(arguments, values(i+j)...)
		}
		if _, err := db.Exec("INSERT INTO t VALUES "+strings.Repeat(row+",", together-1)+row, arguments...); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	reader := open(t, path, nil)
	byRow := struct{ qeddialect.Dialect }{dialect.Dialect{}} // without HashRow
	var profiles []*profile.Profile
	for _, d := range []qeddialect.Dialect{dialect.Dialect{}, byRow} {
		p, err := profile.Read(t.Context(), profile.Source{
			DB: reader, Dialect: d, Table: "t",
			Policy: &secureview.Policy{Dialect: "duckdb", Tables: map[string][]string{"t": names}},
		}, &profile.Options{IncludeDistribution: true})
		if err != nil {
			t.Fatal(err)
		}
		profiles = append(profiles, p)
	}
	if diff := cmp.Diff(profiles[1], profiles[0], cmpopts.EquateApprox(1e-12, 0)); diff != "" {
		t.Errorf("- by rows, + by values:\n%s", diff)
	}
	if p := profiles[0]; p.Rows != rows || p.DuplicateRows.Estimate {
		t.Errorf("%d rows, duplicates %+v", p.Rows, p.DuplicateRows)
	}
}

// What ends the reading of one column ends all.
func TestProfileEnds(t *testing.T) {
	path, _ := newShop(t)
	source := profile.Source{DB: open(t, path, nil), Dialect: dialect.Dialect{}, Table: "orders", Policy: policy}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := profile.Read(ctx, source, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context: %v", err)
	}
	_, err := profile.Read(t.Context(), source, &profile.Options{Columns: []string{"id", "amont"}})
	if _, ok := errors.AsType[*refusal.Error](err); !ok {
		t.Errorf("a wrong column: %v", err)
	}
	p, err := profile.Read(t.Context(), source, nil)
	if err != nil || p.Rows != 16 || len(p.Columns) != len(policy.Tables["orders"]) {
		t.Errorf("%+v, %v", p, err)
	}
}

// BenchmarkProfile1M profiles a table of 1,000,000 rows and 20 columns, with the
// same kinds of columns as that of package profile.
func BenchmarkProfile1M(b *testing.B) {
	const rows = 1_000_000
	path := filepath.Join(b.TempDir(), "t.duckdb")
	db, err := sql.Open("duckdb", path)
	if err != nil {
		b.Fatal(err)
	}
	var columns, names []string
	for i := range 20 {
		noise := fmt.Sprintf("hash(i, %d)", i)
		names = append(names, fmt.Sprint("c", i))
		columns = append(columns, []string{
			[]string{"i::BIGINT", "(" + noise + " % 1000)::BIGINT"}[i%2],
			"((" + noise + " % 16777216) / 100)::DOUBLE",
			fmt.Sprintf("'customer ' || (%s %% %d)", noise, 5_000+i*10_000),
			"strftime(DATE '2000-01-01' + (" + noise + " % 9000)::INTEGER, '%Y-%m-%d')",
			"CASE WHEN i % 7 > 0 THEN (" + noise + " % 1000) / 10 END",
		}[i%5]+" AS "+names[i])
	}
	_, err = db.Exec(fmt.Sprintf("CREATE TABLE t AS SELECT %s FROM range(%d) AS r(i)", strings.Join(columns, ", "), rows))
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		b.Fatal(err)
	}
	reader, err := duckdb.Open(b.Context(), path, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer reader.Close()
	source := profile.Source{DB: reader, Dialect: dialect.Dialect{}, Table: "t",
		Policy: &secureview.Policy{Dialect: "duckdb", Tables: map[string][]string{"t": names}}}
	b.ReportAllocs()
	peak := 0
	for b.Loop() {
		peak = max(peak, peakmem.Growth(b, func() {
			p, err := profile.Read(b.Context(), source, &profile.Options{IncludeDistribution: true})
			if err != nil {
				b.Fatal(err)
			}
			if p.Rows != rows {
				b.Fatal(p.Rows)
			}
		}))
	}
	b.ReportMetric(float64(peak)/(1<<20), "peak-MiB")
}
