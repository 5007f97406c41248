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
	self int // the one that is being resolved; -1: none

	recursive bool
	scope     *scope // the scope that encloses the query of the WITH
}

// A cte is a common table expression while its statement is resolved.
type cte struct {
	*CTE
	name    string // as it was written
	columns []string
	named   []string // as in a binding
}

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
		if r.countTable(c.Pos); r.err != nil {
			return
		}
		c.Name = r.unique(c.Name)
	}
	r.with = &env{up: r.with, ctes: ctes, upto: len(ctes), self: -1, recursive: w.Recursive, scope: r.scope}
	for i := range ctes {
		r.define(r.with, i)
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
	upto := i
	if e.recursive || r.flavor.CTESelfAlways {
		upto++ // it sees itself
	}
	r.with = &env{up: e.up, ctes: e.ctes, upto: upto, self: i, recursive: e.recursive, scope: e.scope}
	if r.query(c.Query, c); c.Columns == nil {
		r.rename(c.Query, c.columns)
	} else if r.err == nil {
		c.Columns = c.columns
	}
	r.scope, r.with = scope, with
}

// setColumns sets the columns of an expression as soon as its first arm is
// resolved: its other arms may name them.
func (r *resolver) setColumns(c *cte, b Body) {
	c.columns, c.named = r.declared(c.Pos, c.name, c.Columns, b)
}

// cte returns the nearest visible common table expression that an unqualified name means,
// or nil. It refuses a name that differs in case from its name, but not from that of
// another expression or a table, which engines that know the case take, and the name of
// an expression that is declared later, which some engines take.
func (r *resolver) cte(t *Table) *cte {
	var found *cte
	for e := r.with; e != nil; e = e.up {
		for i := range e.ctes {
			c := &e.ctes[i]
			switch {
			case !r.fold(c.name, t.Name) || i >= e.upto && i == e.self:
			case i >= e.upto:
				if found == nil {
					r.fail(AmbiguousName, t.Pos, t.Name, "common table expression '%s' is declared later: "+
						"move it before this one, or rename it", t.Name)
				}
			case found == nil:
				found = c
			case found.name != t.Name && c.name == t.Name:
				r.sameInCase(t.Pos, t.Name)
			}
		}
	}
	if found == nil {
		return nil
	}
	if found.columns == nil && r.err == nil {
		r.fail(Misplaced, t.Pos, t.Name, "circular reference: '%s' reads itself before it has any row; only the later arms "+
			"of a UNION may", t.Name)
	}
	if found.name != t.Name {
		if o, err := r.catalog.Object("", t.Name); err == nil && o.Logical == t.Name {
			r.sameInCase(t.Pos, t.Name)
		}
	}
	return found
}
