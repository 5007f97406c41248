package sqlagent

import (
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/secureview"
)

// joinPath returns the joins of a statement, compared with the relationships of the
// catalog. Joins that look the same are there once.
func (r *reader) joinPath(stmt *secureview.Statement) []qed.Join {
	var path []qed.Join
	seen := map[string]bool{}
	for _, from := range stmt.FromClauses() {
		c := r.compare(from)
		for i := range from.Joins {
			j := c.join(i)
			if key := j.Kind + " " + j.String(); !seen[key] {
				seen[key] = true
				path = append(path, j)
			}
		}
	}
	return path
}

// A comparison compares the joins of a FROM clause with the relationships.
type comparison struct {
	*reader
	from  secureview.FromClause
	names []string // of the tables in the catalog; empty: computed columns
	class map[secureview.JoinedColumn]int
	edges []edge
	group groups // of the tables that edges connect

	// link leads from a column to one that edges connect it with.
	link map[secureview.JoinedColumn]secureview.JoinedColumn
}

// An edge is a relationship that holds between two tables of a FROM clause.
type edge struct {
	left, right               int
	leftColumns, rightColumns []string
	index                     int  // of the relationship
	reversed                  bool // it leads from right to left
}

func (r *reader) compare(from secureview.FromClause) *comparison {
	c := &comparison{
		reader: r, from: from, group: newGroups(len(from.Tables)),
		class: map[secureview.JoinedColumn]int{}, link: map[secureview.JoinedColumn]secureview.JoinedColumn{},
	}
	for _, t := range from.Tables {
		c.names = append(c.names, r.nameOf(t.Table))
	}
	for i, class := range from.Equal {
		for _, column := range class {
			c.class[column] = i + 1
		}
	}
	for left := range c.names {
		for right := left + 1; right < len(c.names); right++ {
			for _, index := range r.catalog.between[pair(c.names[left], c.names[right])] {
				c.add(edge{left: left, right: right, index: index})
			}
		}
	}
	for _, j := range from.Joins {
		if c.implied(j) {
			c.group.connect(j.Left, j.Right)
		}
	}
	return c
}

// implied reports whether the equalities of a join follow from edges to other tables,
// in the statement or not.
func (c *comparison) implied(j secureview.Join) bool {
	return len(j.Columns) > 0 && (c.sharedKey(j) || !slices.ContainsFunc(j.Columns, func(p [2]string) bool {
		return c.linked(j.Left, p[0]) != c.linked(j.Right, p[1])
	}))
}

// pair returns two names in a fixed order.
func pair(a, b string) [2]string { return [2]string{min(a, b), max(a, b)} }

// add adds a relationship that holds in one direction or the other.
func (c *comparison) add(e edge) {
	rel := c.catalog.relationships[e.index]
	from, to := rel.Columns()
	switch {
	case rel.FromTable == c.names[e.left] && rel.ToTable == c.names[e.right] && c.equal(e.left, from, e.right, to):
		e.leftColumns, e.rightColumns = from, to
	case rel.ToTable == c.names[e.left] && rel.FromTable == c.names[e.right] && c.equal(e.left, to, e.right, from):
		e.leftColumns, e.rightColumns, e.reversed = to, from, true
	default:
		return
	}
	c.edges = append(c.edges, e)
	c.group.connect(e.left, e.right)
	for i := range e.leftColumns {
		left, right := c.linked(e.left, e.leftColumns[i]), c.linked(e.right, e.rightColumns[i])
		if left != right {
			c.link[left] = right
		}
	}
}

// linked returns one column for all that edges connect with a column.
func (c *comparison) linked(table int, name string) secureview.JoinedColumn {
	column := secureview.JoinedColumn{Table: table, Column: name}
	for {
		next, ok := c.link[column]
		if !ok {
			return column
		}
		column = next
	}
}

