package sqlast_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/qedkit/qed/internal/sqlast"
)

func quoted(quote string) func([]byte, string) []byte {
	return func(dst []byte, s string) []byte { return append(append(append(dst, quote...), s...), quote...) }
}

// Two styles that differ in everything a style can say.
var (
	flatStyle = sqlast.Style{
		AppendName: quoted(`"`), AppendString: quoted("'"),
		AppendColumn: func(dst []byte, c *sqlast.Column) []byte { return append(dst, c.Name...) },
		Same:         "IS", NotSame: "IS NOT", CrossJoin: "JOIN",
	}
	richStyle = sqlast.Style{
		AppendName: quoted("`"), AppendString: quoted("'"),
		ArgSeparator: func(c *sqlast.Call, i int) string {
			switch {
			case c.Name == "extract", c.Name == "trim" && i == 2:
				return " FROM "
			case c.Name == "trim":
				return " "
			}
			return ""
		},
		Same: "<=>", CrossJoin: "CROSS JOIN", ValuesRow: "ROW",
		ParenthesizedArms: true, IntersectFirst: true, ValuesTail: true,
	}
)

func col(name string) sqlast.Expr { return &sqlast.Column{Name: name} }
func num(text string) sqlast.Expr { return &sqlast.Number{Text: text} }

func bin(op sqlast.BinaryOp, x, y sqlast.Expr) sqlast.Expr { return &sqlast.Binary{Op: op, X: x, Y: y} }

func sel(items ...sqlast.Expr) *sqlast.Select {
	s := &sqlast.Select{}
	for _, e := range items {
		s.Items = append(s.Items, sqlast.Item{Expr: e})
	}
	return s
}

func query(b sqlast.Body) *sqlast.Query { return &sqlast.Query{Body: b} }

func printed(t *testing.T, s *sqlast.Style, q *sqlast.Query) string {
	t.Helper()
	dst, err := s.Append(nil, q, false)
	if err != nil {
		t.Fatal(err)
	}
	return string(dst)
}

