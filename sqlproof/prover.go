package sqlproof

import (
	"fmt"
	"slices"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqlproof/proof"
)

// A Prover checks statements against a schema. Make one with [New]. It is safe for
// concurrent use.
type Prover struct {
	tables map[string]*table // by name in lower case
	edges  map[pair][]*edge  // both ways
	values Values
}

// Values returns all values of a column of texts, or nil if it does not know all of them.
type Values func(table, column string) []string

// WithValues returns a Prover that also compares the texts of a statement with the values of
// the columns that they are compared with. It calls values for each of these, with the names
// of the schema.
func (p *Prover) WithValues(values Values) *Prover {
	with := *p
	with.values = values
	return &with
}

// A pair is two tables, in an order.
type pair struct{ a, b *table }

// A table is what the schema says about a table.
type table struct {
	name    string
	names   []string
	columns map[string]int // by name in lower case
	keys    []key
	notNull []bool
	nulls   bool // the schema says which columns may be NULL
	types   []kind
	refers  []*edge // the relationships of this table, seen from it
	related bool    // its relationships are known, even if it has none
}

// A key is columns whose values no two rows share, but for NULL.
type key struct {
	columns []int // of table.columns
	basis   string
}

// An edge is a relationship seen from one of its tables. Its columns are those of that
// table and of the other one, in matching order.
type edge struct {
	of, to      *table
	from, other []int
	basis       string
	back        bool // seen from the table that is referred to, which has one row for each of the other one's
	declared    bool // by the database, the models of an application, or a person
	shared      bool // both columns have values of one kind, and no table has a key of them
	role        string
	confidence  float64
	cardinality string // from this table to the other one; empty: not known
}

// New returns a Prover for a schema, which it copies. A nil schema has no tables: nothing
// is proved then. Names of tables and columns are compared without case.
//
// Keys are the primary and unique keys of the tables. No proof rests on the cardinality of a
// relationship, which the data may contradict; a join item only shows it, and keys that
// contradict it win. A relationship of confidence 0 is not one.
func New(s *joinpath.Schema) *Prover {
	p := &Prover{tables: map[string]*table{}, edges: map[pair][]*edge{}}
	if s == nil {
		return p
	}
	for name, t := range s.Tables {
		p.tables[ascii.Lower(name)] = newTable(name, t)
	}
	for _, r := range s.Relationships {
		if r.Confidence > 0 {
			p.add(r)
		}
	}
	for name, t := range s.Tables {
		known := p.tables[ascii.Lower(name)]
		known.related = known.related || len(p.edges) > 0 && !t.View && t.SecureView == ""
	}
	return p
}

func newTable(name string, t joinpath.Table) *table {
	out := &table{
		name: name, names: slices.Clone(t.Columns), columns: make(map[string]int, len(t.Columns)),
		notNull: make([]bool, len(t.Columns)), nulls: len(t.NotNull) > 0, types: make([]kind, len(t.Columns)),
	}
	for i, c := range t.Columns {
		out.columns[ascii.Lower(c)] = i
		out.types[i] = kindOf(t.Types[c])
	}
	for _, c := range slices.Concat(t.PrimaryKey, t.NotNull) {
		if i, ok := out.columns[ascii.Lower(c)]; ok {
			out.notNull[i] = true
		}
	}
	out.addKey(t.PrimaryKey, "primary key")
	for _, c := range t.UniqueColumns {
		out.addKey([]string{c}, "unique key")
	}
	for _, k := range t.UniqueKeys {
		out.addKey(k, "unique key")
	}
	return out
}

func (t *table) addKey(columns []string, basis string) {
	if at := t.indexes(columns); len(at) > 0 && !slices.ContainsFunc(t.keys, func(k key) bool { return equalSets(k.columns, at) }) {
		t.keys = append(t.keys, key{at, basis})
	}
}

// indexes returns the columns of some names, or nil if one is not there.
func (t *table) indexes(names []string) []int {
	at := make([]int, len(names))
	for i, name := range names {
		n, ok := t.columns[ascii.Lower(name)]
		if !ok {
			return nil
		}
		at[i] = n
	}
	return at
}

func equalSets(a, b []int) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(i int) bool { return !slices.Contains(b, i) })
}

func (p *Prover) add(r joinpath.Relationship) {
	from, to := p.tables[ascii.Lower(r.FromTable)], p.tables[ascii.Lower(r.ToTable)]
	if from == nil || to == nil {
		return
	}
	fromNames, toNames := r.Columns()
	x, y := from.indexes(fromNames), to.indexes(toNames)
	if x == nil || len(x) != len(y) {
		return
	}
	basis := "relationship"
	declared := true
	switch r.Type {
	case joinpath.ForeignKey:
		basis = "foreign key"
	case joinpath.Association:
		basis = "association of the application's models"
	case joinpath.Manual:
		basis = "relationship that a person wrote"
	case joinpath.Inferred, "":
		basis, declared = fmt.Sprintf("inferred, confidence %.2f", r.Confidence), r.Type == "" && r.Confidence == 1
	case joinpath.SharedDimension:
		basis, declared = fmt.Sprintf("shared values, confidence %.2f", r.Confidence), false
	}
	shared := r.Type == joinpath.SharedDimension
	if r.Role != "" {
		basis += ", " + r.Role
	}
	reversed := r.Cardinality == joinpath.OneToMany && (from.isKey(x) || !to.isKey(y))
	both := edge{of: from, to: to, from: x, other: y, back: reversed, basis: basis, declared: declared, shared: shared,
		role: r.Role, confidence: r.Confidence, cardinality: string(r.Cardinality)}
	forth, back := both, both
	back.of, back.to, back.from, back.other, back.back = to, from, y, x, !reversed
	back.cardinality = string(r.Cardinality.Reversed())
	for _, e := range []*edge{&forth, &back} {
		of := pair{e.of, e.to}
		p.edges[of] = append(p.edges[of], e)
		e.of.related = true
		if !shared {
			e.of.refers = append(e.of.refers, e)
		}
	}
}

// lookup returns the table of an object of a policy, or nil.
func (p *Prover) lookup(o *sqlast.Object) *table {
	if t := p.tables[ascii.Lower(o.Schema+"."+o.Logical)]; t != nil {
		return t
	}
	return p.tables[ascii.Lower(o.Logical)]
}

// Check returns what is known about a statement. It does not run it.
func (p *Prover) Check(s *secureview.Statement) *proof.Report {
	c := p.newCheck(s)
	if q := s.Query(); q != nil {
		c.query(q, nil)
		c.limit(q, s.Capped())
		if s.Invented() {
			c.say(proof.Finding{
				Code: proof.NoTable, Severity: proof.Error,
				Message: "the statement reads no value of a table, so its numbers prove nothing",
				Fix:     "select the columns that have the answer",
			})
		}
		if m := c.report.Meaning; m != nil {
			if !s.Capped() {
				m.Limit = s.Limit()
			}
			if q.Offset != nil {
				m.OrderBy = nil // the rows are not the first ones in this order
			}
		}
	}
	return c.finish()
}

func (p *Prover) newCheck(s *secureview.Statement) *check {
	return &check{
		prover: p, source: s.Source(), root: s.Query(), dialect: s.Dialect().Name(), language: s.Dialect(),
		objects: map[*sqlast.Object]*object{}, rows: map[*sqlast.Query]*rows{}, kinds: map[*sqlast.Query]string{},
	}
}
