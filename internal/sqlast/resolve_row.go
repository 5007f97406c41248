package sqlast

// row takes a bare name that is no column for the row of the table of that name.
// The row of a table function with a single column is that column's value. Any
// other can only be the argument of a call, and is printed so that it stands for
// nothing else.
func (r *resolver) row(place *Expr, c *Column) bool {
	b := r.rowOf(c.Schema, c.Name)
	switch {
	case b == nil:
		return false
	case b.scalar:
		r.point(c, b, 0)
		return true
	case b.named != nil || !r.isArgument(place):
		return false
	}
	*place = &Star{Pos: c.Pos, Table: b.alias, Row: true}
	return true
}

// wholeRow resolves t.* in the place of a value.
func (r *resolver) wholeRow(s *Star) {
	if s.Row && s.Table != "" && r.flavor.RowByAlias {
		if b := r.rowOf(s.Schema, s.Table); b != nil && b.named == nil {
			s.Table = b.alias
			return
		}
		r.fail(Misplaced, s.Pos, "*", "the row of '%s' as one value cannot be used: name its columns", s.Table)
	}
	r.fail(Misplaced, s.Pos, "*", "* stands outside a select list")
}

// rowOf is the table whose row a name means; nil: none, or one of the catalog,
// which has columns that nobody may read.
func (r *resolver) rowOf(schema, name string) *binding {
	for s := r.scope; s != nil; s = s.outer {
		i := r.byAlias(s, schema, name)
		if i < 0 {
			continue
		}
		if b := &s.tables[i]; b.object == nil && s.lo <= i && i < s.hi && !r.confusable(b.alias, s) {
			return b
		}
		return nil
	}
	return nil
}

// isArgument reports whether a place is that of an argument of the call around.
func (r *resolver) isArgument(place *Expr) bool {
	for i := range r.args {
		if &r.args[i] == place {
			return true
		}
	}
	return false
}
