package shape

import (
	"math"
	"slices"

	"github.com/qedkit/qed/internal/sqlast"
)

// generators are the functions that return several rows.
var generators = map[string]bool{
	"generate_series": true, "range": true, "generate_subscripts": true, "unnest": true, "json_each": true, "json_tree": true,
	"json_each_text": true, "jsonb_each": true, "jsonb_each_text": true, "json_object_keys": true, "jsonb_object_keys": true,
	"json_array_elements": true, "json_array_elements_text": true,
	"jsonb_array_elements": true, "jsonb_array_elements_text": true,
	"json_to_recordset": true, "jsonb_to_recordset": true, "jsonb_path_query": true, "jsonb_path_query_tz": true,
	"regexp_matches": true, "regexp_split_to_table": true, "string_to_table": true,
}

func isGenerator(name string) bool { return generators[name] }

// generatorOf returns the call of a generator that an expression is, or nil.
func generatorOf(e sqlast.Expr) *sqlast.Call {
	if c, ok := uncast(e).(*sqlast.Call); ok && isGenerator(c.Name) {
		return c
	}
	return nil
}

// generated returns the number of rows that a call makes of constants. It is 1 if the
// call depends on stored values, which bound its rows: the length of a stored text,
// and the time limit for a series between two stored numbers.
func (s *shaper) generated(c *sqlast.Call) float64 {
	if c.Name == "generate_series" || c.Name == "range" {
		return s.seriesOf(c)
	}
	rows := 1.0
	for _, arg := range c.Args {
		if namesColumn(arg) {
			return 1
		}
		rows = max(rows, constantLength(arg))
	}
	if rows > maxRows {
		s.tooManyRows(c.Pos, c.Name)
	}
	return rows
}

// seriesOf returns the number of rows of generate_series.
func (s *shaper) seriesOf(c *sqlast.Call) float64 {
	if len(c.Args) > 4 {
		return 1 // the engine refuses it
	}
	bounds, known := make([]*value, len(c.Args)), true
	for i, arg := range c.Args {
		if bounds[i] = s.constant(arg); bounds[i] == nil {
			if !dependsOnData(arg) {
				s.fail(sqlast.Unbounded, arg.At(), c.Name, "the bounds of %s are constants that the guard cannot "+
					"compute: write dates as '2024-01-31', numbers, or CURRENT_DATE with an INTERVAL", c.Name)
			}
			known = false
		}
	}
	if !known || len(c.Args) == 0 {
		return 1
	}
	if len(c.Args) == 1 { // from 0
		bounds = []*value{{number: 0}, bounds[0]}
	}
	by := &value{number: 1}
	if len(bounds) > 2 {
		if by = bounds[2]; by.kind == text {
			by = asInterval(by)
		}
	}
	start, stop := asTime(bounds[0]), asTime(bounds[1])
	if by == nil || by.number == 0 || math.IsNaN(start.number+stop.number) {
		return 1 // the engine refuses it
	}
	rows := max(1, math.Floor((stop.number-start.number)/by.number)+1)
	if rows > maxRows {
		s.tooManyRows(c.Pos, c.Name)
	}
	return rows
}

// repeatsOf returns how many of the rows of a call have the same value.
func repeatsOf(c *sqlast.Call, rows float64) float64 {
	switch c.Name {
	case "generate_series", "range", "generate_subscripts":
		return 1
	}
	return rows
}

// repeats returns how many of the rows of the block have the same value of e.
func (s *shaper) repeats(e sqlast.Expr, rows float64) float64 {
	switch e := uncast(e).(type) {
	case *sqlast.Column:
		for i := range s.block.tables {
			if t := &s.block.tables[i]; t.alias == e.Table {
				if c := s.column(e); c != nil {
					return max(1, rows/t.rows*c.repeats)
				}
			}
		}
	case *sqlast.Call:
		if isGenerator(e.Name) {
			return rows * repeatsOf(e, s.series)
		}
	}
	return rows
}

// uncast returns an expression without casts. A cast may make values equal, such as
// the hours of a day as a date: the hours of a join are then counted as one.
func uncast(e sqlast.Expr) sqlast.Expr {
	for {
		c, ok := e.(*sqlast.Cast)
		if !ok {
			return e
		}
		e = c.X
	}
}

// product returns the number of rows that constants make in a FROM. A table that is
// joined by an equality has no more rows for each row before it than have the same
// value.
func (s *shaper) product(b *sqlast.Select) float64 {
	rows := 1.0
	var equalities [][2]*sqlast.Column
	for i := range s.block.tables {
		t := &s.block.tables[i]
		if t.rows <= 1 {
			continue
		}
		if equalities == nil && i > 0 {
			equalities = equalitiesOf(b.From, conjuncts(b.Where))
		}
		factor := t.rows
		for _, eq := range equalities {
			x, y := eq[0], eq[1]
			if y.Table == t.alias {
				x, y = y, x
			}
			if x.Table != t.alias || !s.declares(y.Table, i) {
				continue
			}
			if k := slices.Index(t.names, x.Name); k >= 0 && k < len(t.columns) {
				factor = min(factor, max(1, t.columns[k].repeats))
			}
		}
		rows *= factor
	}
	return rows
}

// declares reports whether one of the first n tables of the block has the alias.
func (s *shaper) declares(alias string, n int) bool {
	return slices.ContainsFunc(s.block.tables[:n], func(t table) bool { return t.alias == alias })
}

// equalitiesOf returns the equalities of two columns in the ON clauses of a relation
// and in conditions.
func equalitiesOf(r sqlast.Relation, conditions []sqlast.Expr) (list [][2]*sqlast.Column) {
	for _, e := range append(onConditions(r), conditions...) {
		b, ok := e.(*sqlast.Binary)
		if !ok || b.Op != sqlast.Eq {
			continue
		}
		x, ok1 := uncast(b.X).(*sqlast.Column)
		y, ok2 := uncast(b.Y).(*sqlast.Column)
		if ok1 && ok2 {
			list = append(list, [2]*sqlast.Column{x, y})
		}
	}
	return list
}

// onConditions returns the conditions of the ON clauses of a relation.
func onConditions(r sqlast.Relation) []sqlast.Expr {
	j, ok := r.(*sqlast.Join)
	if !ok {
		return nil
	}
	return slices.Concat(onConditions(j.Left), onConditions(j.Right), conjuncts(j.On))
}

// namesColumn reports whether an expression names a column.
func namesColumn(e sqlast.Expr) bool {
	return contains(e, func(n sqlast.Node) bool { _, ok := n.(*sqlast.Column); return ok })
}

// dependsOnData reports whether an expression names a column or reads a query.
func dependsOnData(e sqlast.Expr) bool {
	return contains(e, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.Column:
			return true
		case *sqlast.Select:
			return n.From != nil
		}
		return false
	})
}

func contains(e sqlast.Expr, is func(sqlast.Node) bool) (found bool) {
	if e == nil {
		return false
	}
	sqlast.Walk(e, func(n sqlast.Node) bool {
		found = found || is(n)
		return !found
	})
	return found
}

// constantLength returns a bound of the elements of a value that is made of constants:
// the bytes of its texts, its items, and the lengths that calls such as lpad take.
func constantLength(e sqlast.Expr) float64 {
	n := 1.0
	sqlast.Walk(e, func(node sqlast.Node) bool {
		switch node := node.(type) {
		case *sqlast.String:
			n += float64(len(node.Value))
		case *sqlast.Number:
			if v := parseNumber(node.Text); v != nil {
				n += max(1, math.Abs(v.number))
			}
		default:
			n++
		}
		return true
	})
	return n
}
