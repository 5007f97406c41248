package values_test

import (
	"database/sql"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqlagent/values"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/sqlitedb"
)

// BenchmarkMillion reads a million names in ten columns from a database, and from a
// file, and makes the index of their words. heap-MB is what the dictionary takes.
func BenchmarkMillion(b *testing.B) {
	const perColumn = 100_000
	path := filepath.Join(b.TempDir(), "names.db")
	host, err := sql.Open("sqlite", path)
	if err != nil {
		b.Fatal(err)
	}
	defer host.Close()
	columns := make([]string, 10)
	for i := range columns {
		columns[i] = "n" + strconv.Itoa(i)
	}
	if _, err := host.Exec("CREATE TABLE t(" + strings.Join(columns, " TEXT, ") + " TEXT)"); err != nil {
		b.Fatal(err)
	}
	tx, err := host.Begin()
	if err != nil {
		b.Fatal(err)
	}
	insert, err := tx.Prepare("INSERT INTO t VALUES (" + strings.TrimSuffix(strings.Repeat("?,", len(columns)), ",") + ")")
	if err != nil {
		b.Fatal(err)
	}
	name := names()
	for range perColumn {
		row := make([]any, len(columns))
		for i := range row {
			row[i] = name()
		}
		if _, err := insert.Exec(row...); err != nil {
			b.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		b.Fatal(err)
	}
	db, err := sqlitedb.Open(path, &sqlitedb.Options{Options: sqldb.Options{MaxRows: perColumn + 1, MaxBytes: 256 << 20}})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	schema, err := db.Introspect(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	guard, err := secureview.New(&secureview.Policy{
		Dialect: "sqlite", Tables: map[string][]string{"t": columns}, RowLimit: perColumn + 1,
	}, sqlite.Dialect{})
	if err != nil {
		b.Fatal(err)
	}
	reader, err := values.NewReader(db, guard, schema, &values.Options{MaxValues: perColumn, MaxBytes: 256 << 20})
	if err != nil {
		b.Fatal(err)
	}
	file := filepath.Join(b.TempDir(), "values")
	measure := func(name string, open func() (*values.Dictionary, error)) {
		b.Run(name, func(b *testing.B) {
			var before, after runtime.MemStats
			for b.Loop() {
				runtime.GC()
				runtime.ReadMemStats(&before)
				d, err := open()
				if err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				runtime.GC()
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "heap-MB")
				if n := len(d.Columns()[9].Values); n < perColumn*9/10 {
					b.Fatal(n, d.Problems())
				}
				if name == "Read" {
					if err := d.Save(file); err != nil {
						b.Fatal(err)
					}
				}
				b.StartTimer()
				runtime.KeepAlive(d)
			}
		})
	}
	measure("Read", func() (*values.Dictionary, error) { return reader.Read(b.Context(), nil, 0) })
	measure("Load", func() (*values.Dictionary, error) { return values.Load(file) })
	d, err := values.Load(file)
	if err != nil {
		b.Fatal(err)
	}
	for length, question := range map[string]string{
		"short": "How many actve orders are there?",
		"long": "Show me the number of work orders per month and customer for the last year that were actve or compelted in " +
			"Muenchen, New York, Badebergstadt and Kolumaneverung, sorted by the revenue of the largest customers in descending order",
	} {
		b.Run("Search/"+length, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := d.Search(b.Context(), values.Query{Text: question}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// names returns a function that makes names of one to three words.
func names() func() string {
	syllables := strings.Fields("ba be bi bo bu da de di do du ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu ra re ri ro ru sa se si so su ta te ti to tu ver ger ung lich stadt berg hausen")
	r := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		var w strings.Builder
		for range 2 + r.IntN(3) {
			w.WriteString(syllables[r.IntN(len(syllables))])
		}
		return w.String()
	}
	return func() string {
		v := word()
		for range r.IntN(3) {
			v += " " + word()
		}
		if r.IntN(4) == 0 {
			v += " GmbH"
		}
		return v
	}
}
