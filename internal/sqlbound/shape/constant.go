package shape

import (
	"math"
	"strings"
	"time"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
)

// A value is what a constant expression computes.
type value struct {
	kind   kind
	number float64 // of a time: seconds since 1970; of an interval: seconds
	text   string  // of a text
}

type kind uint8

const (
	number kind = iota
	moment
	interval
	text
)

const day = 24 * 60 * 60

// constant returns the value of an expression, or nil if it is not known: numbers,
// dates, the current time, and what is added to them. A month counts as 28 days and a
// year as 365, so that a series of them is not counted as shorter than it is.
func (s *shaper) constant(e sqlast.Expr) *value {
	l := s.linear(e)
	if l == nil || l.column != nil {
		return nil
	}
	return &l.value
}

// A linear expression is a column of a recursion times a factor, plus a value; or a
// constant, without a column.
type linear struct {
	column *sqlast.Column
	factor float64
	value  value
}

func known(v *value) *linear {
	if v == nil {
		return nil
	}
	return &linear{value: *v}
}

// linear returns an expression in linear form, or nil.
func (s *shaper) linear(e sqlast.Expr) *linear {
	switch e := e.(type) {
	case *sqlast.Column:
		if c := s.column(e); c != nil {
			if c.constant != nil {
				return known(c.constant)
			}
		}
		return &linear{column: e, factor: 1}
	case *sqlast.Number:
		return known(parseNumber(e.Text))
	case *sqlast.String:
		return &linear{value: value{kind: text, text: e.Value}}
	case *sqlast.Now:
		return &linear{value: value{kind: moment, number: float64(time.Now().Unix())}}
	case *sqlast.Unary:
		return s.signed(e)
	case *sqlast.Cast:
		return s.cast(e)
	case *sqlast.Collate:
		return s.linear(e.X)
	case *sqlast.Interval:
		return s.interval(e)
	case *sqlast.Binary:
		return s.binary(e)
	case *sqlast.Call:
		return s.call(e)
	case *sqlast.Subquery:
		if b, ok := e.Query.Body.(*sqlast.Select); ok && b.From == nil && b.Where == nil && len(b.Items) == 1 {
			return s.linear(b.Items[0].Expr)
		}
	}
	return nil
}

func (s *shaper) signed(e *sqlast.Unary) *linear {
	l := s.linear(e.X)
	switch {
	case l == nil || l.column != nil:
		return nil
	case e.Op == sqlast.Minus:
		l.value.number = -l.value.number
		return l
	case e.Op == sqlast.Plus:
		return l
	}
	return nil
}

func (s *shaper) cast(e *sqlast.Cast) *linear {
	l := s.linear(e.X)
	if l == nil || l.column != nil || l.value.kind != text {
		return l
	}
	switch kind := ascii.Lower(e.Type); {
	case strings.HasPrefix(kind, "interval"):
		if unit := strings.TrimPrefix(kind, "interval "); unit != kind && !strings.Contains(l.value.text, " ") {
			l.value.text += " " + unit
		}
		return known(asInterval(&l.value))
	case strings.HasPrefix(kind, "date"), strings.HasPrefix(kind, "timestamp"):
		return known(parseTime(l.value.text))
	default:
		return known(parseNumber(strings.TrimSpace(l.value.text)))
	}
}

func (s *shaper) interval(e *sqlast.Interval) *linear {
	l := s.linear(e.X)
	if l == nil || l.column != nil {
		return nil
	}
	n := &l.value
	if n.kind == text {
		if n = parseNumber(strings.TrimSpace(n.text)); n == nil {
			return nil
		}
	}
	seconds, ok := units[strings.TrimSuffix(ascii.Lower(e.Unit), "s")]
	if !ok {
		return nil
	}
	return &linear{value: value{kind: interval, number: n.number * seconds}}
}

func (s *shaper) binary(e *sqlast.Binary) *linear {
	x, y := s.linear(e.X), s.linear(e.Y)
	if x == nil || y == nil || x.column != nil && y.column != nil {
		return nil
	}
	switch e.Op {
	case sqlast.Add:
		if y.column != nil {
			x, y = y, x
		}
		return x.plus(&y.value, 1)
	case sqlast.Sub:
		if y.column == nil {
			return x.plus(&y.value, -1)
		}
	case sqlast.Mul:
		if y.column != nil {
			x, y = y, x
		}
		return x.times(y.value.number, y.value.kind)
	case sqlast.Div, sqlast.IntDiv:
		if y.column == nil && y.value.number != 0 {
			return x.times(1/y.value.number, y.value.kind)
		}
	case sqlast.ShiftLeft:
		if y.column == nil {
			return x.times(math.Exp2(y.value.number), y.value.kind)
		}
	}
	return nil
}

