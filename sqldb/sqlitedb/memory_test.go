package sqlitedb_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/qedkit/qed/internal/peakmem"
	"github.com/qedkit/qed/sqldb"
)

// Whatever a statement selects, the memory of the host grows by less than 64 MB and
// Options.MaxBytes: with few values that are large, and with many smaller ones.
func TestRowsOfMegabytes(t *testing.T) {
	if testing.Short() {
		t.Skip("runs statements that return rows of megabytes")
	}
	for _, test := range []struct{ bytes, columns int }{{900_000, 1900}, {900_000, 28}, {300_000, 60}, {60_000, 300}, {15_000, 1900}} {
		t.Run(fmt.Sprint(test.columns, " of ", test.bytes), func(t *testing.T) { testRows(t, test.bytes, test.columns) })
	}
}

func testRows(t *testing.T, bytes, columns int) {
	db := open(t, create(t, fmt.Sprintf(`
		CREATE TABLE doc(id INTEGER PRIMARY KEY, a TEXT, b TEXT, c BLOB);
		CREATE VIEW secure_doc AS SELECT id, a, b, c FROM doc WHERE id < 100;
		INSERT INTO doc VALUES (1, replace(hex(zeroblob(%d)), '0', 'a'), replace(hex(zeroblob(%d)), '0', 'b'), randomblob(900));
		INSERT INTO doc SELECT column1, a, b, c FROM doc JOIN (VALUES (2), (3), (4), (5), (6), (7), (8), (9));`,
		bytes*3/8, bytes/8)), nil)
	g := guard(t, db, 0, map[string]string{"doc": "secure_doc"})
	list := func(n int, separator, text string) string {
		items := make([]string, min(n, columns))
		for i := range items {
			items[i] = strings.ReplaceAll(text, "#", fmt.Sprint(i))
		}
		return strings.Join(items, separator)
	}
	items := func(n int, text string) string { return list(n, ", ", text) }
	for name, text := range map[string]string{
		"a column often":             "SELECT " + items(700, "a AS a#") + " FROM doc",
		"columns in turns":           "SELECT " + items(350, "a AS a#, b AS b#") + " FROM doc",
		"calls":                      "SELECT " + items(400, "upper(a) AS a#") + " FROM doc",
		"concatenations":             "SELECT " + items(450, "a || # AS a#") + " FROM doc",
		"aggregates":                 "SELECT " + items(350, "max(a || #) AS a#") + " FROM doc",
		"aggregates of a list":       "SELECT " + items(300, "group_concat(a) AS a#") + " FROM doc GROUP BY id",
		"columns of a derived table": "SELECT " + items(600, "d.x AS a#") + " FROM (SELECT upper(a) AS x FROM doc LIMIT 3) AS d",
		"derived tables": "SELECT " + list(90, " + ", "length(d.a#)") + " AS n FROM (SELECT " + items(90, "upper(a) AS a#") +
			" FROM doc LIMIT 3) AS d",
		"levels": "WITH p AS (SELECT " + items(100, "upper(a) AS a#") + " FROM doc LIMIT 3), q AS (SELECT " + items(100, "a# AS b#") +
			" FROM p LIMIT 3), r AS (SELECT " + items(100, "b# AS c#") + " FROM q LIMIT 3) SELECT " + items(100, "lower(c#) AS d#") + " FROM r",
		"groups":     "SELECT count(*) AS n FROM doc GROUP BY " + items(450, "upper(a) || #"),
		"an order":   "SELECT id FROM doc ORDER BY " + items(450, "upper(a) || #"),
		"subqueries": "SELECT " + items(140, "(SELECT upper(a) FROM doc WHERE id = #) AS a#") + " FROM doc",
		"windows":    "SELECT " + items(190, "max(a || #) OVER (ORDER BY id) AS a#") + " FROM doc",
		"sets":       "SELECT " + items(190, "upper(a) AS a#") + " FROM doc UNION SELECT " + items(190, "lower(a) AS b#") + " FROM doc",
		"conditions": "SELECT id FROM doc WHERE " + list(220, " OR ", "replace(a, 'a', '#') = 'x'"),
		"all rows":   "SELECT * FROM doc AS x JOIN doc AS y",
	} {
		stmt, err := g.Rewrite(t.Context(), text)
		if err != nil { // refused before it runs
			t.Log(name, err)
			continue
		}
		// On a busy machine the collector of garbage comes late, so the query has up to four tries.
		const limit = 64<<20 + 4<<20
		grown := limit
		for run := 0; run < 4 && grown >= limit; run++ {
			grown = peakmem.Growth(t, func() { _, err = db.Query(t.Context(), stmt) })
		}
		if grown >= limit {
			t.Errorf("%s: the memory grows by %d MB: %v", name, grown>>20, err)
		}
		t.Logf("%s: %d MB, %v", name, grown>>20, err)
		var e *sqldb.Error
		if err != nil && (!errors.As(err, &e) || e.Kind != sqldb.ErrTooLarge) {
			t.Errorf("%s: %v", name, err)
		}
	}
	table, err := db.Query(t.Context(), rewrite(t, g, `SELECT * FROM doc WHERE a LIKE 'aaa%' AND id = 1 ORDER BY b`))
	if err != nil || len(table.Rows) != 1 {
		t.Errorf("a large row: %v, %v", table, err)
	}
}
