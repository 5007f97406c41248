package sqlproof

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/textmatch"
	"github.com/qedkit/qed/sqlproof/proof"
)

// checkConditions checks what conditions lose, and what the expressions of a block compare.
func (s *scope) checkConditions(sel *sqlast.Select, order []sqlast.Order) {
	c := s.seenBy(nil)
	none, may := make([]bool, len(s.leaves)), make([]bool, len(s.leaves)) // be missing before any WHERE
	for _, j := range s.joins {
		left, right := j.mayMiss(none)
		for l := j.lo; l < j.hi; l++ {
			may[l] = may[l] || left && l < j.mid || right && l >= j.mid
		}
	}
	for i := range s.conds {
		k := &s.conds[i]
		if k.frame != s.frame {
			continue
		}
		s.comparisons(k.frame, k.expr)
		if k.join < 0 || c.hard(k) && s.joins[k.join].kind != sqlast.LeftJoin && s.joins[k.join].kind != sqlast.RightJoin {
			s.undone(may, k)
		}
		if c.hard(k) {
			s.optionalJoin(c, k)
		}
	}
	eachExpr(sel, order, func(e sqlast.Expr) {
		s.divisions(e)
		s.units(e)
		if e != sel.Where { // its conditions are among those above
			s.choosing = e != sel.Having
			s.comparisons(s.frame, e)
		}
	})
}

// undone says that a WHERE or an inner join removes the rows without a match that an outer
// join kept.
func (s *scope) undone(may []bool, k *cond) {
	for _, l := range s.rejected(k) {
		if !may[l] {
			continue
		}
		label, by, fix := s.leaves[l].label, "a condition of WHERE", "move the condition into ON to keep the rows, or write an inner join"
		if k.join >= 0 {
			by = "the inner join of " + s.leaves[s.joins[k.join].mid].label
			fix = "write an outer join here as well to keep the rows, or an inner join of " + label
		}
		s.say(proof.Finding{
			Code: proof.OuterJoinUndone, Severity: proof.Note, Subject: label, By: []string{label}, At: int(k.expr.At()),
			Message: fmt.Sprintf("the outer join of %s keeps rows without a match, and %s removes them again", label, by),
			Fix:     fix,
		})
		return
	}
}

// comparisons checks the comparisons in a condition.
func (s *scope) comparisons(f *frame, e sqlast.Expr) {
	sqlast.Walk(e, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.Query:
			return false
		case *sqlast.Binary:
			if sqlast.Eq <= n.Op && n.Op <= sqlast.Ge {
				s.compareValues(f, n)
			}
		case *sqlast.Case:
			for _, w := range n.Whens {
				if n.Operand != nil {
					s.compareValues(f, &sqlast.Binary{Op: sqlast.Eq, X: n.Operand, Y: w.Cond})
				}
			}
		case *sqlast.Between:
			s.compareValues(f, &sqlast.Binary{Op: sqlast.Ge, X: n.X, Y: n.Low})
			s.boundary(f, n.X, n.High, false)
		case *sqlast.Unary:
			if in, ok := n.X.(*sqlast.In); ok && n.Op == sqlast.Not && !in.Not {
				s.notIn(f, in)
			}
		case *sqlast.Quantified:
			if n.Op == sqlast.Ne && n.All && n.Query != nil {
				s.notIn(f, &sqlast.In{Pos: n.Pos, X: n.X, Query: n.Query})
			}
		case *sqlast.In:
			if n.Not {
				s.notIn(f, n)
			}
			for _, item := range n.List {
				if !isNull(item) {
					s.compareValues(f, &sqlast.Binary{Op: sqlast.Eq, X: n.X, Y: item})
				}
			}
		}
		return true
	})
}

func isNull(e sqlast.Expr) bool { _, ok := e.(*sqlast.Null); return ok }

