package sqltimes

import (
	"math/bits"
	"time"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
)

// A subject is what a condition compares: a column, or a function of one.
type subject struct {
	key  key
	kind kind // of the column
	unit unit
	as   form

	layout string // of form formatted
	step   int    // of form cycles: the months of one value
	text   bool   // the form is a text, which a number does not equal
}

// A form is how the values of a subject are written.
type form uint8

const (
	dated     form = iota // as dates and moments
	yearly                // as the number of a year
	formatted             // as texts in a layout
	cycles                // as the number of a month or quarter, in every year
)

// A key names a column of one table of a FROM, or the first or last value of it
// in a group.
type key struct {
	rel    sqlast.Relation
	column string
	of     string          // "min", "max" or empty
	via    sqlast.Relation // the entry of the FROM that the condition names: rel, or a query around it
}

// subject reads an expression as a function of one column with times.
func (r *reader) subject(e sqlast.Expr, depth int) (s subject, ok bool) {
	if depth > maxDepth {
		return s, false
	}
	switch e := e.(type) {
	case *sqlast.Column:
		return r.column(e, depth)
	case *sqlast.Cast:
		if s, ok = r.subject(e.X, depth+1); !ok {
			return s, false
		}
		return r.cast(s, e.Type)
	case *sqlast.Call:
		if e.Over != nil || e.Filter != nil || e.Distinct || e.Star || len(e.OrderBy) > 0 {
			return s, false
		}
		return r.function(e, depth)
	}
	return s, false
}

func (r *reader) column(c *sqlast.Column, depth int) (s subject, ok bool) {
	if c.Of == nil {
		return s, false
	}
	if item := itemOf(c); item != nil {
		s, ok = r.subject(item, depth+1)
		s.key.via = c.Of
		return s, ok
	}
	s.key = key{rel: c.Of, column: ascii.Lower(c.Name), via: c.Of}
	s.kind, s.unit = r.kind(c)
	return s, s.kind != numbers
}

// kind returns the kind of a column of a table. A column of unknown kind is read
// twice, once as days and once as moments.
func (r *reader) kind(c *sqlast.Column) (kind, unit) {
	typ := ""
	if t, ok := c.Of.(*sqlast.Table); ok && t.Object != nil && c.Index < len(t.Object.Columns) {
		typ = r.types(t.Object, t.Object.Columns[c.Index])
	}
	k, u := kindOf(r.dialect, typ)
	if k == unknown && r.unknownAreDays {
		u = day
	}
	return k, u
}

func (r *reader) cast(s subject, typ string) (subject, bool) {
	name := ascii.Lower(typ)
	switch k, _ := kindOf(r.dialect, typ); {
	case s.as == dated && k == days:
		s.unit = max(s.unit, day)
		return s, true
	case s.as == dated && k == moments:
		return s, true
	case s.as != dated && k == numbers && name != "boolean":
		s.text = false
		return s, true
	}
	return s, false
}

func (r *reader) function(c *sqlast.Call, depth int) (s subject, ok bool) {
	arg := func(i int) (subject, bool) {
		if i >= len(c.Args) {
			return subject{}, false
		}
		s, ok := r.subject(c.Args[i], depth+1)
		return s, ok && s.as == dated
	}
	n := len(c.Args)
	switch c.Name {
	case "min", "max":
		if s, ok = arg(0); n != 1 || s.key.of != "" {
			return s, false
		}
		s.key.of = c.Name
		return s, ok
	case "date":
		if s, ok = arg(0); !ok {
			return s, false
		}
		s.unit = max(s.unit, day)
		if n == 2 && r.dialect == "sqlite" {
			switch m, _ := c.Args[1].(*sqlast.String); {
			case m == nil:
				return s, false
			case m.Value == "start of month" && s.unit == day:
				s.unit = month
			case m.Value == "start of year" && s.unit == day:
				s.unit = year
			default:
				return s, false
			}
			n = 1
		}
		return s, n == 1
	case "datetime", "timestamp":
		if s, ok = arg(0); s.unit < second {
			s.unit = second
		}
		return s, ok && n == 1
	case "year", "month", "quarter":
		s, ok = arg(0)
		return r.part(s, units[c.Name], ok && n == 1)
	case "extract", "date_part", "datepart", "date_trunc", "datetrunc":
		if n != 2 {
			return s, false
		}
		u, known := unitOf(c.Args[0])
		s, ok = arg(1)
		if c.Name == "date_trunc" || c.Name == "datetrunc" {
			fits := s.unit <= u && (s.unit != week || u == week)
			s.unit = u
			return s, ok && known && fits
		}
		return r.part(s, u, ok && known)
	case "strftime", "date_format", "to_char":
		return r.format(c, arg)
	case "substr", "substring", "left":
		return r.prefix(c, arg)
	}
	return s, false
}

func (r *reader) part(s subject, u unit, ok bool) (subject, bool) {
	if !ok || s.unit > u || s.unit == week {
		return s, false
	}
	switch u {
	case year:
		s.as, s.unit = yearly, year
	case quarter:
		s.as, s.step = cycles, 3
	case month:
		s.as, s.step = cycles, 1
	default:
		return s, false
	}
	return s, true
}

