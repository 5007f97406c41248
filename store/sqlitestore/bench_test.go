package sqlitestore_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/sqlstore"
)

// checkpoint returns a record with a JSON string of 20 KB.
func checkpoint() store.Record {
	data := bytes.Repeat([]byte(" "), 20<<10)
	for i := range data {
		data[i] = "abcdefghijklmnopqrstuvwxyz 0123456789"[rand.IntN(37)]
	}
	data[0], data[len(data)-1] = '"', '"'
	return store.Record{Time: time.Now(), Kind: store.Checkpoint, Run: 1, Address: "sql/execute", Data: data}
}

// BenchmarkCheckpointSQLite compares an append of 20 KB with an INSERT of the
// same bytes by the bare driver into another file. x-bare is how many times longer
// the append takes.
//
// Full waits for the disk, as Open does for most records. Normal does not, as Open
// does for checkpoints, so it shows the cost of this package better.
func BenchmarkCheckpointSQLite(b *testing.B) {
	for _, synchronous := range []string{"full", "normal"} {
		b.Run(synchronous, func(b *testing.B) {
			own := pool(b, filepath.Join(b.TempDir(), "store.db"), synchronous)
			s, err := sqlstore.New(b.Context(), own, sqlstore.SQLite, nil)
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { s.Close() })
			db := pool(b, filepath.Join(b.TempDir(), "bare.db"), synchronous)
			if _, err := db.Exec("CREATE TABLE bare (id INTEGER PRIMARY KEY, data BLOB)"); err != nil {
				b.Fatal(err)
			}
			insert, err := db.Prepare("INSERT INTO bare (data) VALUES (?)")
			if err != nil {
				b.Fatal(err)
			}

			rec := checkpoint()
			after := int64(0)
			appended := func() {
				if err := s.Append(b.Context(), "3f0c2d1e-8a55-4c1b-9d0a-1b6f6f2f7a10", after, rec); err != nil {
					b.Fatal(err)
				}
				after++
			}
			bare := func() {
				if _, err := insert.ExecContext(b.Context(), []byte(rec.Data)); err != nil {
					b.Fatal(err)
				}
			}
			appended()
			bare()
			var took, ideal time.Duration
			for b.Loop() {
				start := time.Now()
				appended()
				took += time.Since(start)
				b.StopTimer()
				start = time.Now()
				bare()
				ideal += time.Since(start)
				b.StartTimer()
			}
			b.ReportMetric(float64(ideal)/float64(b.N), "bare-ns/op")
			b.ReportMetric(float64(took)/float64(ideal), "x-bare")
		})
	}
}

// BenchmarkIndexesSQLite compares an append of 20 KB with one to a file without
// the indexes on kinds and addresses. x-plain is how many times longer it takes.
func BenchmarkIndexesSQLite(b *testing.B) {
	for _, synchronous := range []string{"full", "normal"} {
		b.Run(synchronous, func(b *testing.B) {
			var stores []*sqlstore.Store
			for i := range 2 {
				db := pool(b, filepath.Join(b.TempDir(), "store.db"), synchronous)
				s, err := sqlstore.New(b.Context(), db, sqlstore.SQLite, nil)
				if err != nil {
					b.Fatal(err)
				}
				b.Cleanup(func() { s.Close() })
				if i == 1 {
					if _, err := db.Exec("DROP INDEX qed_records_kind; DROP INDEX qed_records_address"); err != nil {
						b.Fatal(err)
					}
				}
				stores = append(stores, s)
			}
			rec := checkpoint()
			var took [2]time.Duration
			after := int64(0)
			for b.Loop() {
				for n := range 2 {
					i := (n + int(after)) % 2
					start := time.Now()
					if err := stores[i].Append(b.Context(), "thread", after, rec); err != nil {
						b.Fatal(err)
					}
					took[i] += time.Since(start)
				}
				after++
			}
			b.ReportMetric(float64(took[0])/float64(b.N), "indexed-ns/op")
			b.ReportMetric(float64(took[0])/float64(took[1]), "x-plain")
		})
	}
}

// pool opens a file with the settings of Open.
func pool(b *testing.B, path, synchronous string) *sql.DB {
	b.Helper()
	db, err := sql.Open("sqlite", "file:"+path+
		"?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(wal)&_pragma=synchronous("+synchronous+")")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	return db
}

// BenchmarkThread1000SQLite makes a thread of 1,000 records of 20 KB. last/first
// is how many times longer its last hundred appends take than its first hundred.
func BenchmarkThread1000SQLite(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), "conversations.db"), nil)
	rec := checkpoint()
	var first, last time.Duration
	for n := 0; b.Loop(); n++ {
		thread := fmt.Sprint("thread ", n)
		for after := range int64(1000) {
			start := time.Now()
			if err := s.Append(b.Context(), thread, after, rec); err != nil {
				b.Fatal(err)
			}
			switch {
			case after < 100:
				first += time.Since(start)
			case after >= 900:
				last += time.Since(start)
			}
		}
	}
	b.ReportMetric(float64(last)/float64(first), "last/first")
}
