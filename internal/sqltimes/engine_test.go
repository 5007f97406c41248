package sqltimes_test

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

// What is read of a condition are the rows that SQLite returns for it.
func TestEngineAgrees(t *testing.T) {
	if testing.Short() {
		t.Skip("compares thousands of conditions with SQLite")
	}
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("CREATE TABLE orders (d DATE, ts TIMESTAMP)"); err != nil {
		t.Fatal(err)
	}
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	var rows []time.Time
	for at := time.Date(2024, 11, 1, 0, 0, 0, 0, time.UTC); at.Year() < 2027; at = at.Add(8 * time.Hour) {
		rows = append(rows, at)
		if _, err := tx.Exec("INSERT INTO orders VALUES (?, ?)", day(at), at.Format(time.DateTime)); err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	g, err := secureview.New(&secureview.Policy{Schema: "main", Tables: map[string][]string{"orders": {"d", "ts"}}, RowLimit: 100_000}, sqlite.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	types := func(_ dialect.TableName, column string) string {
		return map[string]string{"d": "DATE", "ts": "TIMESTAMP"}[column]
	}
	rnd := rand.New(rand.NewPCG(5, 6))
	complete := 0
	for range 800 {
		column := []string{"d", "ts"}[rnd.IntN(2)]
		statement := "SELECT o.ts FROM orders o WHERE " + randomCondition(rnd, "o."+column, 3)
		stmt, err := g.Rewrite(t.Context(), statement)
		if err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
		times := stmt.Times(types)
		if !times.Complete || len(times.Bounds) == 0 {
			continue
		}
		complete++
		var want []string
		for _, at := range rows {
			text := at.Format("2006-01-02 15:04:05")
			if column == "d" {
				text = day(at) + " 00:00:00"
			}
			for _, b := range times.Bounds {
				if (b.From == "" || text >= moment(b.From)) && (b.Before == "" || text < moment(b.Before)) {
					want = append(want, at.Format(time.DateTime))
					break
				}
			}
		}
		if got := column1(t, db, stmt.SQL()); !slices.Equal(got, want) {
			t.Errorf("%s\nis read as %+v, with %d rows; SQLite returns %d", statement, times.Bounds, len(want), len(got))
		}
	}
	t.Logf("%d of 800 conditions were read whole", complete)
}

// moment returns a limit with a time of day.
func moment(limit string) string {
	if len(limit) == len(time.DateOnly) {
		return limit + " 00:00:00"
	}
	return limit
}

func column1(t *testing.T, db *sql.DB, query string) []string {
	t.Helper()
	rows, err := db.Query("SELECT CAST(ts AS TEXT) FROM (" + query + ")")
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	slices.Sort(all)
	return all
}

// randomCondition returns a condition on a column with dates.
func randomCondition(rnd *rand.Rand, c string, depth int) string {
	if depth > 0 && rnd.IntN(3) > 0 {
		x, y := randomCondition(rnd, c, depth-1), randomCondition(rnd, c, depth-1)
		switch rnd.IntN(5) {
		case 0:
			return "(" + x + " OR " + y + ")"
		case 1:
			return "NOT (" + x + ")"
		}
		return "(" + x + " AND " + y + ")"
	}
	at := time.Date(2025+rnd.IntN(2), time.Month(1+rnd.IntN(12)), 1+rnd.IntN(31), 0, 0, 0, 0, time.UTC)
	op := []string{"=", "<", "<=", ">", ">=", "<>"}[rnd.IntN(6)]
	literal := "'" + day(at) + "'"
	if rnd.IntN(4) == 0 {
		literal = "'" + at.Add(time.Duration(rnd.IntN(24))*time.Hour).Format("2006-01-02 15:04:05") + "'"
	}
	switch rnd.IntN(14) {
	case 0:
		return fmt.Sprintf("%s %sBETWEEN %s AND '%s'", c, []string{"", "NOT "}[rnd.IntN(2)], literal, day(at.AddDate(0, 0, rnd.IntN(90))))
	case 1:
		return fmt.Sprintf("%s %sIN (%s, '%s')", c, []string{"", "NOT "}[rnd.IntN(2)], literal, day(at.AddDate(0, 0, 1)))
	case 2:
		return fmt.Sprintf("date(%s) %s '%s'", c, op, day(at))
	case 3:
		return fmt.Sprintf("strftime('%%Y-%%m', %s) %s '%s'", c, op, at.Format("2006-01"))
	case 4:
		return fmt.Sprintf("strftime('%%m', %s) %s '%s'", c, op, at.Format("01"))
	case 5:
		return fmt.Sprintf("CAST(strftime('%%m', %s) AS INTEGER) %s %d", c, op, at.Month())
	case 6:
		return fmt.Sprintf("strftime('%%Y', %s) %s '%s'", c, op, at.Format("2006"))
	case 7:
		return fmt.Sprintf("CAST(strftime('%%Y', %s) AS INTEGER) %s %d", c, op, at.Year())
	case 8:
		return fmt.Sprintf("%s LIKE '%s%%'", c, at.Format([]string{"2006", "2006-", "2006-01", "2006-01-", "2006-01-02"}[rnd.IntN(5)]))
	case 9:
		return fmt.Sprintf("substr(%s, 1, %d) %s '%s'", c, []int{4, 7, 10}[rnd.IntN(3)], op, at.Format([]string{"2006", "2006-01", "2006-01-02"}[rnd.IntN(3)]))
	case 10:
		return fmt.Sprintf("date(%s, 'start of %s') %s '%s'", c, []string{"month", "year"}[rnd.IntN(2)], op, day(at))
	case 11:
		return fmt.Sprintf("%s %s date('%s', '%s')", c, op, day(at), []string{"+1 month", "-7 days", "start of month", "+1 year"}[rnd.IntN(4)])
	case 12:
		return fmt.Sprintf("%s %s %s", literal, strings.NewReplacer("<>", "<>", "<", ">", ">", "<").Replace(op), c)
	}
	return fmt.Sprintf("%s %s %s", c, op, literal)
}
