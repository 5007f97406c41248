package sqlast

import (
	"slices"
	"strings"
)

// path binds a name of several parts: [schema.]table.column or column, and then
// fields of a structure. A table goes before a column with the same name.
func (r *resolver) path(slot *Expr, c *Column) {
	parts := c.Path
	c.Path = nil
	fields := parts[1:]
	switch {
	case r.isParam(parts[0]):
		*slot = &Param{Pos: c.Pos, Name: parts[0]}
	case r.named("", parts[0]):
		c.Table, c.Name, fields = parts[0], parts[1], parts[2:]
		r.qualified(c)
	case len(parts) > 2 && r.named(parts[0], parts[1]):
		c.Schema, c.Table, c.Name, fields = parts[0], parts[1], parts[2], parts[3:]
		r.qualified(c)
	case !r.hasColumn(parts[0]):
		r.unknownQualifier(c.Pos, strings.Join(parts[:len(parts)-1], "."), r.scope)
	default:
		c.Name = parts[0]
		r.columnRef(slot, c)
	}
	for _, field := range fields {
		r.complex = true
		call := &Call{Pos: c.Pos, Name: "struct_extract", Args: []Expr{*slot, &String{Pos: c.Pos, Value: field}}}
		r.resolution.Calls = append(r.resolution.Calls, call)
		*slot = call
	}
}

// named reports whether a table in scope has the name.
func (r *resolver) named(schema, table string) bool {
	for s := r.scope; s != nil; s = s.outer {
		if r.byAlias(s, schema, table) >= 0 {
			return true
		}
	}
	return false
}

// hasColumn reports whether a table in scope has the column, or whether an item has
// the alias.
func (r *resolver) hasColumn(name string) bool {
	for s := r.scope; s != nil; s = s.outer {
		if len(r.tablesWith(s, s.lo, s.hi, name)) > 0 || r.item(&Column{Name: name}, s) >= 0 {
			return true
		}
	}
	return false
}

// lambda resolves a lambda. A parameter with the name of a column in scope is an
// error, because engines differ in which of them it hides.
func (r *resolver) lambda(l *Lambda) {
	if r.params != nil {
		r.fail(Unsupported, l.Pos, "LAMBDA", "a lambda inside another one is not supported: use two steps")
		return
	}
	for _, name := range l.Params {
		if r.hasColumn(name) {
			r.fail(AmbiguousName, l.Pos, name, "the parameter '%s' of a lambda has the name of a column: rename it", name)
			return
		}
	}
	r.params = l.Params
	r.expr(&l.X)
	r.params = nil
}

func (r *resolver) isParam(name string) bool {
	return slices.ContainsFunc(r.params, func(p string) bool { return r.fold(p, name) })
}
