package sqltimes_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

// A span is the days of a period.
type span struct{ from, before time.Time }

func (s span) period() dates.Period {
	return dates.Period{Words: "then", From: day(s.from), Before: day(s.before)}
}

func day(t time.Time) string { return t.Format(time.DateOnly) }

// A form writes a condition on a column for a period. Some forms only fit whole
// months or years, or columns of one kind.
type form struct {
	name     string
	dialects string // empty: all
	fits     func(s span) bool
	days     bool // only for columns of days
	write    func(c string, s span) string
}

func isMonth(s span) bool { return s.from.Day() == 1 && s.from.AddDate(0, 1, 0).Equal(s.before) }
func isYear(s span) bool  { return s.from.YearDay() == 1 && s.from.AddDate(1, 0, 0).Equal(s.before) }

var forms = []form{
	{name: "half open", write: func(c string, s span) string {
		return fmt.Sprintf("%s >= '%s' AND %s < '%s'", c, day(s.from), c, day(s.before))
	}},
	{name: "turned", write: func(c string, s span) string {
		return fmt.Sprintf("'%s' <= %s AND NOT (%s >= '%s')", day(s.from), c, c, day(s.before))
	}},
	{name: "between", days: true, write: func(c string, s span) string {
		return fmt.Sprintf("%s BETWEEN '%s' AND '%s'", c, day(s.from), day(s.before.AddDate(0, 0, -1)))
	}},
	{name: "days", days: true, write: func(c string, s span) string {
		return fmt.Sprintf("%s > '%s' AND %s <= '%s'", c, day(s.from.AddDate(0, 0, -1)), c, day(s.before.AddDate(0, 0, -1)))
	}},
	{name: "date()", write: func(c string, s span) string {
		return fmt.Sprintf("DATE(%s) BETWEEN '%s' AND '%s'", c, day(s.from), day(s.before.AddDate(0, 0, -1)))
	}},
	{name: "literals", dialects: "mysql postgres", write: func(c string, s span) string {
		return fmt.Sprintf("%s >= DATE '%s' AND %s < DATE '%s'", c, day(s.from), c, day(s.before))
	}},
	{name: "casts", dialects: "mysql postgres", write: func(c string, s span) string {
		return fmt.Sprintf("CAST(%s AS DATE) >= CAST('%s' AS DATE) AND CAST(%s AS DATE) <= CAST('%s' AS DATE)",
			c, day(s.from), c, day(s.before.AddDate(0, 0, -1)))
	}},
	{name: "interval", dialects: "postgres", fits: isMonth, write: func(c string, s span) string {
		return fmt.Sprintf("%s >= '%s' AND %s < DATE '%s' + INTERVAL '1 month'", c, day(s.from), c, day(s.from))
	}},
	{name: "date_add", dialects: "mysql", fits: isMonth, write: func(c string, s span) string {
		return fmt.Sprintf("%s >= '%s' AND %s < DATE_ADD('%s', INTERVAL 1 MONTH)", c, day(s.from), c, day(s.from))
	}},
	{name: "modifier", dialects: "sqlite", fits: isMonth, write: func(c string, s span) string {
		return fmt.Sprintf("%s >= '%s' AND %s < date('%s', '+1 month')", c, day(s.from), c, day(s.from))
	}},
	{name: "strftime", dialects: "sqlite", fits: isMonth, write: func(c string, s span) string {
		return fmt.Sprintf("strftime('%%Y-%%m', %s) = '%s'", c, s.from.Format("2006-01"))
	}},
	{name: "substr", dialects: "sqlite", fits: isMonth, write: func(c string, s span) string {
		return fmt.Sprintf("substr(%s, 1, 7) = '%s'", c, s.from.Format("2006-01"))
	}},
	{name: "like", dialects: "sqlite", fits: isMonth, write: func(c string, s span) string {
		return fmt.Sprintf("%s LIKE '%s%%'", c, s.from.Format("2006-01"))
	}},
	{name: "date_format", dialects: "mysql", fits: isMonth, write: func(c string, s span) string {
		return fmt.Sprintf("DATE_FORMAT(%s, '%%Y-%%m') = '%s'", c, s.from.Format("2006-01"))
	}},
	{name: "to_char", dialects: "postgres", fits: isMonth, write: func(c string, s span) string {
		return fmt.Sprintf("to_char(%s, 'YYYY-MM') = '%s'", c, s.from.Format("2006-01"))
	}},
	{name: "date_trunc", dialects: "postgres", fits: isMonth, write: func(c string, s span) string {
		return fmt.Sprintf("date_trunc('month', %s) = '%s'", c, day(s.from))
	}},
	{name: "year and month", dialects: "mysql", fits: isMonth, write: func(c string, s span) string {
		return fmt.Sprintf("YEAR(%s) = %d AND MONTH(%s) = %d", c, s.from.Year(), c, s.from.Month())
	}},
	{name: "extract month", dialects: "mysql postgres", fits: isMonth, write: func(c string, s span) string {
		return fmt.Sprintf("EXTRACT(YEAR FROM %s) = %d AND EXTRACT(MONTH FROM %s) IN (%d)", c, s.from.Year(), c, s.from.Month())
	}},
	{name: "extract year", dialects: "mysql postgres", fits: isYear, write: func(c string, s span) string {
		return fmt.Sprintf("EXTRACT(YEAR FROM %s) = %d", c, s.from.Year())
	}},
	{name: "year text", dialects: "sqlite", fits: isYear, write: func(c string, s span) string {
		return fmt.Sprintf("CAST(strftime('%%Y', %s) AS INTEGER) = %d", c, s.from.Year())
	}},
}

