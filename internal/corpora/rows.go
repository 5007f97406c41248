package corpora

import (
	"database/sql"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/qedkit/qed/internal/sqlast"
)

// Rows returns a database of SQLite with 12 random rows for each table. Half of their values
// are those that the queries compare with. The rows of equal arguments are equal.
func Rows(tb testing.TB, tables map[string][]string, queries []*sqlast.Query) *sql.DB {
	tb.Helper()
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		tb.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	values := []string{"1", "2", "3", "NULL"}
	for _, q := range queries {
		sqlast.Walk(q, func(n sqlast.Node) bool {
			switch n := n.(type) {
			case *sqlast.String:
				values = append(values, "'"+strings.ReplaceAll(strings.Trim(n.Value, "%"), "'", "''")+"'")
			case *sqlast.Number:
				values = append(values, n.Text)
			}
			return true
		})
	}
	quote := func(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
	random := rand.New(rand.NewPCG(1, 2))
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		var columns []string
		for _, c := range tables[name] {
			columns = append(columns, quote(c))
		}
		var rows []string
		for range 12 {
			row := make([]string, len(columns))
			for i := range row {
				row[i] = values[random.IntN(4)]
				if random.IntN(2) == 0 {
					row[i] = values[random.IntN(len(values))]
				}
			}
			rows = append(rows, "("+strings.Join(row, ", ")+")")
		}
		for _, text := range []string{
			"CREATE TABLE " + quote(name) + "(" + strings.Join(columns, ", ") + ")",
			"INSERT INTO " + quote(name) + " VALUES " + strings.Join(rows, ", "),
		} {
			if _, err := db.Exec(text); err != nil {
				tb.Logf("%s: %v", name, err)
			}
		}
	}
	return db
}
