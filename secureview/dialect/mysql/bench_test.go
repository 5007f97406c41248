package mysql_test

import (
	"testing"

	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
)

// BenchmarkReadPrintMySQL reads and prints one gold statement per operation.
func BenchmarkReadPrintMySQL(b *testing.B) {
	var d mysql.Dialect
	texts := readable(b)
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

// BenchmarkReread checks one printed gold statement per operation.
func BenchmarkReread(b *testing.B) {
	var d mysql.Dialect
	var printed []string
	var want [][]dialect.TableName
	for _, text := range readable(b) {
		q, err := d.Read(text)
		if err != nil {
			b.Fatal(err)
		}
		out, err := d.Append(nil, q, false)
		if err != nil {
			b.Fatal(err)
		}
		printed, want = append(printed, string(out)), append(want, tables(q))
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if err := d.Reread(printed[i%len(printed)], want[i%len(printed)]); err != nil {
			b.Fatal(err)
		}
	}
}
