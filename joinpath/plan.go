package joinpath

import (
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/lists"
)

// A Plan is a way to join tables: a first table and, in order, the joins that add
// the others.
//
// Every table in a plan has an alias: its name, or if that is taken, its name and
// a number (address, address_2). Aliases that differ in the case of ASCII letters
// only are treated as the same.
//
// A Plan is immutable and cheap to copy. The zero Plan has no tables.
type Plan struct {
	tree *tree
}

type tree struct {
	g     *Graph
	nodes []node  // in the order in which they are joined
	asked []int32 // tables that the plan was made for
	free  bool    // the rows that these share cost nothing
}

// node is one occurrence of a table in a plan.
type node struct {
	table   int32
	parent  int32 // the node that it is joined to
	edge    int32
	reverse bool // the edge points from this node to its parent
	alias   string
}

// A Step is one join of a plan.
type Step struct {
	// Left is the alias of a table that is already in the plan. Right is the
	// alias of the table that is joined to it.
	Left  string `json:"left"`
	Right string `json:"right"`
	// LeftTable and RightTable are the names of the tables.
	LeftTable  string `json:"left_table"`
	RightTable string `json:"right_table"`
	// LeftColumns and RightColumns are the columns of the join condition, in
	// pairs.
	LeftColumns  []string `json:"left_columns"`
	RightColumns []string `json:"right_columns"`
	// Relationship is the relationship that the join uses, as it is in the
	// schema.
	Relationship Relationship `json:"relationship"`
	// Reversed is true if Left is the to side of the relationship.
	Reversed bool `json:"reversed,omitempty"`
	// Cardinality is the cardinality from left to right. It is never empty.
	Cardinality Cardinality `json:"cardinality"`
	// FansOut is true if the join can multiply rows: one row on the left can
	// match several on the right.
	FansOut bool `json:"fans_out"`
}

// String returns the join condition, for logs and prompts. Names are not quoted.
func (s Step) String() string {
	var b strings.Builder
	for i := range s.LeftColumns {
		if i > 0 {
			b.WriteString(" AND ")
		}
		fmt.Fprintf(&b, "%s.%s = %s.%s", s.Left, s.LeftColumns[i], s.Right, s.RightColumns[i])
	}
	return b.String()
}

// Cost returns the cost of the joins and of the rows that they share, in millionths: see
// the package and [Graph.Connect].
func (p Plan) Cost() int64 {
	cost := int64(len(p.shared(true))) * price
	for _, n := range p.joined() {
		e := &p.tree.g.edges[n.edge]
		cost += costOf(e.from, e.arc(), p.tree.asked)
	}
	return cost
}

// SharedRows returns the aliases of the tables at which the plan joins many rows with many
// others only because they share a row: at a company it pairs every employee with every
// customer. An alias is listed once for each set of rows after the first. Joins of which it
// is not known how many rows they find are not counted.
func (p Plan) SharedRows() []string {
	return lists.Map(p.shared(false), func(node int32) string { return p.tree.nodes[node].alias })
}

// shared returns the nodes with shared rows, or only those that cost something.
func (p Plan) shared(cost bool) []int32 {
	if len(p.joined()) < 2 {
		return nil
	}
	asked := func(node int32) bool {
		return cost && p.tree.free && slices.Contains(p.tree.asked, p.tree.nodes[node].table)
	}
	return p.tree.g.shared(asked, func(yield func(int32, [2]int32) bool) {
		for i, n := range p.joined() {
			ends := [2]int32{n.parent, int32(i + 1)}
			if n.reverse {
				ends[0], ends[1] = ends[1], ends[0]
			}
			if !yield(n.edge, ends) {
				return
			}
		}
	})
}

// Confidence returns the product of the confidences of the joins. It is 1 for a
// plan without joins.
func (p Plan) Confidence() float64 {
	c := 1.0
	for _, n := range p.joined() {
		c *= p.tree.g.edges[n.edge].rel.Confidence
	}
	return c
}

// Tables returns the tables in the order in which they are joined. A table that
// appears twice is listed twice.
func (p Plan) Tables() []string {
	out := make([]string, 0, len(p.nodes()))
	for _, n := range p.nodes() {
		out = append(out, p.tree.g.names[n.table])
	}
	return out
}

