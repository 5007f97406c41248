package secureview_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

// A date without quotes is arithmetic to every engine: d >= 2026-03-01 compares
// with 2022.
func TestUnquotedDates(t *testing.T) {
	for _, d := range []dialect.Dialect{sqlite.Dialect{}, mysql.Dialect{}, postgres.Dialect{}} {
		g := timesGuard(t, d)
		for _, dated := range []string{
			"o.d >= 2026-03-01", "o.d = 2026-3-1", "o.d < 03/01/2026", "o.d < 31/12/2026", "o.d <= 2026/03/01", "o.d > 1-3-2026",
			"o.d BETWEEN 2026-03-01 AND 2026-03-31", "o.d IN (2026-03-01)", "o.d >= (2026-03-01)", "o.d >= 2026 - 03 - 01",
			"o.d >= 2026-03", "o.d - 2026-03-01 > 30", "o.d < 2026-03-01 + 7", "o.d >= 1815-06-18", "date(2026-03-01) = o.d",
			"o.d >= CAST(2026-03-01 AS CHAR)", "o.d > 26-03-01", "o.d > 01/03/26", "o.d >= 99-03-01",
		} {
			_, err := g.Rewrite(t.Context(), "SELECT o.id FROM orders o WHERE "+dated)
			p := problemOf(err)
			if p.Code != secureview.ErrUnquotedDate || !strings.Contains(p.Message, "put the date in quotes, as in '") {
				t.Errorf("%s: %s: %v", d.Name(), dated, err)
			}
		}
		for _, honest := range []string{
			"o.fiscal_year = 2026-1", "o.amount > 10-3-1", "o.amount - o.id - o.staff_id > 0", "o.amount > 1990-2000", "o.amount / 12 / 30 > 2",
			"o.fiscal_year - 2000 - 3 > 1", "o.amount > 2026-13-1", "o.amount > 2026-3.5-1", "o.amount > 2000/12", "o.amount > 100/12/2",
			"o.d = '2026-03-01'", "o.amount = 20260301", "o.amount > (2026 - o.id) - 3 - 1", "o.amount > 2026-(3-1)", "o.amount > 2026*3-1",
			"o.amount BETWEEN 2000-10 AND 2000+10", "o.amount > 365-30-12", "o.amount > 2000 - 10 - 5", "o.amount - 1950 - 12 - 20 > 0", "o.amount > 1900 - 10 - 10 - 10", "o.amount > 26-0-1",
		} {
			if _, err := g.Rewrite(t.Context(), "SELECT o.id FROM orders o WHERE "+honest); err != nil {
				t.Errorf("%s: %s: %v", d.Name(), honest, err)
			}
		}
	}
	// The message has what to write, and its position.
	_, err := timesGuard(t, sqlite.Dialect{}).Rewrite(t.Context(), "SELECT o.id\nFROM orders o WHERE o.d >= 2026-3-1")
	p := problemOf(err)
	if p.Line != 2 || p.Column != 28 || p.Name != "2026-3-1" || !strings.HasSuffix(p.Message, "as in '2026-03-01'") {
		t.Errorf("the problem is %+v", p)
	}
}

// problemOf returns the first problem of a refusal.
func problemOf(err error) refusal.Problem {
	if e, ok := errors.AsType[*refusal.Error](err); ok {
		return e.Problems[0]
	}
	return refusal.Problem{}
}
