package sqlite_test

import (
	"errors"
	"testing"

	"github.com/qedkit/qed/internal/corpora"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

// FuzzRead: for any text, Read returns a *sqlast.Error or a tree that is printed
// and is read again as the same tree.
func FuzzRead(f *testing.F) {
	for _, text := range texts(corpora.Own(f)) {
		f.Add(text)
	}
	for _, text := range []string{
		"SELECT [a], `b`, \"c\", 'd'.\"e\" FROM 'f' g, (h JOIN i USING (j)) ORDER BY 1 LIMIT 2, 3",
		`WITH a(b) AS (VALUES (1), (2)) SELECT sum(b) FILTER (WHERE b) OVER (w ROWS 1 PRECEDING EXCLUDE TIES) x FROM a WINDOW w AS (ORDER BY b)`,
		`SELECT - -1_0.5e-3, ~0x1F, X'00', NOT a IS NOT DISTINCT FROM b COLLATE NOCASE || c -> d ->> e`,
		`SELECT CASE a WHEN b THEN c ELSE d END, CAST(a AS INT), (a, b) IN ((1, 2)), a IN t, a IN (), a NOT BETWEEN b AND c`,
		`SELECT a LIKE b ESCAPE c, a NOT GLOB b, true, count(DISTINCT a ORDER BY b), count(*), EXISTS (SELECT 1) -- x`,
		"SELECT a/**/b /* c */, d -- e\n FROM t NATURAL LEFT JOIN u UNION ALL SELECT * FROM v EXCEPT VALUES (1)",
		`SELECT printf('%5.2f', a), "upper"(b), current_timestamp, '''', "x""y", [é]`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var d sqlite.Dialect
		var e *sqlast.Error
		q, err := d.Read(text)
		if err != nil {
			if !errors.As(err, &e) {
				t.Errorf("Read(%q): %T %v", text, err, err)
			}
			return
		}
		printed, err := d.Append(nil, q, false)
		switch {
		case err == nil && len(printed) <= sqlast.MaxText:
			roundTrip(t, text)
		case err != nil && (!errors.As(err, &e) || e.Code != sqlast.TooDeep):
			t.Errorf("Append(%q): %T %v", text, err, err)
		}
	})
}