// formatted reads strftime(format, x), DATE_FORMAT(x, format) and similar.
func (r *reader) format(c *sqlast.Call, arg func(int) (subject, bool)) (s subject, ok bool) {
	if len(c.Args) != 2 {
		return s, false
	}
	at := 1
	format, isText := c.Args[1].(*sqlast.String)
	if first, isFirst := c.Args[0].(*sqlast.String); isFirst {
		format, isText, at = first, true, 0
	}
	if s, ok = arg(1 - at); !ok || !isText {
		return s, false
	}
	s.text = true
	if format.Value == "%m" || format.Value == "MM" {
		return r.part(s, month, true)
	}
	f, known := formats[format.Value]
	if !known || s.unit > f.unit || s.unit == week {
		return s, false
	}
	s.as, s.layout, s.unit = formatted, f.layout, f.unit
	return s, true
}

// prefix reads the first characters of a date that is a text.
func (r *reader) prefix(c *sqlast.Call, arg func(int) (subject, bool)) (s subject, ok bool) {
	length := c.Args[len(c.Args)-1]
	from := 1
	if c.Name != "left" {
		if len(c.Args) != 3 {
			return s, false
		}
		from, _ = number(c.Args[1])
	}
	n, isNumber := number(length)
	if s, ok = arg(0); !ok || !isNumber || s.unit > day {
		return s, false
	}
	if s.kind != unknown && r.dialect != "sqlite" && r.dialect != "mysql" {
		return s, false
	}
	s.text = true
	switch {
	case from == 6 && n == 2:
		return r.part(s, month, true)
	case from != 1:
		return s, false
	}
	s.as = formatted
	switch n {
	case 4:
		s.layout, s.unit = "2006", year
	case 7:
		s.layout, s.unit = "2006-01", month
	case 10:
		s.layout, s.unit = time.DateOnly, day
	default:
		return s, false
	}
	return s, true
}

// compare returns the values of the column for which "s op e" is true. It is
// false if it cannot read that.
func (r *reader) compare(s subject, op sqlast.BinaryOp, e sqlast.Expr) (set, bool) {
	if s.as == cycles {
		return r.compareCycle(s, op, e)
	}
	at, beforeMoments, ok := r.operand(s, e)
	if !ok {
		return set{}, false
	}
	switch {
	case beforeMoments && r.unknownAreDays && s.kind == moments:
		s.unit = max(s.unit, day) // SQLite keeps what is written: many columns of moments hold days
	case beforeMoments:
		switch op {
		case sqlast.Le:
			op = sqlast.Lt
		case sqlast.Gt:
			op = sqlast.Ge
		case sqlast.Eq, sqlast.Same:
			return of(), true
		case sqlast.Ne, sqlast.NotSame:
			return all(), true
		}
	}
	first := s.unit.floor(at)
	next := s.unit.after(first)
	aligned := first.Equal(at)
	up := next // the first value at or after
	if aligned {
		up = first
	}
	switch op {
	case sqlast.Ge:
		return of(span{from: up}), true
	case sqlast.Gt:
		return of(span{from: next}), true
	case sqlast.Lt:
		return of(span{before: up}), true
	case sqlast.Le:
		return of(span{before: next}), true
	case sqlast.Eq, sqlast.Same:
		if !aligned {
			return of(), true
		}
		return of(span{first, next}), true
	case sqlast.Ne, sqlast.NotSame:
		if !aligned {
			return all(), true
		}
		return of(span{before: first}, span{from: next}), true
	}
	return set{}, false
}

// operand returns the date or moment with which a subject is compared.
// beforeMoments reports that it is a text without a time of day, which is before
// all moments of the day, and equal to none.
func (r *reader) operand(s subject, e sqlast.Expr) (at time.Time, beforeMoments, ok bool) {
	switch s.as {
	case yearly:
		n, ok := number(e)
		if ok = ok && n > 0 && n < 10000; ok {
			r.markRead(e)
		}
		return date(n, 1, 1), false, ok
	case formatted:
		text := ""
		switch e := e.(type) {
		case *sqlast.String:
			text = e.Value
		case *sqlast.Number:
			if !s.text || r.dialect == "mysql" {
				text = e.Text
			}
		}
		t, err := time.Parse(s.layout, text)
		if err == nil {
			r.markRead(e)
		}
		return t, false, err == nil
	}
	v, ok := r.constant(e)
	if !ok {
		return at, false, false
	}
	midnight := day.floor(v.at).Equal(v.at)
	if v.clock && s.unit >= day { // engines cast the text to a date, or compare two texts
		switch r.dialect {
		case "mysql":
		case "sqlite":
			return at, false, false
		default:
			if !v.typed && !midnight {
				return at, false, false
			}
		}
	}
	return v.at, r.dialect == "sqlite" && s.unit < day && !v.clock, true
}

// compareCycle is compare for the number of a month or quarter.
func (r *reader) compareCycle(s subject, op sqlast.BinaryOp, e sqlast.Expr) (set, bool) {
	n, ok := number(e)
	if text, isText := e.(*sqlast.String); s.text && r.dialect != "mysql" {
		ok = ok && isText && len(text.Value) == 2
	}
	if !ok {
		return set{}, false
	}
	r.markRead(e)
	months := uint16(0)
	for i := range 12 / s.step {
		v, holds := i+1, false
		switch op {
		case sqlast.Eq, sqlast.Same:
			holds = v == n
		case sqlast.Ne, sqlast.NotSame:
			holds = v != n
		case sqlast.Lt:
			holds = v < n
		case sqlast.Le:
			holds = v <= n
		case sqlast.Gt:
			holds = v > n
		case sqlast.Ge:
			holds = v >= n
		default:
			return set{}, false
		}
		if holds {
			months |= (1<<s.step - 1) << (i * s.step)
		}
	}
	return set{[]span{{}}, months}, bits.OnesCount16(months) > 0
}
