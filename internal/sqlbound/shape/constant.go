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
	switch e := e.(type) {
	case *sqlast.Column:
		if c := s.column(e); c != nil {
			return c.constant
		}
	case *sqlast.Number:
		return parseNumber(e.Text)
	case *sqlast.String:
		return &value{kind: text, text: e.Value}
	case *sqlast.Now:
		return &value{kind: moment, number: float64(time.Now().Unix())}
	case *sqlast.Unary:
		return s.signed(e)
	case *sqlast.Cast:
		return s.cast(e)
	case *sqlast.Collate:
		return s.constant(e.X)
	case *sqlast.Interval:
		return s.interval(e)
	case *sqlast.Binary:
		return s.binary(e)
	case *sqlast.Call:
		return s.call(e)
	case *sqlast.Subquery:
		if b, ok := e.Query.Body.(*sqlast.Select); ok && b.From == nil && b.Where == nil && len(b.Items) == 1 {
			return s.constant(b.Items[0].Expr)
		}
	}
	return nil
}

func (s *shaper) signed(e *sqlast.Unary) *value {
	v := s.constant(e.X)
	switch {
	case v == nil || e.Op != sqlast.Minus && e.Op != sqlast.Plus:
		return nil
	case e.Op == sqlast.Minus:
		negative := *v
		negative.number = -v.number
		return &negative
	}
	return v
}

func (s *shaper) cast(e *sqlast.Cast) *value {
	v := s.constant(e.X)
	if v == nil || v.kind != text {
		return v
	}
	switch kind := ascii.Lower(e.Type); {
	case strings.HasPrefix(kind, "interval"):
		of := *v
		if unit := strings.TrimPrefix(kind, "interval "); unit != kind && !strings.Contains(v.text, " ") {
			of.text += " " + unit
		}
		return asInterval(&of)
	case strings.HasPrefix(kind, "date"), strings.HasPrefix(kind, "timestamp"):
		return parseTime(v.text)
	default:
		return parseNumber(strings.TrimSpace(v.text))
	}
}

func (s *shaper) interval(e *sqlast.Interval) *value {
	n := s.constant(e.X)
	if n != nil && n.kind == text {
		n = parseNumber(strings.TrimSpace(n.text))
	}
	seconds, ok := units[strings.TrimSuffix(ascii.Lower(e.Unit), "s")]
	if n == nil || !ok {
		return nil
	}
	return &value{kind: interval, number: n.number * seconds}
}

func (s *shaper) binary(e *sqlast.Binary) *value {
	x, y := s.constant(e.X), s.constant(e.Y)
	if x == nil || y == nil {
		return nil
	}
	switch e.Op {
	case sqlast.Add:
		return x.plus(y, 1)
	case sqlast.Sub:
		return x.plus(y, -1)
	case sqlast.Mul:
		return x.times(y.number, y.kind)
	case sqlast.Div, sqlast.IntDiv:
		if y.number != 0 {
			return x.times(1/y.number, y.kind)
		}
	case sqlast.ShiftLeft:
		return x.times(math.Exp2(y.number), y.kind)
	}
	return nil
}

func (v *value) times(n float64, k kind) *value {
	if k != number || v.kind != number && v.kind != interval {
		return nil
	}
	return &value{kind: v.kind, number: v.number * n}
}

// plus returns v with another value added or subtracted. A number that is added to a time
// counts as days, and so does the difference of two times.
func (v *value) plus(by *value, sign float64) *value {
	if by.kind == text {
		if by = asInterval(by); by == nil {
			return nil
		}
	}
	out := *asTime(v)
	n := by.number * sign
	switch {
	case out.kind == text:
		return nil
	case by.kind == moment && out.kind == moment:
		return &value{number: (out.number + n) / day}
	case by.kind == moment:
		out.kind = moment
	case out.kind == moment && by.kind == number:
		n *= day
	case by.kind == interval && out.kind == number:
		out.kind = interval
	}
	out.number += n
	return &out
}

// call returns the value of a call of a function for dates.
func (s *shaper) call(c *sqlast.Call) *value {
	arg := func(i int) *value {
		if i >= len(c.Args) {
			return nil
		}
		return s.constant(c.Args[i])
	}
	switch c.Name {
	case "now", "sysdate", "statement_timestamp", "transaction_timestamp", "clock_timestamp", "utc_date", "utc_timestamp", "unixepoch":
		if len(c.Args) == 0 {
			return s.constant(&sqlast.Now{Pos: c.Pos})
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
		if x == nil || by == nil {
			return nil
		}
		if strings.Contains(c.Name, "sub") {
			return x.plus(by, -1)
		}
		return x.plus(by, 1)
	case "make_date", "makedate":
		return s.makeDate(c)
	}
	return nil
}

// modified returns a date with the modifiers of SQLite that c has from argument n on.
func (s *shaper) modified(l *value, c *sqlast.Call, n int) *value {
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

func (s *shaper) makeDate(c *sqlast.Call) *value {
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
	return &value{kind: moment, number: float64(at.Unix())}
}

// asMoment returns a value whose text is read as a date.
func asMoment(v *value) *value {
	if v == nil || v.kind == moment {
		return v
	}
	if v.kind == text && ascii.Lower(v.text) == "now" {
		return &value{kind: moment, number: float64(time.Now().Unix())}
	}
	if at := asTime(v); at.kind == moment {
		return at
	}
	return nil
}
