package sqlast

import "strings"

// Words returns an expression in short for people: names without quotes, and "..." for what is
// longer than a reader wants. name returns the name of a column.
func Words(e Expr, name func(*Column) string) string { return wording(name).words(e) }

// QualifiedName returns the name of a column with its table, if it has one.
func QualifiedName(c *Column) string { return strings.TrimPrefix(c.Table+"."+c.Name, ".") }

func bareName(c *Column) string { return c.Name }

// A wording writes expressions. It returns the name of a column.
type wording func(*Column) string

func (w wording) words(e Expr) string {
	not := func(is bool) string {
		if is {
			return "NOT "
		}
		return ""
	}
	all := func(list []Expr) string {
		var out []string
		for _, x := range list {
			if len(out) == 5 {
				out = append(out, "...")
				break
			}
			out = append(out, w.words(x))
		}
		return strings.Join(out, ", ")
	}
	switch e := e.(type) {
	case *Column:
		return w(e)
	case *Number:
		return e.Text
	case *String:
		return "'" + e.Value + "'"
	case *Null:
		return "NULL"
	case *Bool:
		if e.Value {
			return "TRUE"
		}
		return "FALSE"
	case *Now:
		return "now"
	case *Unary:
		return map[UnaryOp]string{Not: "NOT ", Minus: "-", Plus: "", BitNot: "~"}[e.Op] + w.operand(e.X)
	case *Binary:
		op := operators[e.Op].text
		switch e.Op {
		case Same:
			op = " IS "
		case NotSame:
			op = " IS NOT "
		}
		return w.operand(e.X) + op + w.operand(e.Y)
	case *Is:
		test := [...]string{IsNull: "NULL", IsTrue: "TRUE", IsFalse: "FALSE", IsUnknown: "UNKNOWN"}
		return w.operand(e.X) + " IS " + not(e.Not) + test[e.Test]
	case *Between:
		return w.operand(e.X) + " " + not(e.Not) + "BETWEEN " + w.operand(e.Low) + " AND " + w.operand(e.High)
	case *In:
		if e.Query == nil {
			return w.operand(e.X) + " " + not(e.Not) + "IN (" + all(e.List) + ")"
		}
		return w.operand(e.X) + " " + not(e.Not) + "IN (SELECT " + w.queryWords(e.Query) + ")"
	case *Like:
		return w.operand(e.X) + " " + not(e.Not) + e.Op.String() + " " + w.operand(e.Pattern)
	case *Exists:
		return "EXISTS (SELECT " + w.queryWords(e.Query) + ")"
	case *Subquery:
		return "(SELECT " + w.queryWords(e.Query) + ")"
	case *Cast:
		return w.words(e.X)
	case *Collate:
		return w.words(e.X)
	case *Interval:
		return w.words(e.X) + " " + strings.ToLower(e.Unit)
	case *Unit:
		return strings.ToLower(e.Name)
	case *Row:
		return "(" + all(e.Items) + ")"
	case *Call:
		if e.Star {
			return e.Name + "(*)"
		}
		distinct := ""
		if e.Distinct {
			distinct = "DISTINCT "
		}
		return e.Name + "(" + distinct + all(e.Args) + ")"
	}
	return "..."
}

// operand returns an expression in brackets if it connects others by AND or OR.
func (w wording) operand(e Expr) string {
	if b, ok := e.(*Binary); ok && (b.Op == And || b.Op == Or) {
		return "(" + w.words(e) + ")"
	}
	return w.words(e)
}

// queryWords returns what a subquery reads, with its conditions. Columns have the names of their
// tables if they are of several.
func (w wording) queryWords(q *Query) string {
	sel, ok := q.Body.(*Select)
	if !ok || sel.From == nil || len(sel.Items) == 0 {
		return "..."
	}
	relations := Relations(sel.From)
	several := len(relations) > 1 || Any(sel, func(c *Column) bool { return c.Of != nil && c.Of != relations[0] })
	w = bareName
	if several {
		w = QualifiedName
	}
	var tables []string
	for _, r := range relations {
		if t, ok := r.(*Table); ok && several && t.Alias != "" && t.Alias != t.Name {
			tables = append(tables, t.Name+" AS "+t.Alias)
		} else if ok {
			tables = append(tables, t.Name)
		}
	}
	out := w.words(sel.Items[0].Expr) + " FROM " + strings.Join(tables, ", ")
	if sel.Where != nil {
		out += " WHERE " + w.words(sel.Where)
	}
	return out
}
