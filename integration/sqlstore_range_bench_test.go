package integration_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"testing"
	"time"

	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/sqlstore"
)

func BenchmarkUnderPostgres(b *testing.B) {
	benchmarkUnder(b, postgresStores(b, integration.PostgreSQL(b)), sqlstore.PostgreSQL)
}

func BenchmarkUnderMariaDB(b *testing.B) {
	benchmarkUnder(b, mariaStores(b, integration.MariaDB(b)), sqlstore.MySQL)
}

// benchmarkUnder measures reading the 10 records below an address in a thread of
// n records.
func benchmarkUnder(b *testing.B, pool func(string) *sql.DB, d sqlstore.Dialect) {
	s, err := sqlstore.New(b.Context(), pool(""), d, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	for _, n := range []int{100, 100_000} {
		b.Run(fmt.Sprintf("records=%d", n), func(b *testing.B) {
			thread := fmt.Sprint(n, " records")
			if err := s.Delete(b.Context(), thread); err != nil {
				b.Fatal(err)
			}
			recs := make([]store.Record, n)
			for i := range recs {
				recs[i] = store.Record{Kind: store.Checkpoint, Address: fmt.Sprint("planner/", i%50), Data: []byte(`1`)}
				if i%(n/10) == 0 {
					recs[i].Address = fmt.Sprint("@plan/1/", i)
				}
			}
			if err := s.Append(b.Context(), thread, 0, recs...); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				found := 0
				for _, err := range s.Records(b.Context(), thread, store.Range{Under: "@plan/1"}) {
					if err != nil {
						b.Fatal(err)
					}
					found++
				}
				if found != 10 {
					b.Fatal(found)
				}
			}
		})
	}
}

// BenchmarkIndexesPostgres compares an append of 20 KB with one to tables without
// the indexes on kinds and addresses. x-plain is how many times longer it takes.
func BenchmarkIndexesPostgres(b *testing.B) {
	var stores []*sqlstore.Store
	for i := range 2 {
		db := postgresStores(b, integration.PostgreSQL(b))("")
		s, err := sqlstore.New(b.Context(), db, sqlstore.PostgreSQL, nil)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { s.Close() })
		if i == 1 {
			mustExec(b, db, "DROP INDEX qed_records_kind, qed_records_address")
		}
		stores = append(stores, s)
	}
	data := bytes.Repeat([]byte("abcdefgh "), 20<<10/9)
	data[0], data[len(data)-1] = '"', '"'
	rec := store.Record{Time: time.Now(), Kind: store.Checkpoint, Run: 1, Address: "planner/sql", Data: data}
	var took [2]time.Duration
	after := int64(0)
	for b.Loop() {
		for i, s := range stores {
			start := time.Now()
			if err := s.Append(b.Context(), "thread", after, rec); err != nil {
				b.Fatal(err)
			}
			took[i] += time.Since(start)
		}
		after++
	}
	b.ReportMetric(float64(took[0])/float64(b.N), "indexed-ns/op")
	b.ReportMetric(float64(took[0])/float64(took[1]), "x-plain")
}
