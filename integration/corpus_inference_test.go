package integration_test

import (
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
)

// domains returns the domains of the columns of a schema, by keyOf.
func domains(c *corpusSchema, foreignKeys [][4]string) map[[2]string]*domain {
	x := &inference{columns: map[[2]string]*domain{}, ctes: map[*sqlast.CTE][]*domain{}}
	for _, table := range c.tables {
		for _, column := range table.columns {
			x.columns[keyOf(table.name, column)] = &domain{column: column}
		}
	}
	for _, k := range foreignKeys {
		join(x.columns[keyOf(k[0], k[1])], x.columns[keyOf(k[2], k[3])])
	}
	for _, text := range c.statements {
		if q, err := c.read(text); err == nil {
			x.query(q, nil)
		}
	}
	for key, d := range x.columns {
		x.columns[key] = d.root()
	}
	return x.columns
}

// keyOf returns a key for a column of a table, independent of case.
func keyOf(table, column string) [2]string {
	return [2]string{ascii.Lower(table), ascii.Lower(column)}
}

// inference walks resolved statements and merges the domains of compared expressions. The
// domain of an expression is nil if nothing is known.
type inference struct {
	columns map[[2]string]*domain
	ctes    map[*sqlast.CTE][]*domain
}

// sight holds the tables that are visible to expressions, by alias.
type sight struct {
	outer  *sight
	tables map[string]visible
}

type visible struct {
	columns []string
	domains []*domain
}

func (s *sight) column(c *sqlast.Column) *domain {
	for ; s != nil; s = s.outer {
		if v, ok := s.tables[ascii.Lower(c.Table)]; ok {
			for i, name := range v.columns {
				if i < len(v.domains) && ascii.EqualFold(name, c.Name) {
					return v.domains[i]
				}
			}
		}
	}
	return nil
}

// query returns the domains of the columns of a query.
func (x *inference) query(q *sqlast.Query, outer *sight) []*domain {
	if q.With != nil {
		for _, c := range q.With.CTEs {
			x.cte(c)
		}
	}
	return x.body(q.Body, outer)
}

// cte returns the domains of the columns of a common table expression, which can refer
// to itself.
func (x *inference) cte(c *sqlast.CTE) []*domain {
	if _, ok := x.ctes[c]; !ok {
		own := make([]*domain, len(c.Columns))
		for i := range own {
			own[i] = &domain{}
		}
		x.ctes[c] = own
		found := x.query(c.Query, nil)
		for i := range own {
			join(found[i], own[i])
		}
		x.ctes[c] = found
	}
	return x.ctes[c]
}

func (x *inference) body(b sqlast.Body, outer *sight) []*domain {
	switch b := b.(type) {
	case *sqlast.Query:
		return x.query(b, outer)
	case *sqlast.SetOp:
		left, right := x.body(b.Left, outer), x.body(b.Right, outer)
		for i := range left {
			left[i] = join(left[i], right[i])
		}
		return left
	case *sqlast.Values:
		out := make([]*domain, len(b.Rows[0]))
		for _, row := range b.Rows {
			for i, e := range row {
				out[i] = join(out[i], x.expr(e, outer))
			}
		}
		return out
	case *sqlast.Select:
		s := &sight{outer: outer, tables: map[string]visible{}}
		if b.From != nil {
			x.declare(b.From, s)
			x.conditions(b.From, s)
		}
		x.exprs(s, b.Where, b.Having)
		x.exprs(s, b.GroupBy...)
		out := make([]*domain, len(b.Items))
		for i, item := range b.Items {
			out[i] = x.expr(item.Expr, s)
		}
		return out
	}
	return nil
}

func (x *inference) declare(r sqlast.Relation, s *sight) {
	var alias string
	var v visible
	switch r := r.(type) {
	case *sqlast.Join:
		x.declare(r.Left, s)
		x.declare(r.Right, s)
		return
	case *sqlast.Derived:
		alias, v = r.Alias, visible{names(r.Columns, r.Query), x.query(r.Query, s.outer)}
	case *sqlast.Table:
		alias = r.Alias
		if r.CTE != nil {
			v = visible{names(r.CTE.Columns, r.CTE.Query), x.cte(r.CTE)}
			break
		}
		v.columns = r.Object.Columns
		for _, column := range v.columns {
			v.domains = append(v.domains, x.columns[keyOf(r.Object.Name, column)])
		}
	}
	s.tables[ascii.Lower(alias)] = v
}

