package sqlast

// searchCalls are the functions of full-text tables in SQLite.
var searchCalls = map[string]bool{"bm25": true, "highlight": true, "snippet": true}

// searchCall resolves the first argument of such a function, which otherwise could not be
// called.
func (r *resolver) searchCall(c *Call) {
	if len(c.Args) > 0 {
		if column, ok := c.Args[0].(*Column); ok && r.searchTable(column) {
			return
		}
	}
	r.fail(Unsupported, c.Pos, c.Name, "the first argument of %s() is the name of a full-text table in FROM", c.Name)
}

// match resolves x MATCH 'words', where x is a full-text table or a column of it. The words
// may name any column of the table, so that all are read.
func (r *resolver) match(e *Like) {
	c, ok := e.X.(*Column)
	if ok && !r.searchTable(c) {
		r.expr(&e.X)
		c, ok = e.X.(*Column)
	}
	r.expr(&e.Pattern)
	if r.err != nil {
		return
	}
	if ok {
		if t, isTable := c.Of.(*Table); isTable && t.Object != nil && t.Object.Name == t.Object.Logical {
			r.readAll(t.Object)
			r.scope.searched = c
			return
		}
	}
	r.fail(Unsupported, e.Pos, "MATCH", "MATCH searches a full-text table of FROM, or a column of it, that no view replaces: "+
		"write LIKE '%%word%%' elsewhere")
}

// searchTable makes c the hidden column of a table of FROM if c is the table's name. It
// reports whether it did.
func (r *resolver) searchTable(c *Column) bool {
	if c.Table != "" || r.hasColumn(c.Name) {
		return false
	}
	for s := r.scope; s != nil; s = s.outer {
		var found *binding
		for i := s.lo; i < s.hi; i++ {
			if b := &s.tables[i]; b.object != nil && b.object.Name == b.object.Logical && r.fold(b.object.Name, c.Name) {
				if found != nil || r.hidden(b.alias, s) {
					r.fail(AmbiguousName, c.Pos, c.Name, "'%s' is in FROM several times: search it in a subquery", c.Name)
				}
				found = b
			}
		}
		if found != nil {
			c.Table, c.Name, c.DoubleQuoted, c.Of, c.Index = found.alias, found.object.Name, false, found.rel, len(found.columns)
			r.weigh(len(c.Table) + len(c.Name))
			r.readAll(found.object)
			return true
		}
	}
	return false
}

// rank makes c the relevance of the search in the conditions of its block. It reports
// whether there is one.
func (r *resolver) rank(c *Column) bool {
	if !r.flavor.SearchTables || r.scope.searched == nil || !r.fold(c.Name, "rank") {
		return false
	}
	of := r.scope.searched
	c.Table, c.Name, c.DoubleQuoted, c.Of, c.Index = of.Table, "rank", false, of.Of, len(of.Of.(*Table).Object.Columns)
	return true
}

// readAll records that all columns of an object are read.
func (r *resolver) readAll(o *Object) {
	for i := range r.resolution.Objects {
		if read := &r.resolution.Objects[i]; read.Object == o {
			for k := range read.named {
				read.named[k] = true
			}
		}
	}
}

// searched returns the name of the hidden column that c is, or "".
func (c *Column) searched() string {
	if t, ok := c.Of.(*Table); ok && t.Object != nil && c.Index == len(t.Object.Columns) {
		return t.Object.Name
	}
	return ""
}