// Aliases returns the aliases, in the order of [Plan.Tables].
func (p Plan) Aliases() []string {
	out := make([]string, 0, len(p.nodes()))
	for _, n := range p.nodes() {
		out = append(out, n.alias)
	}
	return out
}

// Steps returns the joins in order. The caller may change the result.
func (p Plan) Steps() []Step {
	steps := make([]Step, 0, len(p.joined()))
	for i := range p.joined() {
		steps = append(steps, p.step(i+1))
	}
	return steps
}

// String returns the first table and the join conditions, for logs and prompts.
func (p Plan) String() string {
	if len(p.nodes()) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(p.nodes()[0].alias)
	for i := range p.joined() {
		fmt.Fprintf(&b, " | %v", p.step(i+1))
	}
	return b.String()
}

func (p Plan) nodes() []node {
	if p.tree == nil {
		return nil
	}
	return p.tree.nodes
}

// joined returns all nodes except the first.
func (p Plan) joined() []node {
	if len(p.nodes()) == 0 {
		return nil
	}
	return p.tree.nodes[1:]
}

// step returns the join that adds a node.
func (p Plan) step(i int) Step {
	n := p.tree.nodes[i]
	parent := p.tree.nodes[n.parent]
	e := p.tree.g.edges[n.edge]
	s := Step{
		Left: parent.alias, Right: n.alias,
		LeftTable: p.tree.g.names[parent.table], RightTable: p.tree.g.names[n.table],
		Relationship: e.rel.clone(),
		Reversed:     n.reverse,
		Cardinality:  e.cardinality,
	}
	s.LeftColumns, s.RightColumns = e.rel.Columns()
	if n.reverse {
		s.LeftColumns, s.RightColumns = s.RightColumns, s.LeftColumns
		s.Cardinality = s.Cardinality.Reversed()
	}
	s.FansOut = s.Cardinality.FansOut()
	return s
}

// freeAlias returns the table's name, or the name and a number, and marks it as
// taken.
func freeAlias(taken map[string]bool, table string) string {
	alias := table
	for n := 2; taken[ascii.Lower(alias)]; n++ {
		alias = fmt.Sprintf("%s_%d", table, n)
	}
	taken[ascii.Lower(alias)] = true
	return alias
}

// chainPlan makes the plan of a path.
func (g *Graph) chainPlan(from int32, path []arc) Plan {
	nodes := make([]node, 1, len(path)+1)
	nodes[0] = node{table: from, parent: none, edge: none}
	at := from
	for i, x := range path {
		nodes = append(nodes, node{table: x.to, parent: int32(i), edge: x.edge, reverse: g.edges[x.edge].from != at})
		at = x.to
	}
	return g.named(tree{g: g, nodes: nodes, asked: []int32{from, at}})
}

// treePlan makes the plan of a tree of edges, depth first from a table, for the tables
// that were asked for. If free is set, the rows that these share cost nothing.
func (g *Graph) treePlan(from int32, edges, asked []int32, free bool) Plan {
	at := make(map[int32][]int32, len(edges)+1)
	for _, i := range edges {
		e := &g.edges[i]
		at[e.from] = append(at[e.from], i)
		at[e.to] = append(at[e.to], i)
	}
	nodes := make([]node, 0, len(edges)+1)
	stack := []node{{table: from, parent: none, edge: none}}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		nodes = append(nodes, n)
		for _, i := range slices.Backward(at[n.table]) {
			if i == n.edge {
				continue
			}
			e := &g.edges[i]
			next := node{table: e.to, parent: int32(len(nodes) - 1), edge: i}
			if e.to == n.table {
				next.table, next.reverse = e.from, true
			}
			stack = append(stack, next)
		}
	}
	return g.named(tree{g: g, nodes: nodes, asked: asked, free: free})
}

// named returns the plan of nodes that have no aliases yet.
func (g *Graph) named(t tree) Plan {
	for i := range t.nodes {
		t.nodes[i].alias = g.names[t.nodes[i].table]
	}
	if g.ambiguous {
		taken := make(map[string]bool, len(t.nodes))
		for i := range t.nodes {
			t.nodes[i].alias = freeAlias(taken, t.nodes[i].alias)
		}
	}
	return Plan{&t}
}
