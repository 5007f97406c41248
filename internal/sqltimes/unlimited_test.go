package sqltimes_test

import (
	"testing"

	"github.com/qedkit/qed/dates"
)

// A value of rows of all times is not proved by a limit of another value.
func TestUnlimitedValues(t *testing.T) {
	march := dates.Period{Words: "in March", From: "2026-03-01", Before: "2026-04-01"}
	const is = "o.d >= '2026-03-01' AND o.d < '2026-04-01'"
	verdicts := comparer(t)
	for sql, want := range map[string]dates.Verdict{
		"SELECT COUNT(*) FROM staff s LEFT JOIN orders o ON o.staff_id = s.id AND " + is:                                      dates.NotChecked,
		"SELECT COUNT(s.id) FROM orders o RIGHT JOIN staff s ON o.staff_id = s.id AND " + is:                                  dates.NotChecked,
		"SELECT COUNT(o.id) FROM orders o FULL JOIN staff s ON o.staff_id = s.id AND " + is:                                   dates.NotChecked,
		"SELECT s.name, COUNT(o.id), COUNT(*) FROM staff s LEFT JOIN orders o ON o.staff_id = s.id AND " + is + " GROUP BY 1": dates.NotChecked,
		"SELECT COUNT(*) FROM (SELECT s.id FROM staff s LEFT JOIN orders o ON o.staff_id = s.id AND " + is + ") x":            dates.NotChecked,
		"SELECT s.name, SUM(o.amount) FROM staff s LEFT JOIN orders o ON o.staff_id = s.id AND " + is + " GROUP BY 1":         dates.Proved,
		"SELECT s.name, o.amount FROM staff s LEFT JOIN orders o ON o.staff_id = s.id AND " + is:                              dates.Proved,
		"SELECT COUNT(*) FROM staff s JOIN orders o ON o.staff_id = s.id AND " + is:                                           dates.Proved,
		"SELECT COUNT(*), SUM(CASE WHEN " + is + " THEN o.amount END) FROM orders o":                                          dates.NotChecked,
		"SELECT COUNT(*) FILTER (WHERE " + is + "), COUNT(o.id) FROM orders o":                                                dates.NotChecked,
		"SELECT COUNT(*) FILTER (WHERE " + is + "), SUM(CASE WHEN " + is + " THEN o.amount END) FROM orders o":                dates.Proved,
		"SELECT o.id, CASE WHEN " + is + " THEN o.amount END FROM orders o":                                                   dates.NotChecked,
		"SELECT o.staff_id, MIN(" + "o.d) >= '2026-03-01' AND MIN(o.d) < '2026-04-01', COUNT(*) FROM orders o GROUP BY 1":     dates.NotChecked,
		"SELECT o.staff_id FROM orders o GROUP BY 1 HAVING MIN(o.d) >= '2026-03-01' AND MIN(o.d) < '2026-04-01'":              dates.Proved,
		"SELECT (SELECT COUNT(*) FROM orders o WHERE " + is + ") AS n, (SELECT COUNT(*) FROM orders p) AS m":                  dates.NotChecked,
		"SELECT SUM(CASE WHEN " + is + " THEN 0 ELSE o.amount END) FROM orders o":                                             dates.NotChecked,
		"SELECT SUM(CASE WHEN " + is + " THEN 0 ELSE 1 END) FROM orders o":                                                    dates.NotChecked,
		"SELECT SUM(1 - (" + is + ")) FROM orders o":                                                                          dates.NotChecked,
		"SELECT SUM((" + is + ") IS FALSE) FROM orders o":                                                                     dates.NotChecked,
		"SELECT SUM(CASE WHEN " + is + " THEN 1 ELSE 0 END) FROM orders o":                                                    dates.Proved,
		"SELECT SUM((" + is + ") * o.amount) FROM orders o":                                                                   dates.Proved,
		"SELECT o.id FROM orders o JOIN orders p ON p.id = o.id WHERE " + is:                                                  dates.NotChecked,
		"SELECT s.name, (SELECT COUNT(*) FROM orders o WHERE o.staff_id = s.id AND " + is + ") AS n FROM staff s ORDER BY n":  dates.Proved,
		"WITH m AS (SELECT * FROM orders o WHERE " + is + ") SELECT (SELECT COUNT(*) FROM m) AS n, SUM(m.amount) AS a FROM m": dates.Proved,
	} {
		r := verdicts("sqlite", sql, march)
		if len(r) != 1 || r[0].Verdict != want {
			t.Errorf("%s: %+v, want %s", sql, r, want)
		}
	}
}
