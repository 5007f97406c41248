package sqlitedb_test

import (
	"database/sql"
	"testing"
	"time"

	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/sqlitedb"
)

// BenchmarkQuery reads 100 rows of three columns through a view with sqldb, and
// with the general driver alone. The last figure is the ratio of the two times.
func BenchmarkQuery(b *testing.B) {
	path := create(b, `CREATE TABLE employee(id INTEGER PRIMARY KEY, name TEXT, grade REAL);
		CREATE VIEW secure_employee AS SELECT id, name, grade FROM employee WHERE grade >= 0;
		INSERT INTO employee WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 5000) SELECT x, 'name ' || x, x / 10.0 FROM c;`)
	db := open(b, path, nil)
	stmt := rewrite(b, guard(b, db, 0, map[string]string{"employee": "secure_employee"}), `SELECT id, name, grade FROM employee WHERE id > 4000 ORDER BY id LIMIT 100`)
	host, err := sql.Open("sqlite", path)
	if err != nil {
		b.Fatal(err)
	}
	defer host.Close()

	guarded := func() {
		if table, err := db.Query(b.Context(), stmt); err != nil || len(table.Rows) != 100 {
			b.Fatal(err)
		}
	}
	plain := func() {
		rows, err := host.QueryContext(b.Context(), stmt.SQL())
		if err != nil {
			b.Fatal(err)
		}
		defer rows.Close()
		var all [][]any
		for rows.Next() {
			row := make([]any, 3)
			if err := rows.Scan(&row[0], &row[1], &row[2]); err != nil {
				b.Fatal(err)
			}
			all = append(all, row)
		}
		if len(all) != 100 {
			b.Fatal(rows.Err())
		}
	}
	guarded()
	plain()
	var took, ideal time.Duration
	for b.Loop() {
		start := time.Now()
		guarded()
		took += time.Since(start)
		b.StopTimer()
		start = time.Now()
		plain()
		ideal += time.Since(start)
		b.StartTimer()
	}
	b.ReportMetric(float64(took)/float64(ideal), "x-plain")
}

// BenchmarkBarrier reads one row through a view by an index, and with a condition
// that makes the guard print a barrier: SQLite then reads all rows of the view.
func BenchmarkBarrier(b *testing.B) {
	db := open(b, create(b, `CREATE TABLE employee(id INTEGER PRIMARY KEY, tenant INT, name TEXT);
		CREATE INDEX employee_name ON employee(name);
		CREATE VIEW secure_employee AS SELECT id, name FROM employee WHERE tenant = 1;
		INSERT INTO employee WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 100000)
			SELECT x, x % 2, 'name ' || x FROM c;`), nil)
	g := guard(b, db, 0, map[string]string{"employee": "secure_employee"})
	for name, text := range map[string]string{
		"without": `SELECT id FROM employee WHERE name = 'name 5001' AND id > 0`,
		"with":    `SELECT id FROM employee WHERE name = 'name 5001' AND abs(id) > 0`,
	} {
		stmt := rewrite(b, g, text)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if table, err := db.Query(b.Context(), stmt); err != nil || len(table.Rows) != 1 {
					b.Fatal(table, err)
				}
			}
		})
	}
}

// BenchmarkRecursion counts the rows of a recursion of 999,999 rows. The last figure
// is what its bound costs for each row.
func BenchmarkRecursion(b *testing.B) {
	const rows = 999_999
	path := create(b, `CREATE TABLE stop(n INTEGER PRIMARY KEY); INSERT INTO stop VALUES (999999)`)
	db := open(b, path, &sqlitedb.Options{Options: sqldb.Options{Timeout: time.Minute}})
	const text = `WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT r.i + 1 FROM r JOIN stop s ON r.i < s.n) SELECT count(*) FROM r`
	stmt := rewrite(b, guard(b, db, 0, nil), text)
	host, err := sql.Open("sqlite", path)
	if err != nil {
		b.Fatal(err)
	}
	defer host.Close()
	var bounded, free time.Duration
	for b.Loop() {
		for query, took := range map[string]*time.Duration{stmt.SQL(): &bounded, text: &free} {
			start := time.Now()
			var n int
			if err := host.QueryRowContext(b.Context(), query).Scan(&n); err != nil || n != rows {
				b.Fatal(n, err)
			}
			*took += time.Since(start)
		}
	}
	b.ReportMetric(float64((bounded-free).Nanoseconds())/float64(b.N)/rows, "ns/row-bound")
	b.ReportMetric(float64(bounded)/float64(free), "ratio")
}