func (l *linear) times(n float64, k kind) *linear {
	if k != number || l.value.kind != number && l.value.kind != interval {
		return nil
	}
	return &linear{l.column, l.factor * n, value{kind: l.value.kind, number: l.value.number * n}}
}

// plus returns l with a value added or subtracted. A number that is added to a time
// counts as days, and so does the difference of two times.
func (l *linear) plus(v *value, sign float64) *linear {
	if v.kind == text {
		if v = asInterval(v); v == nil {
			return nil
		}
	}
	out := *l
	if out.column == nil {
		out.value = *asTime(&out.value)
	}
	n := v.number * sign
	switch {
	case out.value.kind == text:
		return nil
	case v.kind == moment && out.value.kind == moment:
		return &linear{value: value{number: (out.value.number + n) / day}}
	case v.kind == moment:
		out.value.kind = moment
	case out.value.kind == moment && v.kind == number:
		n *= day
	case v.kind == interval && out.value.kind == number:
		out.value.kind = interval
	}
	out.value.number += n
	return &out
}

// call returns the linear form of a call of a function for dates.
func (s *shaper) call(c *sqlast.Call) *linear {
	arg := func(i int) *linear {
		if i >= len(c.Args) {
			return nil
		}
		return s.linear(c.Args[i])
	}
	switch c.Name {
	case "now", "sysdate", "statement_timestamp", "transaction_timestamp", "clock_timestamp", "utc_date", "utc_timestamp", "unixepoch":
		if len(c.Args) == 0 {
			return s.linear(&sqlast.Now{Pos: c.Pos})
		}
	case "date", "datetime", "timestamp", "to_timestamp", "to_date", "str_to_date":
		return s.modified(arg(0), c, 1)
	case "strftime":
		return s.modified(arg(1), c, 2)
	case "date_trunc":
		return asMoment(arg(1))
	case "last_day", "coalesce", "ifnull", "floor", "ceil", "trunc":
		if len(c.Args) == 1 {
			return asMoment(arg(0))
		}
	case "date_add", "adddate", "date_sub", "subdate":
		x, by := asMoment(arg(0)), arg(1)
		if x == nil || by == nil || by.column != nil {
			return nil
		}
		if strings.Contains(c.Name, "sub") {
			return x.plus(&by.value, -1)
		}
		return x.plus(&by.value, 1)
	case "make_date", "makedate":
		return s.makeDate(c)
	}
	return nil
}

// modified returns a date with the modifiers of SQLite that c has from argument n on.
func (s *shaper) modified(l *linear, c *sqlast.Call, n int) *linear {
	l = asMoment(l)
	if c.Name == "to_date" || c.Name == "to_timestamp" || c.Name == "str_to_date" {
		return l // the second argument is the format
	}
	for i := n; l != nil && i < len(c.Args); i++ {
		m := s.constant(c.Args[i])
		if m == nil || m.kind != text {
			return nil
		}
		if by := asInterval(m); by != nil {
			l = l.plus(by, 1)
		} else if !isModifier(m.text) {
			return nil
		}
	}
	return l
}

// isModifier reports whether a modifier of SQLite changes a date by less than the
// usual step of a series.
func isModifier(m string) bool {
	m = ascii.Lower(strings.TrimSpace(m))
	return strings.HasPrefix(m, "start of ") || strings.HasPrefix(m, "weekday ") || m == "localtime" || m == "utc"
}

func (s *shaper) makeDate(c *sqlast.Call) *linear {
	parts := []int{1, 1, 1}
	for i, arg := range c.Args {
		v := s.constant(arg)
		if v == nil || v.kind != number || i >= len(parts) {
			return nil
		}
		parts[i] = int(v.number)
	}
	at := time.Date(parts[0], time.Month(parts[1]), parts[2], 0, 0, 0, 0, time.UTC)
	if c.Name == "makedate" {
		at = time.Date(parts[0], 1, parts[1], 0, 0, 0, 0, time.UTC)
	}
	return &linear{value: value{kind: moment, number: float64(at.Unix())}}
}

// asMoment returns a linear expression whose text is read as a date.
func asMoment(l *linear) *linear {
	if l == nil || l.column != nil || l.value.kind == moment {
		return l
	}
	if l.value.kind == text && ascii.Lower(l.value.text) == "now" {
		return &linear{value: value{kind: moment, number: float64(time.Now().Unix())}}
	}
	if v := asTime(&l.value); v.kind == moment {
		return known(v)
	}
	return nil
}
