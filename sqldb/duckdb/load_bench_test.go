//go:build unix

package duckdb_test

import (
	"flag"
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/qedkit/qed/internal/peakmem"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/duckdb"
)

var benchRows = flag.Int("rows", 350_000, "number of rows of BenchmarkLoad50MB")

// BenchmarkLoad50MB loads rows of 20 columns.
func BenchmarkLoad50MB(b *testing.B) {
	var text strings.Builder
	for row := range *benchRows + 1 {
		for i := range 20 {
			switch {
			case row == 0:
				fmt.Fprintf(&text, "c%d", i)
			case i%5 == 0:
				fmt.Fprint(&text, row*i)
			case i%5 == 1:
				fmt.Fprintf(&text, "%d.%02d", row%977, (row+i)%100)
			case i%5 == 2:
				fmt.Fprintf(&text, "customer %d", row%5000)
			case i%5 == 3:
				fmt.Fprintf(&text, "2024-%02d-%02d", row%12+1, row%28+1)
			default:
				text.WriteString([]string{"true", "false", ""}[row%3])
			}
			text.WriteByte(",\n"[i/19])
		}
	}
	files := []duckdb.File{{Path: write(b, "x.csv", text.String())}}
	b.SetBytes(int64(text.Len()))
	var before, after syscall.Rusage
	used, peak := time.Duration(0), 0
	for b.Loop() {
		runtime.GC()
		syscall.Getrusage(syscall.RUSAGE_SELF, &before)
		var db *sqldb.DB
		peak = max(peak, peakmem.Growth(b, func() {
			var err error
			if db, _, err = duckdb.Load(b.Context(), files, nil); err != nil {
				b.Fatal(err)
			}
		}))
		syscall.Getrusage(syscall.RUSAGE_SELF, &after)
		used += time.Duration(after.Utime.Nano() - before.Utime.Nano() + after.Stime.Nano() - before.Stime.Nano())
		db.Close()
	}
	b.ReportMetric(float64(peak)/(1<<20), "peak-MiB")
	b.ReportMetric(used.Seconds()/float64(b.N), "cpu-s/op")
}
