package profile_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/qedkit/qed/analyst/profile"
	"github.com/qedkit/qed/internal/peakmem"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/sqlitedb"
)

// table writes a SQLite database with a table t and returns its source. each row
// is called with the values to be filled in.
func table(tb testing.TB, definition string, rows int, fill func(row int, cells []any)) profile.Source {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "t.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		tb.Fatal(err)
	}
	defer db.Close()
	exec := func(err error) {
		if err != nil {
			tb.Fatal(err)
		}
	}
	var names []string
	for column := range strings.SplitSeq(definition, ",") {
		name, _, _ := strings.Cut(strings.TrimSpace(column), " ")
		names = append(names, name)
	}
	_, err = db.Exec("CREATE TABLE t (" + definition + ")")
	exec(err)
	tx, err := db.Begin()
	exec(err)
	insert, err := tx.Prepare("INSERT INTO t VALUES (" + strings.Repeat("?,", len(names)-1) + "?)")
	exec(err)
	cells := make([]any, len(names))
	for row := range rows {
		fill(row, cells)
		_, err := insert.Exec(cells...)
		exec(err)
	}
	exec(tx.Commit())
	reader, err := sqlitedb.Open(path, &sqlitedb.Options{Immutable: true, Options: sqldb.Options{}})
	exec(err)
	tb.Cleanup(func() { reader.Close() })
	return profile.Source{DB: reader, Dialect: sqlite.Dialect{}, Table: "t",
		Policy: &secureview.Policy{Dialect: "sqlite", Tables: map[string][]string{"t": names}}}
}

// BenchmarkProfile1M profiles a table of 1,000,000 rows and 20 columns. Six of them
// have about as many different values as rows.
func BenchmarkProfile1M(b *testing.B) {
	const rows = 1_000_000
	var definition []string
	for i := range 20 {
		definition = append(definition, fmt.Sprintf("c%d %s", i, []string{"INTEGER", "REAL", "TEXT", "TEXT", "REAL"}[i%5]))
	}
	source := table(b, strings.Join(definition, ", "), rows, func(row int, cells []any) {
		noise := uint64(row)*0x9e3779b97f4a7c15 ^ uint64(row)>>7
		for i := range cells {
			noise = noise*6364136223846793005 + 1442695040888963407
			switch i % 5 {
			case 0:
				cells[i] = []any{row, int(noise>>40) % 1000}[i%2]
			case 1:
				cells[i] = float64(noise>>40) / 100
			case 2:
				cells[i] = fmt.Sprintf("customer %d", noise>>33%(5_000+uint64(i)*10_000))
			case 3:
				cells[i] = fmt.Sprintf("20%02d-%02d-%02d", noise>>40%25, noise>>45%12+1, noise>>50%28+1)
			case 4:
				cells[i] = float64(noise>>50%1000) / 10
				if row%7 == 0 {
					cells[i] = nil
				}
			}
		}
	})
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