func (s *scope) compareValues(f *frame, e *sqlast.Binary) {
	if isNull(e.X) || isNull(e.Y) {
		s.say(proof.Finding{
			Code: proof.NullCompare, Severity: proof.Error, At: int(e.X.At()),
			Message: "a comparison with NULL is never true", Fix: "write IS NULL or IS NOT NULL",
		})
		return
	}
	switch e.Op {
	case sqlast.Eq, sqlast.Ne:
		s.unknownValue(f, e.X, e.Y)
		s.unknownValue(f, e.Y, e.X)
		for _, sides := range [][2]sqlast.Expr{{e.X, e.Y}, {e.Y, e.X}} {
			s.boundary(f, sides[0], sides[1], true)
			s.zero(f, sides[0], sides[1])
		}
	case sqlast.Le:
		s.boundary(f, e.X, e.Y, false)
	case sqlast.Ge:
		s.boundary(f, e.Y, e.X, false)
	}
	x, y := s.kindOf(f, e.X), s.kindOf(f, e.Y)
	nameX, nameY := describe(e.X), describe(e.Y)
	if y.isNumber() && x == textKind {
		x, y, nameX, nameY = y, x, nameY, nameX
	}
	if !x.isNumber() || y != textKind {
		return
	}
	_, leftColumn := e.X.(*sqlast.Column)
	_, rightColumn := e.Y.(*sqlast.Column)
	if leftColumn && rightColumn {
		s.say(proof.Finding{
			Code: proof.JoinType, Severity: proof.Question, At: int(e.X.At()), Subject: nameX + ", " + nameY,
			Message: fmt.Sprintf("%s is a number and %s a text", nameX, nameY),
			Fix:     "compare columns of one type, or cast one of them",
		})
		return
	}
	text, ok := e.X.(*sqlast.String)
	if !ok {
		text, ok = e.Y.(*sqlast.String)
	}
	if ok && !looksNumeric(text.Value) {
		s.say(proof.Finding{
			Code: proof.TypeMismatch, Severity: proof.Error, At: int(e.X.At()), Subject: nameX,
			Message: fmt.Sprintf("%s is a number, and '%s' is none", nameX, text.Value),
		})
	} else if ok {
		return // '5' for a number
	} else if e.Op != sqlast.Eq && e.Op != sqlast.Ne {
		s.say(proof.Finding{
			Code: proof.TextOrder, Severity: proof.Question, At: int(e.X.At()), Subject: nameY,
			Message: fmt.Sprintf("%s is a text: engines order it by letters, or compare types", nameY),
			Fix:     fmt.Sprintf("CAST %s to a number", nameY),
		})
	}
}

// unknownValue says that a column is compared with a text that it does not have. Texts that
// differ in case, accents or signs may be equal to it.
func (s *scope) unknownValue(f *frame, x, y sqlast.Expr) {
	text, ok := y.(*sqlast.String)
	if !ok || s.choosing || s.prover.values == nil || textmatch.Fold(text.Value) == "" {
		return
	}
	l, a := s.value(f, x)
	if a == 0 || s.kindOf(f, x) != textKind && s.kindOf(f, x) != unknownKind {
		return
	}
	t, column := columnOf(l, a)
	if t == nil {
		return
	}
	all := s.prover.values(t.name, t.names[column])
	if len(all) == 0 || slices.ContainsFunc(all, func(v string) bool { return textmatch.Fold(v) == textmatch.Fold(text.Value) }) {
		return
	}
	name := t.name + "." + t.names[column]
	fix := ""
	if near := textmatch.Nearest([]string{text.Value}, slices.Clone(all)); len(near) > 0 {
		fix = "it has values such as " + list(near)
	}
	s.say(proof.Finding{
		Code: proof.ValueUnknown, Severity: proof.Question, At: int(y.At()), Subject: text.Value, Of: []string{name},
		Message: fmt.Sprintf("no row has %q in %s", text.Value, name), Fix: fix,
	})
}

func looksNumeric(text string) bool {
	_, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return err == nil || errors.Is(err, strconv.ErrRange)
}

// kindOf returns the kind of a column or a literal.
func (s *scope) kindOf(f *frame, e sqlast.Expr) kind {
	switch e := e.(type) {
	case *sqlast.Column:
		if l, a := s.value(f, e); a != 0 {
			if t, column := columnOf(l, a); t != nil {
				return t.types[column]
			}
		}
	case *sqlast.Number:
		if e.IsWhole() {
			return wholeKind
		}
		return numberKind
	case *sqlast.String:
		return textKind
	}
	return unknownKind
}

