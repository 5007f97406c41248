package sqlast

import (
	"slices"
	"strconv"
	"unicode/utf8"
)

// An env is the common table expressions that are visible: the first upto of one
// WITH, then those of up.
type env struct {
	up   *env
	ctes []cte
	upto int

	recursive bool
	scope     *scope // the scope that encloses the query of the WITH
}

// A cte is a common table expression while its statement is resolved.
type cte struct {
	*CTE
	name    string // as it was written
	columns []string
	named   []string // as in a binding
	state   cteState
	last    bool // the right arm of its UNION is being resolved
}

type cteState uint8

const (
	untouched cteState = iota
	resolving
	resolved
)

// declare resolves a WITH and leaves its names in r.with.
func (r *resolver) declare(w *With) {
	r.resolution.Plain = false
	ctes := make([]cte, len(w.CTEs))
	for i, c := range w.CTEs {
		ctes[i] = cte{CTE: c, name: c.Name}
		for _, other := range ctes[:i] {
			if r.fold(other.name, c.Name) {
				r.fail(AmbiguousName, c.Pos, c.Name,
					"two common table expressions of one WITH are named '%s'", c.Name)
			}
		}
		if r.tables++; r.tables > maxTables {
			r.fail(TooComplex, c.Pos, "", "the statement has more than %d tables", maxTables)
		}
		if r.err != nil {
			return
		}
		c.Name = r.unique(c.Name)
	}
	r.with = &env{up: r.with, ctes: ctes, upto: len(ctes), recursive: w.Recursive, scope: r.scope}
	for i := range ctes {
		if ctes[i].state == untouched {
			r.define(r.with, i)
		}
	}
}

// unique returns a name that no table and no other common table expression of the
// statement has: the name itself if it is free. What is read then does not depend
// on how an engine looks up such names.
func (r *resolver) unique(name string) string {
	free := name
	isIssued := func(s string) bool { return r.fold(s, free) }
	for i := 1; r.catalog.Taken(free) || slices.ContainsFunc(r.issued, isIssued); i++ {
		free = "cte" + strconv.Itoa(i) + "_" + name
		if most := r.flavor.MaxName; most > 0 && len(free) > most {
			for !utf8.RuneStart(free[most]) {
				most--
			}
			free = free[:most]
		}
	}
	r.issued = append(r.issued, free)
	return free
}

// define resolves the query of one common table expression. The query sees outer
// columns only if the engine looks them up at the WITH. An engine that looks them
// up where the expression is used could find another table with the same alias.
func (r *resolver) define(e *env, i int) {
	c := &e.ctes[i]
	scope, with := r.scope, r.with
	r.scope = nil
	if r.flavor.CTESeesOuter {
		r.scope = e.scope
	}
	r.with = &env{up: e.up, ctes: e.ctes, upto: r.sees(e, i), recursive: e.recursive, scope: e.scope}
	c.state = resolving
	r.query(c.Query, c)
	c.state = resolved
	r.scope, r.with = scope, with
}

// sees returns the number of expressions of its WITH that expression i can name.
func (r *resolver) sees(e *env, i int) int {
	switch {
	case r.flavor.CTEForward, e.recursive && r.flavor.ForwardIfRecursive:
		return len(e.ctes)
	case e.recursive || r.flavor.CTESelfAlways:
		return i + 1
	}
	return i
}

// setColumns sets the columns of an expression as soon as its first arm is
// resolved: its other arms may name them.
func (r *resolver) setColumns(c *cte, b Body) {
	c.columns, c.named = r.declared(c.Pos, c.name, c.Columns, b)
	if c.Columns != nil || c.named != nil {
		c.Columns = c.columns
	}
}

// cte returns the common table expression that an unqualified name means, or nil.
func (r *resolver) cte(t *Table) *cte {
	if r.with == nil || !r.flavor.ExactFirst {
		return r.cteNamed(t, r.fold)
	}
	if c := r.cteNamed(t, sameCase); c != nil {
		return c
	}
	if o, err := r.catalog.Object("", t.Name); err == nil && o.Logical == t.Name {
		return nil
	}
	return r.cteNamed(t, r.fold)
}

// cteNamed returns the nearest visible common table expression whose name is the same as
// that of the table, or nil.
func (r *resolver) cteNamed(t *Table, same func(a, b string) bool) *cte {
	for e := r.with; e != nil; e = e.up {
		for i := range e.upto {
			c := &e.ctes[i]
			if !same(c.name, t.Name) || r.skipsSelf(c) {
				continue
			}
			if c.state == untouched {
				r.define(e, i) // a later one, in engines where each sees all
			}
			if c.columns == nil && r.err == nil {
				r.fail(Misplaced, t.Pos, t.Name, circular, t.Name)
			}
			return c
		}
	}
	return nil
}

const circular = "circular reference: '%s' reads itself before it has any row; only the later arms of a UNION may"

// skipsSelf reports whether an expression cannot read itself here, so that its name means
// an outer expression or a table.
func (r *resolver) skipsSelf(c *cte) bool {
	return r.flavor.CTEInLastArm && c.state == resolving && !c.last
}

// readsSelf reports whether the name is that of an expression that cannot read itself
// here.
func (r *resolver) readsSelf(name string) bool {
	for e := r.with; e != nil; e = e.up {
		for i := range e.upto {
			if c := &e.ctes[i]; r.fold(c.name, name) && r.skipsSelf(c) {
				return true
			}
		}
	}
	return false
}

// later reports whether a common table expression that is declared after the
// current one has the name.
func (r *resolver) later(name string) bool {
	for e := r.with; e != nil; e = e.up {
		for i := e.upto; i < len(e.ctes); i++ {
			if r.fold(e.ctes[i].name, name) {
				return true
			}
		}
	}
	return false
}