func TestPrintExpr(t *testing.T) {
	a, b, c := col("a"), col("b"), col("c")
	minus := func(x sqlast.Expr) sqlast.Expr { return &sqlast.Unary{Op: sqlast.Minus, X: x} }
	not := func(x sqlast.Expr) sqlast.Expr { return &sqlast.Unary{Op: sqlast.Not, X: x} }
	collate := func(x sqlast.Expr) sqlast.Expr { return &sqlast.Collate{X: x, Name: "NOCASE"} }
	for _, tt := range []struct {
		e    sqlast.Expr
		want string // in richStyle, without the quotes of names
	}{
		{bin(sqlast.And, bin(sqlast.And, a, b), c), "a AND b AND c"},
		{bin(sqlast.And, a, bin(sqlast.And, b, c)), "a AND (b AND c)"},
		{bin(sqlast.Or, bin(sqlast.And, a, b), c), "(a AND b) OR c"},
		{bin(sqlast.And, a, bin(sqlast.Or, b, c)), "a AND (b OR c)"},
		{bin(sqlast.Xor, bin(sqlast.Or, a, b), c), "(a OR b) XOR c"},
		{bin(sqlast.Or, bin(sqlast.Xor, a, b), c), "(a XOR b) OR c"},
		{bin(sqlast.And, not(a), not(bin(sqlast.Eq, b, c))), "NOT a AND NOT (b = c)"},
		{not(not(a)), "NOT (NOT a)"},
		{bin(sqlast.Eq, not(a), b), "(NOT a) = b"},

		{bin(sqlast.Eq, bin(sqlast.Eq, a, b), c), "(a = b) = c"},
		{bin(sqlast.Lt, a, bin(sqlast.Ge, b, c)), "a < (b >= c)"},
		{bin(sqlast.Same, a, bin(sqlast.Add, b, c)), "a <=> b + c"},
		{bin(sqlast.And, bin(sqlast.NotSame, a, b), c), "NOT (a <=> b) AND c"},
		{bin(sqlast.Eq, bin(sqlast.NotSame, a, b), c), "(NOT (a <=> b)) = c"},
		{&sqlast.Is{X: bin(sqlast.Eq, a, b), Test: sqlast.IsTrue}, "(a = b) IS TRUE"},
		{&sqlast.Is{X: a, Not: true, Test: sqlast.IsFalse}, "a IS NOT FALSE"},
		{&sqlast.Between{X: a, Low: bin(sqlast.BitOr, b, c), High: bin(sqlast.Lt, b, c)}, "a BETWEEN b | c AND (b < c)"},
		{&sqlast.In{X: bin(sqlast.Add, a, b), Not: true, List: []sqlast.Expr{bin(sqlast.Or, a, b)}}, "a + b NOT IN (a OR b)"},
		{&sqlast.Like{X: a, Pattern: minus(b), Escape: collate(c)}, "a LIKE (-b) ESCAPE (c COLLATE NOCASE)"},

		{bin(sqlast.Sub, bin(sqlast.Add, a, b), c), "a + b - c"},
		{bin(sqlast.Sub, a, bin(sqlast.Add, b, c)), "a - (b + c)"},
		{bin(sqlast.Mul, bin(sqlast.Add, a, b), c), "(a + b) * c"},
		{bin(sqlast.Add, a, bin(sqlast.IntDiv, b, c)), "a + b DIV c"},
		{bin(sqlast.Mod, bin(sqlast.Div, a, b), c), "a / b % c"},
		{bin(sqlast.BitOr, bin(sqlast.BitAnd, a, b), c), "(a & b) | c"},
		{bin(sqlast.BitOr, bin(sqlast.BitOr, a, b), c), "a | b | c"},
		{bin(sqlast.ShiftLeft, a, bin(sqlast.Add, b, c)), "a << b + c"},
		{bin(sqlast.BitXor, bin(sqlast.Mul, a, b), c), "(a * b) ^ c"},
		{bin(sqlast.Mul, bin(sqlast.BitXor, a, b), c), "(a ^ b) * c"},
		{bin(sqlast.BitXor, bin(sqlast.BitXor, a, b), c), "a ^ b ^ c"},
		{bin(sqlast.Concat, bin(sqlast.Concat, a, b), minus(c)), "a || b || (-c)"},
		{bin(sqlast.Mul, a, bin(sqlast.Concat, b, c)), "a * (b || c)"},
		{bin(sqlast.Eq, a, bin(sqlast.Concat, b, c)), "a = b || c"},
		{bin(sqlast.JSONText, bin(sqlast.JSONGet, a, b), c), "(a -> b) ->> c"},
		{minus(minus(a)), "-(-a)"},
		{minus(num("1")), "-1"},
		{bin(sqlast.Sub, a, minus(num("1"))), "a - -1"},
		{minus(bin(sqlast.Mul, a, b)), "-(a * b)"},
		{collate(minus(a)), "(-a) COLLATE NOCASE"},
		{minus(collate(a)), "-(a COLLATE NOCASE)"},
		{&sqlast.Unary{Op: sqlast.BitNot, X: &sqlast.Unary{Op: sqlast.Plus, X: a}}, "~(+a)"},

		{&sqlast.Call{Name: "extract", Args: []sqlast.Expr{&sqlast.Unit{Name: "YEAR"}, a}}, "extract(YEAR FROM a)"},
		{&sqlast.Call{Name: "trim", Args: []sqlast.Expr{&sqlast.Unit{Name: "LEADING"}, bin(sqlast.Add, a, b), c}}, "trim(LEADING (a + b) FROM c)"},
		{&sqlast.Call{Name: "mod", Args: []sqlast.Expr{bin(sqlast.Or, a, b), c}}, "mod(a OR b, c)"},
		{&sqlast.Call{Name: "group_concat", Distinct: true, Args: []sqlast.Expr{a}, OrderBy: []sqlast.Order{{Expr: b, Desc: true}}, Separator: &sqlast.String{Value: "-"}},
			"group_concat(DISTINCT a ORDER BY b DESC SEPARATOR '-')"},
		{bin(sqlast.Add, a, &sqlast.Interval{X: bin(sqlast.Add, b, c), Unit: "DAY"}), "a + INTERVAL (b + c) DAY"},
		{&sqlast.Quantified{Op: sqlast.Ge, X: a, All: true, Query: query(sel(b))}, "a >= ALL (SELECT b)"},
		{&sqlast.Quantified{Op: sqlast.Eq, X: a, Query: query(sel(b))}, "a = ANY (SELECT b)"},
		{&sqlast.Now{Kind: sqlast.CurrentTimestamp, Precision: 3}, "CURRENT_TIMESTAMP(3)"},
		{&sqlast.Bytes{Value: []byte("A\xff")}, "X'41ff'"},
		{&sqlast.Bool{}, "FALSE"},
		{&sqlast.Cast{X: bin(sqlast.Or, a, b), Type: "SIGNED"}, "CAST(a OR b AS SIGNED)"},
	} {
		style := richStyle
		style.AppendName = func(dst []byte, s string) []byte { return append(dst, s...) }
		if got := printed(t, &style, query(sel(tt.e))); got != "SELECT "+tt.want {
			t.Errorf("printed %s; want SELECT %s", got, tt.want)
		}
	}
}