// day returns the day that a time is compared with, as in placed_at <= '2026-01-31', or the
// column of days.
func (s *scope) day(f *frame, x, y sqlast.Expr) (day string, ok bool) {
	if s.kindOf(f, x) != momentKind {
		return "", false
	}
	call, _ := y.(*sqlast.Call)
	switch cast, is := y.(*sqlast.Cast); {
	case s.kindOf(f, y) == dayKind || call != nil && call.Name == "last_day":
		return describe(y), true
	case is && (cast.Literal != "" || kindOf(cast.Type) == dayKind):
		y = cast.X
	case call != nil && call.Name == "date" && len(call.Args) == 1:
		y = call.Args[0]
	}
	text, ok := y.(*sqlast.String)
	if !ok {
		return "", false
	}
	day = strings.TrimSuffix(strings.Replace(text.Value, "T", " ", 1), " 00:00:00")
	_, err := time.Parse("2006-1-2", day)
	return day, err == nil
}

// boundary says that a day as the upper bound of times leaves out the rest of that day, and that
// only its first moment is equal to it.
func (s *scope) boundary(f *frame, x, y sqlast.Expr, equal bool) {
	day, ok := s.day(f, x, y)
	if !ok {
		return
	}
	found := proof.Finding{
		Code: proof.DateBoundary, Severity: proof.Question, At: int(y.At()), Subject: describe(x),
		Message: fmt.Sprintf("%s has times: those of %s after midnight are not in the range", describe(x), day),
		Fix:     "end the range with < and the next day",
	}
	if equal {
		found.Severity, found.Fix = proof.Note, "compare with >= and the day, and with < and the next day"
		found.Message = fmt.Sprintf("%s has times: only midnight of %s is equal to it", describe(x), day)
	}
	s.say(found)
}

// zero says that in MySQL every text that begins with no digit equals 0.
func (s *scope) zero(f *frame, x, y sqlast.Expr) {
	if isZero(y) && s.dialect == "mysql" && s.kindOf(f, x) == textKind {
		s.say(proof.Finding{
			Code: proof.TypeMismatch, Severity: proof.Question, At: int(x.At()), Subject: describe(x),
			Message: fmt.Sprintf("%s is a text, and each text that begins with no digit equals the number 0", describe(x)),
			Fix:     "compare it with a text, as in '0'",
		})
	}
}

// notIn says that NOT IN finds nothing if the query returns a NULL.
func (s *scope) notIn(f *frame, in *sqlast.In) {
	if in.Query == nil {
		if slices.ContainsFunc(in.List, isNull) {
			s.say(proof.Finding{Code: proof.NullCompare, Severity: proof.Error, At: int(in.At()), Message: "NOT IN a list with NULL is never true", Fix: "leave out the NULL"})
		}
		return
	}
	r := s.rowsOf(in.Query, f)
	i := slices.IndexFunc(r.columns, func(c column) bool { return c.nullable == proof.Yes })
	if i < 0 {
		return
	}
	name, by, fix, none := "a value of the subquery", []string(nil), "", "true for no row"
	if len(r.columns) > 1 {
		none = "not true for rows with the same other values"
	}
	if sel, ok := in.Query.Body.(*sqlast.Select); ok {
		name = describe(sel.Items[i].Expr)
		fix = fmt.Sprintf(", or add WHERE %s IS NOT NULL", name)
	}
	if t := r.columns[i].table; t != nil {
		by = []string{t.name}
	}
	s.say(proof.Finding{
		Code: proof.NotInNull, Severity: proof.Question, Subject: name, By: by, At: int(in.At()),
		Message: fmt.Sprintf("%s may be NULL, and then NOT IN is %s", name, none),
		Fix:     "write NOT EXISTS" + fix,
	})
}

// divisions says that a share of two whole numbers is rounded.
func (s *scope) divisions(e sqlast.Expr) {
	if s.dialect != "sqlite" && s.dialect != "postgres" {
		return
	}
	sqlast.Walk(e, func(n sqlast.Node) bool {
		if _, query := n.(*sqlast.Query); query {
			return false
		}
		d, ok := n.(*sqlast.Binary)
		if ok && d.Op == sqlast.Div && s.isWhole(d.X) && s.isWhole(d.Y) {
			severity := proof.Error
			if !s.isCount(d.X) && !s.isCount(d.Y) {
				if len(s.rowsUnder(d.X)) == 0 || len(s.rowsUnder(d.Y)) == 0 {
					return true // groups of values, such as age / 10
				}
				severity = proof.Question
			}
			s.say(proof.Finding{
				Code: proof.IntegerDivision, Severity: severity, At: int(d.X.At()), Subject: describe(d.X) + " / " + describe(d.Y),
				Message: "a whole number divided by a whole number is rounded to a whole number: a share becomes 0",
				Fix:     "multiply by 1.0 first, or CAST one of them to a decimal number",
				Edit:    s.decimal(d.X),
			})
		}
		return true
	})
}

