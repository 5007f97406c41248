package sqlast

import (
	"slices"
	"strconv"

	"github.com/qedkit/qed/internal/ascii"
)

// MaxRecursion is the maximum number of rows that a statement may read from a
// recursion whose end only stored data decides.
const MaxRecursion = 1_000_000

// EndlessRecursion is in the engine's error for a statement that reads more.
const EndlessRecursion = "a recursion makes more than 1000000 rows, as if the data formed a cycle: " +
	"write UNION instead of UNION ALL, or count the steps and stop"

// bounded prints a reference to a recursive common table expression so that the
// statement fails at the first row above MaxRecursion:
//
//	(SELECT columns FROM (SELECT columns, row_number() OVER () AS row FROM r) AS r
//	WHERE CASE WHEN row > MaxRecursion THEN failure ELSE TRUE END LIMIT ..) AS r
//
// Without the LIMIT, which is never reached, an engine could evaluate conditions of
// the statement first, and the failure only for rows that they select.
func (p *printer) bounded(t *Table) {
	name := t.CTE.Name
	row := "row"
	for slices.ContainsFunc(t.CTEColumns, func(s string) bool { return ascii.EqualFold(s, row) }) {
		row += "_"
	}
	columns := func() {
		for _, column := range t.CTEColumns {
			p.qualifier("", name)
			p.name(column)
			p.text(", ")
		}
	}
	p.open()
	p.text("SELECT ")
	columns()
	p.dst = p.dst[:len(p.dst)-len(", ")]
	p.text(" FROM ")
	p.open()
	p.text("SELECT ")
	columns()
	p.call(&Call{Name: "row_number", Over: &Window{}})
	p.alias(row, "")
	p.text(" FROM ")
	p.name(name)
	p.close()
	p.alias(name, "")
	p.text(" WHERE CASE WHEN ")
	number := &Column{Table: name, Name: row}
	p.expr(number)
	p.text(" > " + strconv.Itoa(MaxRecursion) + " THEN ")
	p.expr(p.Raise(EndlessRecursion, number))
	p.text(" ELSE TRUE END LIMIT " + strconv.Itoa(MaxRecursion+1))
	p.close()
	p.alias(t.Alias, t.Printed)
	p.checkSize(t.Pos, t.Name)
}
