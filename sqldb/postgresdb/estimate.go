package postgresdb

import (
	"context"
	"database/sql"
	"strings"

	"github.com/qedkit/qed/internal/keyset"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/sqldb"
)

// Estimate returns what the server's EXPLAIN says.
func (*engine) Estimate(ctx context.Context, conn *sql.Conn, q *sqldb.Query) (sqldb.Estimate, error) {
	var text []byte
	if err := conn.QueryRowContext(ctx, "EXPLAIN (VERBOSE, FORMAT JSON) "+q.SQL).Scan(&text); err != nil {
		return sqldb.Estimate{}, err
	}
	root, err := parsePlan(text)
	if err != nil {
		return sqldb.Estimate{}, err
	}
	sizes, err := tableSizes(ctx, conn, root.scanned(nil))
	if err != nil {
		return sqldb.Estimate{}, err
	}
	e := estimate{sizes: sizes}
	e.add(root, 1, 1)
	return sqldb.Estimate{Read: max(e.read, e.largest), Returned: root.Rows}, nil
}

// scanned returns the tables that a plan reads from their beginning to their end.
func (n *planNode) scanned(found []name) []name {
	if n.Type == "Seq Scan" {
		found = append(found, name{n.Schema, n.Table})
	}
	for i := range n.Plans {
		found = n.Plans[i].scanned(found)
	}
	return found
}

// tableSizes returns how many rows tables have according to the statistics. A plan has
// only those that fulfil the conditions.
func tableSizes(ctx context.Context, conn *sql.Conn, tables []name) (map[name]float64, error) {
	if len(tables) == 0 {
		return nil, nil
	}
	list := lists.Map(tables, func(t name) string { return "(" + literal(t.schema) + ", " + literal(t.name) + ")" })
	sizes := map[name]float64{}
	var n name
	var size float64
	err := keyset.Each(ctx, conn, "SELECT n.nspname, c.relname, c.reltuples::float8 FROM pg_class AS c "+
		"JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE (n.nspname, c.relname) IN ("+strings.Join(list, ", ")+")",
		[]any{&n.schema, &n.name, &size}, func() {
			sizes[n] = size
		})
	return sizes, err
}

// estimate counts the rows of a plan.
type estimate struct {
	sizes   map[name]float64
	read    float64 // from tables
	largest float64 // rows of one node
}

// add counts a node that is executed a number of times, each time up to a part of its
// rows: below a LIMIT, not all of them are needed.
func (e *estimate) add(n *planNode, times, part float64) {
	rows := n.Rows
	if n.Type == "Seq Scan" {
		rows = max(rows, e.sizes[name{n.Schema, n.Table}])
	}
	e.largest = max(e.largest, rows*times*part)
	if len(n.Plans) == 0 {
		e.read += rows * times * part
	}
	for i := range n.Plans {
		child := &n.Plans[i]
		again, needed := times, part
		if child.Cost > n.Cost { // the server expects to stop it early
			needed *= n.Cost / child.Cost
		}
		switch {
		case n.readsAll():
			needed = 1
		case n.Type == "Nested Loop" && child.Parent == "Inner":
			again, needed = times*max(1, n.Plans[0].Rows*part), 1
		case n.Type == "Materialize" || n.Type == "Memoize":
			again, needed = 1, 1
		case child.Parent == "SubPlan":
			again, needed = times*max(1, n.Rows*part), 1
		}
		e.add(child, again, needed)
	}
}

// readsAll reports whether a node needs all rows of the nodes below it for its first row.
func (n *planNode) readsAll() bool {
	switch n.Type {
	case "Sort", "Hash", "Bitmap Heap Scan":
		return true
	case "Aggregate":
		return n.Strategy != "Sorted"
	}
	return false
}