// statements are how a condition, as %s, can be part of a statement.
var statements = []string{
	"SELECT COUNT(*) FROM orders o WHERE %s",
	"SELECT SUM(o.amount) FROM orders o WHERE o.status = 'paid' AND (%s)",
	"SELECT o.status, SUM(CASE WHEN %s THEN o.amount ELSE 0 END) FROM orders o GROUP BY o.status",
	"SELECT s.name FROM staff s WHERE EXISTS (SELECT 1 FROM orders o WHERE o.staff_id = s.id AND %s)",
	"SELECT s.name, COUNT(o.id) FROM staff s LEFT JOIN orders o ON o.staff_id = s.id AND %s GROUP BY s.name",
	"WITH x AS (SELECT o.amount AS a FROM orders o WHERE %s) SELECT SUM(x.a) FROM x",
	"SELECT o.amount FROM orders o WHERE %s ORDER BY o.amount DESC LIMIT 5",
}

// randomSpan returns a month, quarter, year, week, day, or any days.
func randomSpan(rnd *rand.Rand) span {
	from := time.Date(2018+rnd.IntN(8), time.Month(1+rnd.IntN(12)), 1+rnd.IntN(28), 0, 0, 0, 0, time.UTC)
	first := time.Date(from.Year(), from.Month(), 1, 0, 0, 0, 0, time.UTC)
	switch rnd.IntN(8) {
	case 0, 1, 2:
		return span{first, first.AddDate(0, 1, 0)}
	case 3:
		return span{first, first.AddDate(0, 3, 0)}
	case 4:
		y := time.Date(from.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
		return span{y, y.AddDate(1, 0, 0)}
	case 5:
		return span{from, from.AddDate(0, 0, 7)}
	case 6:
		return span{from, from.AddDate(0, 0, 1)}
	}
	return span{from, from.AddDate(0, 0, 2+rnd.IntN(200))}
}

// wrongSpan returns other days than s.
func wrongSpan(rnd *rand.Rand, s span) span {
	move := func(t time.Time) time.Time { return t.AddDate(0, 0, []int{-31, -7, -2, -1, 1, 2, 7, 31}[rnd.IntN(8)]) }
	for {
		w := s
		switch rnd.IntN(4) {
		case 0:
			w.from = move(w.from)
		case 1:
			w.before = move(w.before)
		case 2:
			w = span{s.from.AddDate(0, 1, 0), s.before.AddDate(0, 1, 0)}
		case 3:
			w = span{s.from.AddDate(1, 0, 0), s.before.AddDate(1, 0, 0)}
		}
		if w.from.Before(w.before) && w != s {
			return w
		}
	}
}

// comparer returns a function that compares periods with a statement on the tables
// orders and staff.
func comparer(t *testing.T) func(dialectName, sql string, periods ...dates.Period) []dates.Reading {
	t.Helper()
	facts, err := dates.New(time.Date(2027, 3, 31, 12, 0, 0, 0, time.UTC), dates.Calendar{}, "How many?")
	if err != nil {
		t.Fatal(err)
	}
	guards := map[string]*secureview.Guard{}
	for _, d := range []dialect.Dialect{sqlite.Dialect{}, mysql.Dialect{}, postgres.Dialect{}} {
		g, err := secureview.New(&secureview.Policy{Dialect: d.Name(), Schema: "main", Tables: map[string][]string{
			"orders": {"id", "d", "ts", "txt", "amount", "status", "staff_id"}, "staff": {"id", "name"},
		}}, d)
		if err != nil {
			t.Fatal(err)
		}
		guards[d.Name()] = g
	}
	types := map[string]string{"d": "date", "ts": "timestamp", "txt": "text", "status": "text", "name": "text", "amount": "integer"}
	return func(dialectName, sql string, periods ...dates.Period) []dates.Reading {
		stmt, err := guards[dialectName].Rewrite(t.Context(), sql)
		if err != nil {
			t.Fatalf("%s: %s: %v", dialectName, sql, err)
		}
		times := stmt.Times(func(_ dialect.TableName, column string) string { return types[column] })
		return facts.Compare(periods, times.Bounds, times.Complete)
	}
}

// Two periods can be read by one range, by two conditions, or by CASE.
func TestGeneratedPairs(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	verdicts := comparer(t)
	halfOpen := forms[0].write
	pairs := []struct {
		adjacent bool
		write    func(c string, a, b span) string
	}{
		{true, func(c string, a, b span) string {
			return "SELECT strftime('%Y-%m', " + c + ") AS m, SUM(o.amount) FROM orders o WHERE " + halfOpen(c, span{a.from, b.before}) + " GROUP BY 1"
		}},
		{true, func(c string, a, b span) string {
			return "SELECT CASE WHEN " + c + " >= '" + day(b.from) + "' THEN 'this' ELSE 'last' END AS p, COUNT(*) FROM orders o WHERE " +
				halfOpen(c, span{a.from, b.before}) + " GROUP BY 1"
		}},
		{false, func(c string, a, b span) string {
			return "SELECT SUM(CASE WHEN " + halfOpen(c, a) + " THEN o.amount END), SUM(CASE WHEN " + halfOpen(c, b) + " THEN o.amount ELSE 0 END) FROM orders o"
		}},
		{false, func(c string, a, b span) string {
			return "SELECT SUM(CASE WHEN " + halfOpen(c, a) + " THEN 1 WHEN " + halfOpen(c, b) + " THEN 0 END) FROM orders o WHERE " + halfOpen(c, span{a.from, b.before})
		}},
		{false, func(c string, a, b span) string {
			return "SELECT COUNT(*) FROM orders o WHERE " + halfOpen(c, a) + " UNION ALL SELECT COUNT(*) FROM orders o WHERE " + halfOpen(c, b)
		}},
		{false, func(c string, a, b span) string {
			return "SELECT o.id FROM orders o WHERE (" + halfOpen(c, a) + ") OR (" + halfOpen(c, b) + ")"
		}},
		{false, func(c string, a, b span) string {
			return "WITH x AS (SELECT COUNT(*) AS n FROM orders o WHERE " + halfOpen(c, a) + "), y AS (SELECT COUNT(*) AS n FROM orders o WHERE " +
				halfOpen(c, b) + ") SELECT y.n - x.n AS more FROM x, y"
		}},
		{false, func(c string, a, b span) string {
			return "SELECT COUNT(*) FILTER (WHERE " + halfOpen(c, a) + ") AS n, COUNT(*) FILTER (WHERE " + halfOpen(c, b) + ") AS m FROM orders o"
		}},
	}
	count := map[string]int{}
	for range 2000 {
		a := randomSpan(rnd)
		b := span{a.before, a.before.AddDate(0, 0, 1+rnd.IntN(60))}
		pair := pairs[rnd.IntN(len(pairs))]
		if gap := rnd.IntN(300); gap > 0 && !pair.adjacent {
			b = span{b.from.AddDate(0, 0, gap), b.before.AddDate(0, 0, gap)}
		}
		c := []string{"o.d", "o.ts", "o.txt"}[rnd.IntN(3)]
		sql := pair.write(c, a, b)
		for _, r := range verdicts("sqlite", sql, a.period(), b.period()) {
			count["right "+string(r.Verdict)]++
			if r.Verdict != dates.Proved {
				t.Errorf("right, %s: %s\n%+v", r.Verdict, sql, r)
			}
		}
		w := wrongSpan(rnd, b)
		if pair.adjacent {
			w = span{b.from, b.before.AddDate(0, 0, 1+rnd.IntN(40))}
		} else if w.from.Before(a.before) {
			continue // CASE and OR read no day twice
		}
		sql = pair.write(c, a, w)
		r := verdicts("sqlite", sql, a.period(), b.period())[1]
		count["wrong "+string(r.Verdict)]++
		if r.Verdict == dates.Proved {
			t.Errorf("wrong, proved: %s for %+v", sql, b.period())
		}
	}
	t.Log(count)
}

// A right statement is never called wrong, and a wrong one is never proved, in any
// spelling.
func TestGeneratedPeriods(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	verdicts := comparer(t)
	all := []dialect.Dialect{sqlite.Dialect{}, mysql.Dialect{}, postgres.Dialect{}}
	right, wrong := map[dates.Verdict]int{}, map[dates.Verdict]int{}
	spans := 6000
	if testing.Short() {
		spans = 600
	}
	for range spans {
		d := all[rnd.IntN(len(all)-rnd.IntN(2))].Name() // PostgreSQL's parser is slow here: fewer of it
		s := randomSpan(rnd)
		f := forms[rnd.IntN(len(forms))]
		columns := []string{"o.d", "o.ts", "o.txt"}
		if d == "postgres" {
			columns = columns[:2]
		}
		c := columns[rnd.IntN(len(columns))]
		if f.days {
			c = "o.d"
		}
		if f.dialects != "" && !strings.Contains(f.dialects, d) || f.fits != nil && !f.fits(s) {
			continue
		}
		frame := statements[rnd.IntN(len(statements))]
		sql := fmt.Sprintf(frame, f.write(c, s))
		for _, r := range verdicts(d, sql, s.period()) {
			right[r.Verdict]++
			if r.Verdict == dates.Contradicted {
				t.Errorf("right, called wrong: %s: %s\n%+v", d, sql, r)
			} else if r.Verdict == dates.NotChecked && (c != "o.txt" || f.name == "half open") {
				t.Errorf("right, not checked: %s: %s", d, sql)
			}
		}
		w := wrongSpan(rnd, s)
		if f.fits != nil && !f.fits(w) {
			continue
		}
		sql = fmt.Sprintf(frame, f.write(c, w))
		for _, r := range verdicts(d, sql, s.period()) {
			wrong[r.Verdict]++
			if r.Verdict == dates.Proved {
				t.Errorf("wrong, proved: %s: %s for %+v", d, sql, s.period())
			}
		}
	}
	t.Logf("right: %v; wrong: %v", right, wrong)
	if share := float64(wrong[dates.Contradicted]) / float64(wrong[dates.Contradicted]+wrong[dates.NotChecked]); share < 0.5 {
		t.Errorf("only %.2f of the wrong statements are noticed", share)
	}
}