// equal reports whether columns of two tables are equal in pairs.
func (c *comparison) equal(left int, leftColumns []string, right int, rightColumns []string) bool {
	for i := range leftColumns {
		class := c.class[secureview.JoinedColumn{Table: left, Column: leftColumns[i]}]
		if class == 0 || class != c.class[secureview.JoinedColumn{Table: right, Column: rightColumns[i]}] {
			return false
		}
	}
	return true
}

// groups has the number of the group of each of some tables.
type groups []int

// newGroups returns n groups of one table.
func newGroups(n int) groups {
	g := make(groups, n)
	for i := range g {
		g[i] = i
	}
	return g
}

// connect makes the groups of two tables one.
func (g groups) connect(a, b int) {
	from, to := g[a], g[b]
	for i := range g {
		if g[i] == from {
			g[i] = to
		}
	}
}

// join returns a join with what is known about it.
func (c *comparison) join(i int) qed.Join {
	j := c.from.Joins[i]
	out := qed.Join{Left: c.side(j.Left), Right: c.side(j.Right), Kind: j.Kind.String(), Condition: len(j.Condition) > 0}
	e := c.edge(j)
	for _, columns := range j.Columns {
		out.Left.Columns = append(out.Left.Columns, columns[0])
		out.Right.Columns = append(out.Right.Columns, columns[1])
	}
	if e == nil {
		out.Relationship = c.without(j)
		return out
	}
	if len(j.Columns) == 0 { // by the same constants
		out.Left.Columns, out.Right.Columns, out.Condition = e.leftColumns, e.rightColumns, false
	}
	rel := c.catalog.relationships[e.index]
	out.Relationship, out.Role, out.Confidence = qed.JoinKnown, prompt.Clip(rel.Role, maxRole), rel.Confidence
	cardinality := rel.Cardinality
	if e.reversed {
		cardinality = cardinality.Reversed()
	}
	out.Cardinality = string(cardinality)
	return out
}

// side returns a table of a join. It has its alias if its name is not enough.
func (c *comparison) side(table int) qed.JoinSide {
	t := c.from.Tables[table]
	s := qed.JoinSide{Table: c.nameOf(t.Table)}
	for i, other := range c.from.Tables {
		if s.Table == "" || i != table && other.Table == t.Table {
			s.Alias = t.Alias
		}
	}
	return s
}

// edge returns the relationship that a join follows, or nil: the one with the most
// columns, and of several the most certain one.
func (c *comparison) edge(j secureview.Join) *edge {
	var best *edge
	for i := range c.edges {
		e := &c.edges[i]
		if e.left != min(j.Left, j.Right) || e.right != max(j.Left, j.Right) {
			continue
		}
		if j.Left > j.Right {
			e = &edge{j.Left, j.Right, e.rightColumns, e.leftColumns, e.index, !e.reversed}
		}
		if !e.compared(j.Columns) {
			continue
		}
		if best == nil || len(e.leftColumns) > len(best.leftColumns) ||
			len(e.leftColumns) == len(best.leftColumns) && c.confidence(e) > c.confidence(best) {
			best = e
		}
	}
	return best
}

// compared reports whether a join compares the columns of an edge, or none.
func (e *edge) compared(columns [][2]string) bool {
	for i := range e.leftColumns {
		if len(columns) > 0 && !slices.Contains(columns, [2]string{e.leftColumns[i], e.rightColumns[i]}) {
			return false
		}
	}
	return true
}

func (c *comparison) confidence(e *edge) float64 { return c.catalog.relationships[e.index].Confidence }

