package sqlast

import (
	"cmp"
	"slices"
	"strconv"
)

// from resolves the FROM of a block in three steps: the names of its tables, their
// columns from left to right, and the conditions.
func (r *resolver) from(rel Relation, s *scope) {
	if rel == nil {
		return
	}
	r.collect(rel, s)
	if r.err != nil {
		return
	}
	s.clause = inFrom
	r.relation(rel, s, 0, 0)
	s.clause = inOn
	r.conditions(rel, s, 0, 0, len(s.tables))
	s.lo, s.hi = 0, len(s.tables)
}

// collect declares the tables of a relation. All are declared before any is
// resolved, so that a name that is not visible yet is never looked up further out.
func (r *resolver) collect(rel Relation, s *scope) {
	defer func() { r.depth-- }()
	if rel == nil || !r.enter(rel) {
		return
	}
	switch rel := rel.(type) {
	case *Join:
		r.collect(rel.Left, s)
		r.collect(rel.Right, s)
	case *Table:
		rel.Alias = cmp.Or(rel.Alias, rel.Name)
		r.bind(s, rel, rel.Alias, rel.Pos)
	case *Derived:
		for rel.Alias == "" {
			r.derived++
			if name := "subquery" + strconv.Itoa(r.derived); r.byAlias(s, "", name) < 0 {
				rel.Alias = name
			}
		}
		r.bind(s, rel, rel.Alias, rel.Pos)
	case *TableFunction:
		rel.Alias = cmp.Or(rel.Alias, rel.Calls[0].Name)
		r.bind(s, rel, rel.Alias, rel.Pos)
	}
}

func (r *resolver) bind(s *scope, rel Relation, alias string, at Pos) {
	if r.byAlias(s, "", alias) >= 0 {
		r.fail(AmbiguousName, at, alias, "two tables of one FROM are named '%s': give each an alias", alias)
	}
	r.countTable(at)
	if !isASCII(alias) { // a collation could treat it as equal to another one
		r.confused = append(r.confused, rel)
	}
	s.tables = append(s.tables, binding{rel: rel, alias: alias})
}

// relation sets the columns of the tables of rel, the first of which has number
// next. It returns the number after the last. A LATERAL may name the tables from
// lo: none to the left of a RIGHT or FULL JOIN, where MySQL and MariaDB look for
// the name in an outer query.
func (r *resolver) relation(rel Relation, s *scope, lo, next int) int {
	switch rel := rel.(type) {
	case *Table:
		r.table(rel, &s.tables[next])
	case *Derived:
		r.derivedTable(rel, s, lo, next)
	case *TableFunction:
		r.function(rel, s, lo, next)
	case *Join:
		middle := r.relation(rel.Left, s, lo, next)
		if rel.Kind == RightJoin || rel.Kind == FullJoin {
			lo = middle
		}
		end := r.relation(rel.Right, s, lo, middle)
		if r.err == nil && (rel.Natural || len(rel.Using) > 0) {
			r.using(rel, s, next, middle, end)
		}
		return end
	}
	return next + 1
}

func (r *resolver) table(t *Table, b *binding) {
	if r.err != nil {
		return
	}
	if t.Schema == "" {
		if c := r.cte(t); c != nil {
			if b.alias == t.Name {
				b.alias, t.Alias = c.name, c.name
			}
			t.CTE, t.CTEColumns, b.query, b.columns, b.named = c.CTE, c.columns, c.CTE.Query, c.columns, c.named
			return
		}
		if r.err != nil {
			return
		}
	}
	o, err := r.catalog.Object(t.Schema, t.Name)
	if err != nil {
		e := *err
		e.Pos = t.Pos
		b.missing = true
		r.missed(&e)
		return
	}
	t.Object = o
	if b.alias == t.Name {
		if b.alias = o.Logical; r.fold(t.Name, o.Name) {
			b.alias = o.Name
		}
		t.Alias = b.alias
	}
	b.object, b.columns, b.read = o, o.Columns, r.reads(o)
	t.Reads = r.resolution.Objects[b.read].named
}

