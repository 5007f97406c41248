package sqlite_test

import (
	"testing"

	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

// BenchmarkReadPrintSQLite reads and prints one gold statement per operation.
func BenchmarkReadPrintSQLite(b *testing.B) {
	var d sqlite.Dialect
	var texts []string
	for _, text := range corpus(b) {
		if _, err := d.Read(text); err == nil {
			texts = append(texts, text)
		}
	}
	var dst []byte
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		q, err := d.Read(texts[i%len(texts)])
		if err != nil {
			b.Fatal(err)
		}
		if dst, err = d.Append(dst[:0], q, false); err != nil {
			b.Fatal(err)
		}
	}
}