// without returns what is known about a join that follows no relationship.
func (c *comparison) without(j secureview.Join) qed.JoinRelationship {
	left, right := c.names[j.Left], c.names[j.Right]
	named := func(table int, column string) bool {
		return slices.ContainsFunc(j.Condition, func(n secureview.JoinedColumn) bool {
			return n.Table == table && n.Column == column
		})
	}
	switch {
	case c.implied(j):
		return qed.JoinImplied
	case c.group[j.Left] == c.group[j.Right]:
		return "" // a further comparison of tables that are joined
	case !c.catalog.tables[left].related || !c.catalog.tables[right].related:
		return "" // nothing is known about the joins of the table
	case len(j.Columns) == 0 && len(j.Condition) == 0:
		return qed.JoinUnknown
	case left == right && !slices.ContainsFunc(j.Columns, func(p [2]string) bool { return p[0] != p[1] }):
		return "" // rows of one table are compared
	}
	for _, index := range c.catalog.between[pair(left, right)] {
		from, to := c.catalog.relationships[index].Columns()
		for i := range from {
			if named(j.Left, from[i]) && named(j.Right, to[i]) || named(j.Left, to[i]) && named(j.Right, from[i]) {
				return "" // a comparison of these columns by other means
			}
		}
	}
	return qed.JoinUnknown
}

// sharedKey reports whether the columns of both sides of a join refer to the same
// columns, directly or over several relationships.
func (c *comparison) sharedKey(j secureview.Join) bool {
	tries := [][][2]string{j.Columns}
	if len(j.Columns) > 1 {
		for i := range j.Columns {
			tries = append(tries, j.Columns[i:i+1])
		}
	}
	for _, columns := range tries {
		left, right := key{table: c.names[j.Left]}, key{table: c.names[j.Right]}
		for _, p := range columns {
			left.columns, right.columns = append(left.columns, p[0]), append(right.columns, p[1])
		}
		keys := c.catalog.keys(left)
		for name := range c.catalog.keys(right) {
			if keys[name] {
				return left.table != right.table || !slices.Equal(left.columns, right.columns)
			}
		}
	}
	return false
}

// A key is columns of a table that others refer to.
type key struct {
	table   string
	columns []string
}

func (k key) String() string { return k.table + "\x00" + strings.Join(k.columns, "\x00") }

// A reference is a relationship whose columns of one table refer to one row of
// another.
type reference struct {
	from []string
	to   key
}

// keys returns a key and those that its columns refer to, directly or over several
// relationships, as texts.
func (c *catalog) keys(k key) map[string]bool {
	found := map[string]bool{k.String(): true}
	open := []key{k}
	for len(open) > 0 && len(found) < maxKeys {
		at := open[0]
		open = open[1:]
		for _, ref := range c.references[at.table] {
			next := key{table: ref.to.table}
			for _, column := range at.columns {
				if i := slices.Index(ref.from, column); i >= 0 {
					next.columns = append(next.columns, ref.to.columns[i])
				}
			}
			if len(next.columns) == len(at.columns) && len(ref.from) == len(at.columns) && !found[next.String()] {
				found[next.String()] = true
				open = append(open, next)
			}
		}
	}
	return found
}

// maxKeys is how many keys are followed from one column.
const maxKeys = 200

// index indexes the relationships by their tables.
func (c *catalog) index() {
	c.between, c.references = map[[2]string][]int{}, map[string][]reference{}
	for i, rel := range c.relationships {
		if rel.Confidence == 0 {
			continue
		}
		tables := pair(rel.FromTable, rel.ToTable)
		c.between[tables] = append(c.between[tables], i)
		from, to := rel.Columns()
		if rel.Cardinality != joinpath.OneToMany && rel.Cardinality != joinpath.ManyToMany {
			c.references[rel.FromTable] = append(c.references[rel.FromTable], reference{from, key{rel.ToTable, to}})
		}
		if rel.Cardinality == joinpath.OneToMany || rel.Cardinality == joinpath.OneToOne {
			c.references[rel.ToTable] = append(c.references[rel.ToTable], reference{to, key{rel.FromTable, from}})
		}
	}
	for name, t := range c.tables {
		t.related = len(c.between) > 0 && (!t.viewed && !t.view)
		c.tables[name] = t
	}
	for tables := range c.between {
		for _, name := range tables {
			t := c.tables[name]
			t.related = true
			c.tables[name] = t
		}
	}
}
