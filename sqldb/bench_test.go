package sqldb

import (
	"context"
	"database/sql"
	"testing"

	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

// The cost of DB.Query compared with database/sql alone, with a driver that
// answers at once.
func BenchmarkQuery(b *testing.B) {
	s := &server{columns: []string{"a"}, rows: numbers(10)}
	b.Run("guarded", func(b *testing.B) {
		db := serve(b, plain{engine{"sqlite"}}, nil, s)
		benchmarkQuery(b, db)
	})
	b.Run("replicas", func(b *testing.B) {
		db := serve(b, plain{engine{"sqlite"}}, nil, s, s, s)
		benchmarkQuery(b, db)
	})
	b.Run("bare", func(b *testing.B) {
		pool := sql.OpenDB(s)
		defer pool.Close()
		text := statement(b, sqlite.Dialect{}, "SELECT a FROM t").SQL()
		b.ReportAllocs()
		for b.Loop() {
			rows, err := pool.QueryContext(b.Context(), text)
			if err != nil {
				b.Fatal(err)
			}
			for rows.Next() {
				var cell any
				if err := rows.Scan(&cell); err != nil {
					b.Fatal(err)
				}
			}
			rows.Close()
		}
	})
}

// plain is an engine whose Admit does nothing.
type plain struct{ engine }

func (plain) Admit(context.Context, *sql.Conn, *Query) (func(context.Context) error, error) {
	return func(context.Context) error { return nil }, nil
}

func benchmarkQuery(b *testing.B, db *DB) {
	stmt := statement(b, sqlite.Dialect{}, "SELECT a FROM t")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := db.Query(b.Context(), stmt); err != nil {
			b.Fatal(err)
		}
	}
}
