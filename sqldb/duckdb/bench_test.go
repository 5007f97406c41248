package duckdb_test

import (
	"context"
	"database/sql"
	"testing"
)

// benchmarked are a short statement and a long one.
var benchmarked = map[string]string{
	"short": `SELECT customer, sum(amount) AS total FROM orders WHERE region = 'north' GROUP BY customer ORDER BY total DESC`,
	"long": `WITH monthly AS (SELECT date_trunc('month', day) AS month, region, sum(amount) AS total, count(*) AS n FROM orders
		WHERE day >= DATE '2024-01-01' AND status IN ('paid', 'open') GROUP BY ALL)
		SELECT month, region, total, total - lag(total) OVER (PARTITION BY region ORDER BY month) AS change,
		total / sum(total) OVER (PARTITION BY month) AS share, CASE WHEN n > 10 THEN 'many' ELSE 'few' END AS size
		FROM monthly JOIN customers c ON c.country = region WHERE total > (SELECT avg(total) FROM monthly)
		QUALIFY row_number() OVER (PARTITION BY month ORDER BY total DESC) <= 3 ORDER BY month, total DESC`,
}

// BenchmarkRewriteDuckDB measures the guard, and next to it DuckDB's own
// serialization of the same text, as a program gets it through database/sql.
func BenchmarkRewriteDuckDB(b *testing.B) {
	g := newGuard(b, policy)
	for name, query := range benchmarked {
		b.Run(name+"/guard", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := g.Rewrite(context.Background(), query); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/serialize", func(b *testing.B) {
			db, err := sql.Open("duckdb", "?threads=1")
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			stmt, err := db.Prepare("SELECT json_serialize_sql(?::VARCHAR)::VARCHAR")
			if err != nil {
				b.Fatal(err)
			}
			defer stmt.Close()
			b.ReportAllocs()
			for b.Loop() {
				var tree string
				if err := stmt.QueryRow(query).Scan(&tree); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