func TestPrintSetOperations(t *testing.T) {
	one, two, three := sel(num("1")), sel(num("2")), sel(num("3"))
	op := func(k sqlast.SetKind, l, r sqlast.Body) sqlast.Body { return &sqlast.SetOp{Kind: k, Left: l, Right: r} }
	limited := &sqlast.Query{Body: one, Limit: num("9")}
	values := &sqlast.Values{Rows: [][]sqlast.Expr{{num("1"), num("2")}, {num("3"), num("4")}}}
	for _, tt := range []struct {
		q          *sqlast.Query
		flat, rich string
	}{
		{query(op(sqlast.Except, op(sqlast.Union, one, two), three)),
			"SELECT 1 UNION SELECT 2 EXCEPT SELECT 3",
			"SELECT 1 UNION SELECT 2 EXCEPT SELECT 3"},
		{query(op(sqlast.Intersect, op(sqlast.Union, one, two), three)),
			"SELECT 1 UNION SELECT 2 INTERSECT SELECT 3",
			"(SELECT 1 UNION SELECT 2) INTERSECT SELECT 3"},
		{query(op(sqlast.Union, op(sqlast.Intersect, one, two), three)),
			"SELECT 1 INTERSECT SELECT 2 UNION SELECT 3",
			"SELECT 1 INTERSECT SELECT 2 UNION SELECT 3"},
		{query(op(sqlast.Union, one, op(sqlast.Intersect, two, three))),
			"SELECT 1 UNION SELECT * FROM (SELECT 2 INTERSECT SELECT 3)",
			"SELECT 1 UNION SELECT 2 INTERSECT SELECT 3"},
		{query(op(sqlast.Union, one, op(sqlast.Union, two, three))),
			"SELECT 1 UNION SELECT * FROM (SELECT 2 UNION SELECT 3)",
			"SELECT 1 UNION (SELECT 2 UNION SELECT 3)"},
		{query(op(sqlast.Union, limited, two)),
			"SELECT * FROM (SELECT 1 LIMIT 9) UNION SELECT 2",
			"(SELECT 1 LIMIT 9) UNION SELECT 2"},
		{query(values),
			"VALUES (1, 2), (3, 4)",
			"VALUES ROW(1, 2), ROW(3, 4)"},
		{&sqlast.Query{Body: values, OrderBy: []sqlast.Order{{Expr: num("1")}}, Limit: num("5")},
			"SELECT * FROM (VALUES (1, 2), (3, 4)) ORDER BY 1 LIMIT 5",
			"VALUES ROW(1, 2), ROW(3, 4) ORDER BY 1 LIMIT 5"},
		{&sqlast.Query{Body: op(sqlast.Union, one, values), Limit: num("5")},
			"SELECT * FROM (SELECT 1 UNION VALUES (1, 2), (3, 4)) LIMIT 5",
			"SELECT 1 UNION VALUES ROW(1, 2), ROW(3, 4) LIMIT 5"},
	} {
		if got := printed(t, &flatStyle, tt.q); got != tt.flat {
			t.Errorf("flat: printed\n%s; want\n%s", got, tt.flat)
		}
		if got := printed(t, &richStyle, tt.q); got != tt.rich {
			t.Errorf("rich: printed\n%s; want\n%s", got, tt.rich)
		}
	}
}

func TestPrintFrom(t *testing.T) {
	a, b := &sqlast.Table{Name: "a"}, &sqlast.Table{Name: "b", Alias: "x"}
	s := sel(&sqlast.Star{})
	s.From = &sqlast.Join{
		Kind: sqlast.LeftJoin,
		Left: &sqlast.Join{Left: a, Right: b},
		Right: &sqlast.Join{
			Kind:  sqlast.RightJoin,
			Left:  &sqlast.Derived{Lateral: true, Alias: "d", Columns: []string{"p", "q"}, Query: query(sel(num("1"), num("2")))},
			Right: &sqlast.Table{Schema: "s", Name: "c"},
			Using: []string{"p"},
		},
		On: bin(sqlast.Or, col("p"), col("q")),
	}
	s.GroupBy, s.Rollup = []sqlast.Expr{col("p")}, true
	want := "SELECT * FROM `a` CROSS JOIN `b` AS `x` LEFT JOIN (LATERAL (SELECT 1, 2) AS `d` (`p`, `q`) RIGHT JOIN `s`.`c` USING (`p`)) " +
		"ON `p` OR `q` GROUP BY `p` WITH ROLLUP"
	if got := printed(t, &richStyle, query(s)); got != want {
		t.Errorf("printed\n%s; want\n%s", got, want)
	}
}

