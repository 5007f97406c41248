package sqlast

func (p *printer) relation(r Relation) {
	switch r := r.(type) {
	case *Table:
		p.table(r)
	case *Derived:
		p.derived(r)
	case *TableFunction:
		p.function(r)
	case *Join:
		p.join(r)
	default:
		p.fail(Unsupported, -1, "", "FROM has nothing that can be printed: %T", r)
	}
}

func (p *printer) table(t *Table) {
	schema, name := t.Schema, t.Name
	if p.physical {
		switch {
		case t.Object != nil:
			schema, name = t.Object.Schema, t.Object.Name
			if schema == "" {
				// A name without a schema could mean a common table expression.
				p.fail(UnknownSchema, t.Pos, t.Name, "the object of table %q has no schema", t.Name)
			}
		case t.CTE != nil:
			schema, name = "", t.CTE.Name
		default:
			p.fail(UnknownTable, t.Pos, t.Name, "table %q is not resolved", t.Name)
		}
	}
	p.qualifier(schema, "")
	p.name(name)
	if !p.physical || t.Alias != name {
		p.alias(t.Alias)
	}
}

func (p *printer) alias(alias string) {
	if alias != "" {
		p.text(" AS ")
		p.name(alias)
	}
}

func (p *printer) derived(d *Derived) {
	if d.Lateral {
		p.text("LATERAL ")
	}
	p.open()
	p.query(d.Query)
	p.close()
	p.alias(d.Alias)
	if d.Columns != nil {
		p.text(" ")
		p.names(d.Columns)
	}
}

func (p *printer) function(f *TableFunction) {
	p.call(f.Call)
	if f.Ordinality {
		p.text(" WITH ORDINALITY")
	}
	p.alias(f.Alias)
	if f.Columns == nil {
		return
	}
	p.text(" ")
	if f.Types == nil {
		p.names(f.Columns)
		return
	}
	p.open()
	for i, name := range f.Columns {
		if i > 0 {
			p.text(", ")
		}
		p.name(name)
		p.text(" ")
		p.text(f.Types[i])
	}
	p.close()
}

var joinKinds = [...]string{
	InnerJoin: "JOIN ",
	LeftJoin:  "LEFT JOIN ",
	RightJoin: "RIGHT JOIN ",
	FullJoin:  "FULL JOIN ",
}

func (p *printer) join(j *Join) {
	bare := !j.Natural && j.On == nil && j.Using == nil
	cross := bare && j.Kind == InnerJoin
	p.relation(j.Left)
	p.text(" ")
	switch {
	case j.Natural:
		if p.physical {
			p.fail(Unsupported, j.Pos, "NATURAL JOIN", "a NATURAL JOIN is left without its columns")
		}
		p.text("NATURAL ")
		p.text(joinKinds[j.Kind])
	case cross:
		p.text(p.CrossJoin)
		p.text(" ")
	default:
		p.text(joinKinds[j.Kind])
	}
	if _, nested := j.Right.(*Join); nested {
		p.open()
		p.relation(j.Right)
		p.close()
	} else {
		p.relation(j.Right)
	}
	if bare && p.BareJoinOn != "" {
		p.text(" ON ")
		p.text(p.BareJoinOn)
	}
	if j.On != nil {
		p.text(" ON ")
		p.expr(j.On)
	}
	if j.Using != nil {
		p.text(" USING ")
		p.names(j.Using)
	}
}
