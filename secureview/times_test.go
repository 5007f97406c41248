package secureview_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

// timesGuard returns a guard for the tables orders and staff. The columns d are
// days, ts are timestamps, and txt are texts.
func timesGuard(tb testing.TB, d dialect.Dialect) *secureview.Guard {
	tb.Helper()
	g, err := secureview.New(&secureview.Policy{
		Dialect: d.Name(), Schema: "main",
		Tables: map[string][]string{
			"orders": {"id", "d", "ts", "txt", "amount", "status", "fiscal_year", "staff_id"},
			"staff":  {"id", "name", "hired", "fired"},
		},
	}, d)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

func timesTypes(d dialect.Dialect) func(dialect.TableName, string) string {
	moment := map[string]string{
		"mysql": "datetime", "postgres": "timestamp without time zone", "sqlite": "TIMESTAMP", "duckdb": "TIMESTAMP",
	}[d.Name()]
	return func(_ dialect.TableName, column string) string {
		switch column {
		case "d", "hired", "fired":
			return "date"
		case "ts":
			return moment
		case "txt", "status", "name":
			return "text"
		}
		return "integer"
	}
}

// timesText returns times in a short form: each bound, with ? if it is not exact,
// and what else there is to say.
func timesText(t dates.Times) string {
	var parts []string
	for _, b := range t.Bounds {
		text := b.From + ".." + b.Before
		if !b.Exact {
			text += "?"
		}
		parts = append(parts, text)
	}
	slices.Sort(parts)
	if !t.Complete {
		parts = append(parts, "incomplete")
	}
	if !t.Looks {
		parts = append(parts, "looks at none")
	}
	return strings.Join(parts, " ")
}

const marchOnly = "2026-03-01..2026-04-01"

func TestTimes(t *testing.T) {
	all := []dialect.Dialect{sqlite.Dialect{}, mysql.Dialect{}, postgres.Dialect{}}
	only := func(names string) []dialect.Dialect {
		return slices.DeleteFunc(slices.Clone(all), func(d dialect.Dialect) bool { return !strings.Contains(names, d.Name()) })
	}
	where := func(c string) string { return "SELECT COUNT(*) FROM orders o WHERE " + c }
	for _, test := range []struct {
		dialects []dialect.Dialect
		sql      string
		want     string
	}{
		// Literals.
		{all, where("o.d >= '2026-03-01' AND o.d < '2026-04-01'"), marchOnly},
		{all, where("'2026-03-01' <= o.d AND '2026-04-01' > o.d AND o.status = 'paid'"), marchOnly},
		{all, where("o.d BETWEEN '2026-03-01' AND '2026-03-31'"), marchOnly},
		{all, where("o.d > '2026-02-28' AND NOT (o.d >= '2026-04-01')"), marchOnly},
		{all, where("o.d = '2026-03-05'"), "2026-03-05..2026-03-06"},
		{all, where("o.d IN ('2026-03-05', '2026-03-06', '2026-03-08')"), "2026-03-05..2026-03-07 2026-03-08..2026-03-09"},
		{all, where("o.ts BETWEEN '2026-03-01' AND '2026-03-31'"), "2026-03-01..2026-03-31 00:00:00.000001"},
		{all, where("o.ts >= '2026-03-01 00:00:00' AND o.ts < '2026-04-01 00:00:00'"), marchOnly},
		{all, where("o.txt >= '2026-03-01' AND o.txt < '2026-04-01'"), marchOnly},
		{all, where("o.txt >= '2026-03-01' AND o.txt <= '2026-03-31'"), "2026-03-01..2026-03-31 00:00:00.000001?"},
		{all, where("o.d >= '2026-03-01'"), "2026-03-01.."},
		{all, where("o.d NOT BETWEEN '2026-03-01' AND '2026-03-31'"), "..2026-03-01 2026-04-01.."},
		{only("mysql"), where("o.ts BETWEEN '2026-03-01 00:00:00' AND '2026-03-31 23:59:59'"), marchOnly},
		{only("postgres"), where("o.ts BETWEEN '2026-03-01 00:00:00' AND '2026-03-31 23:59:59'"), "2026-03-01..2026-03-31 23:59:59.000001?"},
		{only("postgres"), where("o.ts <= '2026-03-31 23:59:59.999999'"), "..2026-04-01"},
		{only("postgres"), where("o.d <= '2026-03-31 23:59:59'"), "incomplete"},
		{only("sqlite"), where("o.d >= '2026-03-01 00:00:00'"), "incomplete"},
		{only("mysql postgres"), where("o.d >= DATE '2026-03-01' AND o.ts < TIMESTAMP '2026-04-01 00:00:00'"), "..2026-04-01 2026-03-01.. incomplete"},
		{only("mysql postgres"), where("o.d >= CAST('2026-03-01' AS DATE) AND o.d < CAST('2026-04-01' AS DATE)"), marchOnly},
		{only("postgres"), where("o.d >= '2026-03-01'::date AND o.d < '2026-03-01'::date + INTERVAL '1 month'"), marchOnly},
		{only("postgres"), where("o.d >= make_date(2026, 3, 1) AND o.d < to_date('2026-04-01', 'YYYY-MM-DD')"), "incomplete"},
		{only("postgres"), where("o.d BETWEEN '2026-03-01' AND DATE '2026-04-01' - 1"), marchOnly},
		{only("mysql"), where("o.ts >= TIMESTAMP('2026-03-01', '10:00:00') AND o.ts < '2026-04-01'"), "..2026-04-01 incomplete"},
		{only("mysql"), where("o.d >= '2026-03-01' AND o.d < DATE_ADD('2026-03-01', INTERVAL 1 MONTH)"), marchOnly},
		{only("mysql"), where("o.d >= '2026-03-01' AND o.d < DATE '2026-03-01' + INTERVAL 1 MONTH"), marchOnly},
		{only("sqlite"), where("o.d >= date('2026-03-01') AND o.d < date('2026-03-01', '+1 month')"), marchOnly},

		// Functions of a column.
		{only("mysql postgres"), where("EXTRACT(YEAR FROM o.ts) = 2026 AND EXTRACT(MONTH FROM o.ts) = 3"), marchOnly},
		{only("mysql"), where("YEAR(o.ts) = 2026 AND MONTH(o.ts) IN (1, 2, 3)"), "2026-01-01..2026-04-01"},
		{only("mysql"), where("YEAR(o.ts) IN (2025, 2026) AND MONTH(o.ts) = 3"), "2025-03-01..2025-04-01 2026-03-01..2026-04-01"},
		{only("mysql"), where("MONTH(o.ts) = 3"), "incomplete"},
		{only("mysql"), where("QUARTER(o.ts) = 4 AND YEAR(o.ts) = 2025"), "2025-10-01..2026-01-01"},
		{only("mysql"), where("EXTRACT(YEAR_MONTH FROM o.ts) = 202603"), "incomplete"},
		{only("mysql"), where("DATE_FORMAT(o.ts, '%Y-%m') = '2026-03'"), marchOnly},
		{only("mysql"), where("DATE(o.ts) BETWEEN '2026-03-01' AND '2026-03-31'"), marchOnly},
		{only("postgres"), where("date_trunc('month', o.ts) = '2026-03-01'"), marchOnly},
		{only("postgres"), where("date_trunc('quarter', o.ts) = DATE '2026-01-01'"), "2026-01-01..2026-04-01"},
		{only("postgres"), where("to_char(o.ts, 'YYYY-MM') BETWEEN '2026-01' AND '2026-03'"), "2026-01-01..2026-04-01"},
		{only("postgres"), where("o.ts::date <= '2026-03-31' AND o.ts::date >= '2026-03-01'"), marchOnly},
		{only("postgres"), where("date_part('year', o.ts) = 2026"), "2026-01-01..2027-01-01"},
		{only("sqlite"), where("strftime('%Y-%m', o.txt) = '2026-03'"), marchOnly},
		{only("sqlite"), where("strftime('%Y', o.txt) = '2026' AND strftime('%m', o.txt) = '03'"), marchOnly},
		{only("sqlite"), where("CAST(strftime('%Y', o.txt) AS INTEGER) = 2026"), "2026-01-01..2027-01-01"},
		{only("sqlite"), where("strftime('%Y', o.txt) = 2026"), "incomplete"}, // a text is no number
		{only("sqlite"), where("strftime('%m', o.txt) = '3' AND o.txt >= '2026-01-01'"), "2026-01-01.. incomplete"},
		{only("sqlite"), where("substr(o.txt, 1, 7) = '2026-03'"), marchOnly},
		{only("sqlite"), where("o.txt LIKE '2026-03%'"), marchOnly},
		{only("sqlite"), where("date(o.txt, 'start of month') = '2026-03-01'"), marchOnly},
		{only("sqlite"), where("date(o.txt) BETWEEN '2026-03-01' AND '2026-03-31'"), marchOnly},
		{only("sqlite"), where("date(o.ts, 'unixepoch') = '2026-03-01'"), "incomplete"},

		// Several conditions.
		{all, where("(o.d >= '2026-03-01' AND o.d < '2026-04-01') OR o.d = '2025-03-01'"), "2025-03-01..2025-03-02 2026-03-01..2026-04-01"},
		{all, where("o.d BETWEEN '2026-03-01' AND '2026-03-31' OR o.d BETWEEN '2025-03-01' AND '2025-03-31'"),
			"2025-03-01..2025-04-01 2026-03-01..2026-04-01"},
		{all, where("o.d >= '2026-03-01' OR o.status = 'open'"), "incomplete"},
		{all, where("o.d >= '2026-03-01' AND o.d < o.ts"), "2026-03-01.. incomplete"},
		{all, where("o.d >= CURRENT_DATE"), "incomplete"},
		{all, where("o.d IS NOT NULL AND o.d = '2026-03-05'"), "2026-03-05..2026-03-06"},
		{all, where("o.d >= '2026-03-01' AND o.ts < '2026-04-01'"), "..2026-04-01 2026-03-01.. incomplete"},
		{all, "SELECT SUM(CASE WHEN o.d >= '2026-03-01' THEN o.amount ELSE 0 END), SUM(CASE WHEN o.d < '2026-03-01' THEN o.amount END) " +
			"FROM orders o WHERE o.d >= '2026-02-01' AND o.d < '2026-04-01'", "2026-02-01..2026-03-01 2026-03-01..2026-04-01"},
		{all, "SELECT CASE WHEN o.d >= '2026-03-01' THEN 'this' ELSE 'last' END AS m, COUNT(*) FROM orders o " +
			"WHERE o.d >= '2026-02-01' AND o.d < '2026-04-01' GROUP BY 1", "2026-02-01..2026-03-01 2026-03-01..2026-04-01"},
		{all, "SELECT SUM(CASE WHEN o.d < '2026-02-01' THEN 1 WHEN o.d < '2026-03-01' THEN 2 END) FROM orders o WHERE o.d >= '2026-01-01'",
			"2026-01-01.. 2026-01-01..2026-02-01 2026-02-01..2026-03-01"},
		{only("sqlite postgres"), "SELECT COUNT(*) FILTER (WHERE o.d BETWEEN '2026-03-01' AND '2026-03-31'), COUNT(*) FROM orders o", marchOnly + " incomplete"},
		{all, "SELECT s.name FROM staff s WHERE EXISTS (SELECT 1 FROM orders o WHERE o.staff_id = s.id AND o.d BETWEEN '2026-03-01' AND '2026-03-31')", marchOnly},
		{all, "SELECT s.name, COUNT(o.id) FROM staff s LEFT JOIN orders o ON o.staff_id = s.id AND o.d >= '2026-03-01' AND o.d < '2026-04-01' GROUP BY s.name", marchOnly},
		{all, "SELECT s.name, MIN(o.d) FROM staff s JOIN orders o ON o.staff_id = s.id GROUP BY s.name HAVING MIN(o.d) BETWEEN '2026-03-01' AND '2026-03-31'", marchOnly},
		{all, "WITH m AS (SELECT o.d AS day, o.amount AS a FROM orders o) SELECT SUM(m.a) FROM m WHERE m.day BETWEEN '2026-03-01' AND '2026-03-31'", marchOnly},
		{only("postgres"), "WITH m AS (SELECT date_trunc('month', o.ts) AS mon, SUM(o.amount) AS a FROM orders o GROUP BY 1) SELECT x.a, y.a FROM m x, m y " +
			"WHERE x.mon = '2026-03-01' AND y.mon = '2026-02-01'", "2026-02-01..2026-03-01 2026-03-01..2026-04-01"},
		{all, "SELECT q.n FROM (SELECT o.d AS d, o.id AS n FROM orders o WHERE o.d >= '2026-01-01' AND o.d < '2027-01-01') q WHERE q.d < '2026-02-01'",
			"2026-01-01..2026-02-01 2026-01-01..2027-01-01"},
		{all, "SELECT o.id FROM orders o WHERE o.d >= '2026-03-01' AND o.d < '2026-04-01' UNION ALL SELECT o.id FROM orders o WHERE o.d = '2026-05-01'",
			"2026-03-01..2026-04-01 2026-05-01..2026-05-02"},
		{all, "SELECT o.id FROM orders o WHERE o.d = (SELECT MAX(p.d) FROM orders p)", "incomplete"},

		// One side has all times.
		{all, "SELECT o.id FROM orders o UNION ALL SELECT o.id FROM orders o WHERE o.d = '2026-05-01'", "2026-05-01..2026-05-02 incomplete"},
		{all, "SELECT o.id FROM orders o WHERE o.id = 5 OR o.id IN (SELECT p.id FROM orders p WHERE p.d = '2026-05-01')", "2026-05-01..2026-05-02 incomplete"},
		{all, "SELECT o.id FROM orders o WHERE o.id = 5 OR EXISTS (SELECT 1 FROM orders p WHERE p.id = o.id AND p.d = '2026-05-01')", "2026-05-01..2026-05-02 incomplete"},

		// Nothing about times, and what may be.
		{all, "SELECT COUNT(*) FROM orders o", "looks at none"},
		{all, "SELECT o.id, o.d FROM orders o WHERE o.status = 'paid' AND o.amount > 5", "looks at none"},
		{all, "SELECT 'March 2026' AS label, COUNT(*) FROM orders o", "looks at none"},
		{all, where("o.fiscal_year = 2026"), "incomplete"},
		{all, where("o.status = '2026-03'"), "incomplete"},
		{all, where("o.status = 'Q1'"), "incomplete"},
		{all, "SELECT o.d, COUNT(*) FROM orders o GROUP BY o.d", ""},
		{all, "SELECT o.id FROM orders o ORDER BY o.d DESC LIMIT 1", ""},
		{all, "SELECT MAX(o.d) FROM orders o", ""},
	} {
		for _, d := range test.dialects {
			stmt, err := timesGuard(t, d).Rewrite(t.Context(), test.sql)
			if err != nil {
				t.Errorf("%s: %s\n%v", d.Name(), test.sql, err)
				continue
			}
			want := test.want
			if d.Name() == "mysql" {
				want = strings.NewReplacer("00:00:00.000001?", "00:00:00.000000001?", "00:00:00.000001", "00:00:01").Replace(want)
			}
			if d.Name() == "sqlite" {
				want = strings.Replace(want, " 00:00:00.000001", "", 1) // the text '2026-03-31' is before '2026-03-31 00:00:00'
				if strings.Contains(test.sql, "o.ts BETWEEN '2026-03-01' AND '2026-03-31'") {
					want += "?" // a column of time stamps can hold days
				}
			}
			if d.Name() == "postgres" {
				want = strings.Replace(want, "00:00:00.000001?", "00:00:00.000000001?", 1)
			}
			if got := timesText(stmt.Times(timesTypes(d))); got != want {
				t.Errorf("%s: %s\n%s", d.Name(), test.sql, cmp.Diff(want, got))
			}
		}
	}
	if got := (&secureview.Statement{}).Times(nil); len(got.Bounds) > 0 || got.Complete || got.Looks {
		t.Errorf("an empty statement has %v", got)
	}
}