// TestPrintPhysical: a physical statement names catalog objects, or is an error.
func TestPrintPhysical(t *testing.T) {
	employee := &sqlast.Object{Schema: "main", Name: "secure_employee", Logical: "employee", Columns: []string{"id"}}
	id := &sqlast.Column{Table: "employee", Name: "id"}
	from := func(r sqlast.Relation) *sqlast.Query {
		s := sel(id)
		s.From = r
		return query(s)
	}
	in := func(e sqlast.Expr) *sqlast.Query { return query(sel(e)) }
	cte := &sqlast.CTE{Name: "Recent", Query: query(sel(num("1")))}
	order := query(sel(num("1")))
	order.OrderBy = []sqlast.Order{{Expr: &sqlast.Subquery{Query: from(&sqlast.Table{Name: "employee"})}}}

	for _, tt := range []struct {
		name string
		q    *sqlast.Query
		want string // empty: refused
	}{
		{"object", from(&sqlast.Table{Name: "EMPLOYEE", Alias: "employee", Object: employee}),
			`SELECT "employee"."id" FROM "main"."secure_employee" AS "employee"`},
		{"object without an alias", from(&sqlast.Table{Name: "secure_employee", Alias: "secure_employee", Object: employee}),
			`SELECT "employee"."id" FROM "main"."secure_employee"`},
		{"CTE by its declared name", from(&sqlast.Table{Name: "recent", Alias: "employee", CTE: cte}),
			`SELECT "employee"."id" FROM "Recent" AS "employee"`},
		{"select alias", in(col("n")), `SELECT n`},

		{"unbound", from(&sqlast.Table{Name: "employee"}), ""},
		{"unbound with a schema", from(&sqlast.Table{Schema: "main", Name: "employee"}), ""},
		{"unbound in a subquery of ORDER BY", order, ""},
		{"unbound in a join", from(&sqlast.Join{Left: &sqlast.Table{Alias: "employee", Object: employee}, Right: &sqlast.Table{Name: "t"}}), ""},
		{"object without a schema", from(&sqlast.Table{Name: "t", Object: &sqlast.Object{Name: "t"}}), ""},
		{"star", in(&sqlast.Star{}), ""},
		{"qualified star", in(&sqlast.Star{Table: "employee"}), ""},
		{"natural join", from(&sqlast.Join{Natural: true, Left: &sqlast.Table{Object: employee}, Right: &sqlast.Table{Object: employee}}), ""},
		{"string or column", in(&sqlast.Column{Name: "x", DoubleQuoted: true}), ""},
		{"column with a schema", in(&sqlast.Column{Schema: "main", Table: "t", Name: "x"}), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := flatStyle.Append([]byte("-- "), tt.q, true)
			var e *sqlast.Error
			switch {
			case tt.want == "" && !errors.As(err, &e):
				t.Errorf("printed %s, %v; want a *sqlast.Error", got, err)
			case tt.want == "" && string(got) != "-- ":
				t.Errorf("a refusal left %q", got)
			case tt.want != "" && (err != nil || string(got) != "-- "+tt.want):
				t.Errorf("printed %s, %v; want -- %s", got, err, tt.want)
			}
		})
	}
}

// TestPrintNesting: a printed statement does not nest deeper than can be read.
func TestPrintNesting(t *testing.T) {
	chain := func(op sqlast.BinaryOp, length int) *sqlast.Query {
		e := col("a")
		for range length {
			e = bin(op, e, col("b"))
		}
		return query(sel(e))
	}
	printed(t, &flatStyle, chain(sqlast.Add, 900))
	printed(t, &flatStyle, chain(sqlast.Or, 900))
	for _, op := range []sqlast.BinaryOp{sqlast.Eq, sqlast.Same} {
		text := printed(t, &flatStyle, chain(op, sqlast.MaxNesting+1))
		if n := strings.Count(text, "("); n > sqlast.MaxNesting {
			t.Errorf("%.40s has %d parentheses", text, n)
		}
		var e *sqlast.Error
		if _, err := flatStyle.Append(nil, chain(op, sqlast.MaxNesting+2), false); !errors.As(err, &e) || e.Code != sqlast.TooDeep {
			t.Errorf("%.40s and one more: %v; want %s", text, err, sqlast.TooDeep)
		}
	}
}

func TestPrintRefusals(t *testing.T) {
	for name, q := range map[string]*sqlast.Query{
		"no body":              {},
		"offset without limit": {Body: sel(num("1")), Offset: num("1")},
		"no expression":        query(sel(nil)),
		"no operand":           query(sel(bin(sqlast.Add, num("1"), nil))),
		"no right side":        query(&sqlast.Select{Items: []sqlast.Item{{Expr: num("1")}}, From: &sqlast.Join{Left: &sqlast.Table{Name: "t"}}}),
		"star as an operand":   query(sel(bin(sqlast.Add, num("1"), &sqlast.Star{}))),
	} {
		var e *sqlast.Error
		if got, err := flatStyle.Append(nil, q, false); !errors.As(err, &e) {
			t.Errorf("%s: printed %s, %v; want a *sqlast.Error", name, got, err)
		}
	}
}