// reads returns the index of an object in the resolution, and adds it if needed.
func (r *resolver) reads(o *Object) int {
	list := r.resolution.Objects
	for i := range list {
		if list[i].Object == o {
			return i
		}
	}
	r.resolution.Objects = append(list, ReadObject{Object: o, named: make([]bool, len(o.Columns))})
	return len(list)
}

func (r *resolver) derivedTable(d *Derived, s *scope, lo, number int) {
	r.resolution.Plain = false
	outer := r.scope
	switch {
	case d.Lateral:
		s.lo, s.hi = lo, number
		r.scope = s
	case r.flavor.DerivedSeesOuter:
		s.lo, s.hi = 0, 0
		r.scope = s
	default:
		r.scope = nil
	}
	r.query(d.Query, nil)
	r.scope = outer
	if r.err == nil {
		b := &s.tables[number]
		b.query = d.Query
		if b.columns, b.named = r.declared(d.Pos, d.Alias, d.Columns, d.Query); d.Columns == nil {
			r.rename(d.Query, b.columns)
		} else {
			d.Columns = b.columns
		}
	}
}

// function resolves a table function. All its columns are listed in the tree, so
// that their names do not depend on the engine.
func (r *resolver) function(f *TableFunction, s *scope, lo, number int) {
	r.resolution.Plain = false
	outer := r.scope
	s.lo, s.hi = lo, number
	r.scope = s
	for _, c := range f.Calls {
		r.call(c)
	}
	r.scope = outer
	if r.err != nil {
		return
	}
	columns := slices.Clone(f.Own)
	switch {
	case f.Types != nil:
		columns = slices.Clone(f.Columns)
	case columns == nil:
		columns = []string{f.Alias}
	}
	if f.Ordinality {
		columns = append(columns, "ordinality")
	}
	if len(f.Columns) > len(columns) {
		r.fail(ColumnCount, f.Pos, f.Alias,
			"'%s' lists %d columns, but has %d", f.Alias, len(f.Columns), len(columns))
		return
	}
	copy(columns, f.Columns)
	b := &s.tables[number]
	if b.scalar = len(columns) == 1 && f.Types == nil; f.Types == nil {
		if distinct := r.distinct(columns); distinct != nil {
			columns, b.named = distinct, columns
		}
	}
	f.Columns, b.columns = columns, columns
}

// conditions resolves the ON clauses of rel, whose first table has number next. The
// tables from lo to hi are in the same parentheses: no ON sees others.
func (r *resolver) conditions(rel Relation, s *scope, next, lo, hi int) int {
	j, ok := rel.(*Join)
	if !ok {
		return next + 1
	}
	middle := r.conditions(j.Left, s, next, lo, hi)
	end := middle + tablesOf(j.Right)
	r.conditions(j.Right, s, middle, middle, end)
	if j.Using != nil {
		j.Using = nil
	} else if j.On != nil {
		s.lo, s.hi = next, end
		if r.flavor.OnSeesAll {
			s.lo, s.hi = lo, hi
		}
		outer := r.scope
		r.scope = s
		r.expr(&j.On)
		r.scope = outer
	}
	return end
}

// tablesOf returns the number of tables of a relation.
func tablesOf(rel Relation) int {
	if j, ok := rel.(*Join); ok {
		return tablesOf(j.Left) + tablesOf(j.Right)
	}
	return 1
}