// names returns the names of the columns of a query in FROM.
func names(declared []string, q *sqlast.Query) []string {
	if declared != nil {
		return declared
	}
	b := q.Body
	for {
		switch arm := b.(type) {
		case *sqlast.Query:
			b = arm.Body
			continue
		case *sqlast.SetOp:
			b = arm.Left
			continue
		case *sqlast.Select:
			out := make([]string, len(arm.Items))
			for i, item := range arm.Items {
				out[i] = item.Alias
				if c, ok := item.Expr.(*sqlast.Column); ok && item.Alias == "" {
					out[i] = c.Name
				}
			}
			return out
		}
		return nil
	}
}

func (x *inference) conditions(r sqlast.Relation, s *sight) {
	if j, ok := r.(*sqlast.Join); ok {
		x.conditions(j.Left, s)
		x.conditions(j.Right, s)
		x.exprs(s, j.On)
	}
}

func (x *inference) exprs(s *sight, list ...sqlast.Expr) {
	for _, e := range list {
		x.expr(e, s)
	}
}

// number records that expressions are used in a calculation.
func (x *inference) number(s *sight, list ...sqlast.Expr) *domain {
	for _, e := range list {
		join(x.expr(e, s), numberDomain())
	}
	return numberDomain()
}

func (x *inference) expr(e sqlast.Expr, s *sight) *domain {
	switch e := e.(type) {
	case *sqlast.Column:
		return s.column(e)
	case *sqlast.Number:
		return numberDomain(e.Text)
	case *sqlast.String:
		return textDomain(e.Value)
	case *sqlast.Unary:
		if e.Op == sqlast.Not {
			x.expr(e.X, s)
			return nil
		}
		return x.number(s, e.X)
	case *sqlast.Binary:
		return x.binary(e, s)
	case *sqlast.Is:
		x.expr(e.X, s)
	case *sqlast.Between:
		join(x.expr(e.X, s), join(x.expr(e.Low, s), x.expr(e.High, s)))
	case *sqlast.In:
		d := x.expr(e.X, s)
		for _, one := range e.List {
			d = join(d, x.expr(one, s))
		}
		if e.Query != nil {
			join(d, x.query(e.Query, s)[0])
		}
	case *sqlast.Like:
		pattern := &domain{texts: 1}
		if text, ok := e.Pattern.(*sqlast.String); ok {
			pattern.literals = []string{strings.ReplaceAll(strings.ReplaceAll(text.Value, "%", ""), "_", "x")}
		}
		join(x.expr(e.X, s), pattern)
	case *sqlast.Case:
		return x.caseOf(e, s)
	case *sqlast.Call:
		return x.call(e, s)
	case *sqlast.Exists:
		x.query(e.Query, s)
	case *sqlast.Subquery:
		return x.query(e.Query, s)[0]
	case *sqlast.Quantified:
		join(x.expr(e.X, s), x.query(e.Query, s)[0])
	}
	return nil
}

func (x *inference) binary(e *sqlast.Binary, s *sight) *domain {
	switch e.Op {
	case sqlast.Or, sqlast.Xor, sqlast.And:
		x.exprs(s, e.X, e.Y)
		return nil
	case sqlast.Eq, sqlast.Ne, sqlast.Lt, sqlast.Le, sqlast.Gt, sqlast.Ge, sqlast.Same, sqlast.NotSame:
		join(x.expr(e.X, s), x.expr(e.Y, s))
		return nil
	case sqlast.Concat, sqlast.JSONGet, sqlast.JSONText:
		x.exprs(s, e.X, e.Y)
		return nil
	}
	return x.number(s, e.X, e.Y)
}

func (x *inference) caseOf(e *sqlast.Case, s *sight) *domain {
	var operand, result *domain
	if e.Operand != nil {
		operand = x.expr(e.Operand, s)
	}
	for _, when := range e.Whens {
		if cond := x.expr(when.Cond, s); operand != nil {
			operand = join(operand, cond)
		}
		result = join(result, x.expr(when.Result, s))
	}
	if e.Else != nil {
		result = join(result, x.expr(e.Else, s))
	}
	return result
}

func (x *inference) call(e *sqlast.Call, s *sight) *domain {
	if e.Filter != nil {
		x.expr(e.Filter, s)
	}
	switch e.Name {
	case "sum", "avg", "total", "abs", "round":
		return x.number(s, e.Args...)
	case "min", "max", "coalesce":
		var d *domain
		for _, arg := range e.Args {
			d = join(d, x.expr(arg, s))
		}
		return d
	}
	x.exprs(s, e.Args...)
	if e.Name == "count" || e.Over != nil {
		return numberDomain()
	}
	return nil
}