// decimal returns the edit that makes a call a decimal number, if it stands where the tree
// says.
func (s *scope) decimal(e sqlast.Expr) *proof.Edit {
	call, ok := e.(*sqlast.Call)
	if !ok {
		return nil
	}
	at := int(call.Pos)
	if at < 0 || len(s.source)-at < len(call.Name) || !ascii.EqualFold(s.source[at:at+len(call.Name)], call.Name) {
		return nil
	}
	return &proof.Edit{At: at, Text: "1.0 * "}
}

// isWhole reports whether a value is certainly a whole number.
func (s *scope) isWhole(e sqlast.Expr) bool {
	switch e := e.(type) {
	case *sqlast.Number:
		return e.IsWhole()
	case *sqlast.Binary:
		return (e.Op == sqlast.Add || e.Op == sqlast.Sub || e.Op == sqlast.Mul) && s.isWhole(e.X) && s.isWhole(e.Y)
	case *sqlast.Call:
		switch {
		case e.Name == "count":
			return true
		case e.Name == "sum" && len(e.Args) == 1:
			return s.isWhole(e.Args[0]) && !(s.dialect == "postgres" && s.isBig(e.Args[0]))
		case e.Name == "nullif" && len(e.Args) == 2:
			return s.isWhole(e.Args[0])
		case slices.Contains([]string{"coalesce", "ifnull", "abs", "min", "max"}, e.Name):
			return !slices.ContainsFunc(e.Args, func(arg sqlast.Expr) bool { return !s.isWhole(arg) })
		}
	case *sqlast.Case:
		for _, w := range e.Whens {
			if !s.isWhole(w.Result) {
				return false
			}
		}
		return e.Else == nil || s.isWhole(e.Else)
	case *sqlast.Column:
		l, a := s.value(s.frame, e)
		if a == 0 {
			return false
		}
		return l.column(a).whole || s.kindOf(s.frame, e).isWhole()
	case *sqlast.Subquery:
		r := s.rowsOf(e.Query, s.frame)
		return len(r.columns) == 1 && r.columns[0].whole
	}
	return false
}

// isBig reports whether a value is a bigint, the sum of which is a decimal number in
// PostgreSQL.
func (s *scope) isBig(e sqlast.Expr) (big bool) {
	big = sqlast.HasAggregate(e) // of an aggregate of groups, as in SUM(COUNT(*)) OVER ()
	s.eachColumn(s.frame, e, func(f *frame, c *sqlast.Column) {
		l, a := s.value(f, c)
		big = big || s.kindOf(f, c) == bigKind || l.column(a).whole
	})
	return big
}

// isCount reports whether a value has a count or a sum: with it a division makes a share or
// an average.
func (s *scope) isCount(e sqlast.Expr) bool {
	found := sqlast.HasAggregate(e)
	if c, ok := e.(*sqlast.Column); ok {
		if l, a := s.value(s.frame, c); a != 0 {
			found = found || l.column(a).whole || l.column(a).counted
		}
	}
	_, subquery := e.(*sqlast.Subquery)
	return found || subquery
}

// isPlainText reports whether a cast to the type keeps the whole text.
func isPlainText(typ string) bool {
	return slices.Contains([]string{"text", "varchar", "char", "character varying", "string"}, strings.ToLower(typ))
}

// limit says that a LIMIT without ORDER BY returns any rows.
func (c *check) limit(q *sqlast.Query, capped bool) {
	if capped || q.Limit == nil || len(q.OrderBy) > 0 {
		return
	}
	sel, ok := q.Body.(*sqlast.Select)
	if !ok || sel.From == nil || aggregates(sel) && len(sel.GroupBy) == 0 {
		return
	}
	c.say(proof.Finding{
		Code: proof.LimitWithoutOrder, Severity: proof.Note, At: int(q.Limit.At()),
		Message: "LIMIT without ORDER BY returns any rows, other ones another time", Fix: "add ORDER BY",
	})
}