// using replaces USING and NATURAL by ON. An engine would look up their names among
// hidden columns too.
func (r *resolver) using(j *Join, s *scope, lo, middle, hi int) {
	s.merging = append(s.merging, j)
	names := j.Using
	if j.Natural {
		names = r.common(j, s, lo, middle, hi)
	}
	if len(names) > MaxDepth {
		r.fail(TooDeep, j.Pos, "USING", "a join compares more than %d columns", MaxDepth)
		return
	}
	for i, name := range names {
		left, right := r.side(j, s, lo, middle, name), r.side(j, s, middle, hi, name)
		if r.err != nil {
			return
		}
		if left.members == nil || right.members == nil {
			continue // it does not exist
		}
		m := merged{name: left.name, join: j, members: slices.Concat(left.members, right.members), value: left.value}
		if !j.Natural {
			m.listed = len(s.merged)
		}
		switch j.Kind {
		case RightJoin:
			m.value = right.value
		case FullJoin:
			m.value = slices.Concat(left.value, right.value)
		}
		s.merged = append(s.merged, m)
		x, y := r.mergedValue(j.Pos, s, &left), r.mergedValue(j.Pos, s, &right)
		op := Eq
		if j.AsOf && i == len(names)-1 {
			op = Ge
		}
		j.On = Conjunction(j.On, &Binary{Pos: j.Pos, Op: op, X: x, Y: y})
	}
	j.Natural, j.Using = false, names
}

// common returns the names that both sides of a NATURAL JOIN have.
func (r *resolver) common(j *Join, s *scope, lo, middle, hi int) []string {
	names := []string{}
	for i := middle; i < hi; i++ {
		for _, name := range s.tables[i].names() {
			if r.spent(j.Pos) {
				return nil
			}
			known := slices.ContainsFunc(names, func(n string) bool { return r.fold(n, name) })
			if r.work += len(names); known {
				continue
			}
			for _, t := range r.tablesWith(s, lo, middle, name) {
				if b := &s.tables[t]; b.names()[r.column(b, name)] != name {
					r.sameInCase(j.Pos, name)
				}
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

// side returns the column that a name of USING means on one side.
func (r *resolver) side(j *Join, s *scope, lo, hi int, name string) merged {
	found := r.tablesWith(s, lo, hi, name)
	if len(found) == 0 {
		r.unknownColumn(&Column{Pos: j.Pos, Name: name}, &scope{tables: s.tables, lo: lo, hi: hi}, nil)
		return merged{}
	}
	b := &s.tables[found[0]]
	m := merged{name: b.names()[r.uniqueColumn(j.Pos, b, name)]}
	if len(found) > 1 {
		if g := r.group(s, name, found); g != nil {
			m.members, m.value = g.members, g.value
			return m
		}
		r.ambiguous(&Column{Pos: j.Pos, Name: name}, s, found)
		return m
	}
	m.members = []int{found[0]}
	m.value = m.members
	return m
}

// mergedValue returns the value of a merged column.
func (r *resolver) mergedValue(at Pos, s *scope, m *merged) Expr {
	if len(m.value) == 1 {
		r.noteMerged(s, m)
		b := &s.tables[m.value[0]]
		if m.number == 0 {
			return r.reference(at, b, m.name)
		}
		c := &Column{Pos: at}
		r.point(c, b, m.number-1)
		return c
	}
	r.weight += 2 * len(m.value)
	if r.spent(at) {
		return &Null{Pos: at}
	}
	c := &Call{Pos: at, Name: "coalesce"}
	for _, t := range m.value {
		c.Args = append(c.Args, r.reference(at, &s.tables[t], m.name))
	}
	return c
}

// noteMerged records which columns of objects a merged column stands for.
func (r *resolver) noteMerged(s *scope, m *merged) {
	if !r.flavor.UsingKeepsSides || len(m.members) < 2 {
		return
	}
	var columns []ReadColumn
	for _, t := range m.members {
		if b := &s.tables[t]; b.object != nil {
			columns = append(columns, ReadColumn{Object: b.object, Column: b.columns[r.column(b, m.name)]})
		}
	}
	r.resolution.Merged = append(r.resolution.Merged, columns)
}

func (r *resolver) reference(at Pos, b *binding, name string) *Column {
	c := &Column{Pos: at}
	r.point(c, b, r.column(b, name))
	return c
}

// point makes c a reference to the i-th column of b.
func (r *resolver) point(c *Column, b *binding, i int) {
	c.Schema, c.Table, c.Name, c.DoubleQuoted, c.Of, c.Index = "", b.alias, b.columns[i], false, b.rel, i
	r.weigh(len(c.Table) + len(c.Name))
	if b.object != nil {
		r.resolution.Objects[b.read].named[i] = true
	}
}
