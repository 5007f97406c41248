package sqltimes

import (
	"strconv"
	"strings"
	"time"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/moment"
	"github.com/qedkit/qed/internal/sqlast"
)

// A value is a date or a moment that an expression has for every row.
type value struct {
	at    time.Time
	clock bool // it has a time of day, perhaps midnight
	typed bool // it has a type of its own; false: it is a string
}

// text reads a string that every engine reads as a date or a moment.
func (r *reader) text(s string) (value, bool) {
	if len(s) < len(time.DateOnly) || len(s) > maxLiteral {
		return value{}, false
	}
	if r.dialect == "sqlite" && strings.ContainsRune(s, 'T') {
		return value{}, false // it is compared as a text
	}
	t, isDay, ok := moment.Local(s)
	if !ok || t.Year() < 1 {
		return value{}, false
	}
	return value{at: t, clock: !isDay}, true
}

const maxLiteral = 40

// constant reads an expression that is a date or a moment without a column. It
// records the literals in it as read.
func (r *reader) constant(e sqlast.Expr) (value, bool) {
	v, ok := r.evaluate(e, 0)
	if ok {
		r.markRead(e)
	}
	return v, ok
}

func (r *reader) evaluate(e sqlast.Expr, depth int) (v value, ok bool) {
	if depth > maxDepth {
		return v, false
	}
	switch e := e.(type) {
	case *sqlast.String:
		return r.text(e.Value)
	case *sqlast.Cast:
		if v, ok = r.evaluate(e.X, depth+1); !ok {
			return v, false
		}
		return v.as(e.Type)
	case *sqlast.Binary:
		if e.Op != sqlast.Add && e.Op != sqlast.Sub {
			return v, false
		}
		if v, ok = r.evaluate(e.X, depth+1); !ok || !v.typed {
			return v, false
		}
		sign := 1
		if e.Op == sqlast.Sub {
			sign = -1
		}
		if n, whole := number(e.Y); whole && !v.clock && (r.dialect == "postgres" || r.dialect == "duckdb") {
			v.at = v.at.AddDate(0, 0, sign*n)
			return v, true
		}
		return plus(v, e.Y, sign)
	case *sqlast.Call:
		return r.evaluateCall(e, depth)
	}
	return v, false
}

func (v value) as(typ string) (value, bool) {
	switch kind, _ := kindOf("", typ); {
	case kind == days:
		v.at, v.clock = day.floor(v.at), false
	case kind == moments:
		v.clock = true
	default:
		return v, false
	}
	v.typed = true
	return v, true
}

// plus returns v after, or with the sign -1 before, an interval.
func plus(v value, interval sqlast.Expr, sign int) (value, bool) {
	var n int
	var of string
	var ok bool
	switch e := interval.(type) {
	case *sqlast.Interval:
		of = e.Unit
		if n, ok = number(e.X); !ok {
			return v, false
		}
	case *sqlast.Cast:
		s, isText := e.X.(*sqlast.String)
		if !isText || !ascii.EqualFold(e.Type, "interval") {
			return v, false
		}
		amount, rest, found := strings.Cut(strings.TrimSpace(s.Value), " ")
		x, err := strconv.Atoi(amount)
		if !found || err != nil || len(amount) > 6 {
			return v, false
		}
		n, of = x, rest
	default:
		return v, false
	}
	return v.shift(sign*n, of)
}

// shift returns v moved by n units. The day of a month that has no such day is
// not read: engines differ.
func (v value) shift(n int, of string) (value, bool) {
	u, ok := units[strings.TrimSuffix(ascii.Lower(strings.TrimSpace(of)), "s")]
	if !ok || u >= month && n != 0 && v.at.Day() > 28 {
		return v, false
	}
	v.at = u.add(v.at, n)
	v.clock = v.clock || u < day && n != 0
	return v, true
}

func (r *reader) evaluateCall(c *sqlast.Call, depth int) (v value, ok bool) {
	if len(c.Args) == 0 || c.Over != nil || c.Filter != nil {
		return v, false
	}
	arg := func(i int) (value, bool) { return r.evaluate(c.Args[i], depth+1) }
	switch c.Name {
	case "date", "datetime", "timestamp":
		if v, ok = arg(0); !ok {
			return v, false
		}
		if r.dialect != "sqlite" { // another argument is a time of day, or a zone
			v, ok = v.as(c.Name)
			return v, ok && len(c.Args) == 1
		}
		if v.clock = c.Name != "date"; !v.clock {
			v.at = day.floor(v.at)
		}
		for _, m := range c.Args[1:] {
			if v, ok = v.modify(m); !ok {
				return v, false
			}
		}
		return v, true
	case "date_add", "adddate", "date_sub", "subdate":
		if len(c.Args) != 2 {
			return v, false
		}
		sign := 1
		if strings.Contains(c.Name, "sub") {
			sign = -1
		}
		if v, ok = arg(0); !ok {
			return v, false
		}
		return plus(v, c.Args[1], sign)
	}
	return v, false
}

// modify applies a modifier of SQLite, such as '+1 month'.
func (v value) modify(modifier sqlast.Expr) (value, bool) {
	s, ok := modifier.(*sqlast.String)
	if !ok {
		return v, false
	}
	text := ascii.Lower(strings.TrimSpace(s.Value))
	switch text {
	case "start of day":
		v.at = day.floor(v.at)
	case "start of month":
		v.at = month.floor(v.at)
	case "start of year":
		v.at = year.floor(v.at)
	default:
		amount, of, found := strings.Cut(text, " ")
		n, err := strconv.Atoi(amount)
		if !found || err != nil || len(amount) > 6 || strings.ContainsRune(of, ' ') || strings.HasPrefix(of, "w") {
			return v, false
		}
		if v, ok = v.shift(n, of); !ok {
			return v, false
		}
	}
	return v, true
}

// number returns a whole number with its sign.
func number(e sqlast.Expr) (int, bool) {
	switch e := e.(type) {
	case *sqlast.Number:
		n, err := strconv.Atoi(e.Text)
		return n, err == nil && len(e.Text) <= 9
	case *sqlast.String:
		n, err := strconv.Atoi(strings.TrimSpace(e.Value))
		return n, err == nil && len(e.Value) <= 9
	case *sqlast.Unary:
		n, ok := number(e.X)
		if e.Op == sqlast.Minus {
			n = -n
		}
		return n, ok && (e.Op == sqlast.Minus || e.Op == sqlast.Plus)
	}
	return 0, false
}

// unitOf returns the unit that a string or a keyword names.
func unitOf(e sqlast.Expr) (unit, bool) {
	name := ""
	switch e := e.(type) {
	case *sqlast.String:
		name = e.Value
	case *sqlast.Unit:
		name = e.Name
	}
	u, ok := units[ascii.Lower(name)]
	return u, ok
}

var units = map[string]unit{
	"second": second, "minute": minute, "hour": hour,
	"day": day, "week": week, "month": month, "quarter": quarter, "year": year,
}

// formats are the layouts of package time for the formats of strftime, DATE_FORMAT and
// to_char whose texts sort as their times, and the units of these texts.
var formats = map[string]struct {
	layout string
	unit   unit
}{
	"%Y": {"2006", year}, "%Y-%m": {"2006-01", month}, "%Y%m": {"200601", month}, "%Y/%m": {"2006/01", month},
	"%Y-%m-%d": {"2006-01-02", day}, "%Y%m%d": {"20060102", day}, "%Y/%m/%d": {"2006/01/02", day},
	"%F":       {"2006-01-02", day},
	"%Y-%m-01": {"2006-01-02", month}, // the first day

	"YYYY": {"2006", year}, "YYYY-MM": {"2006-01", month}, "YYYYMM": {"200601", month}, "YYYY/MM": {"2006/01", month},
	"YYYY-MM-DD": {"2006-01-02", day}, "YYYYMMDD": {"20060102", day}, "YYYY/MM/DD": {"2006/01/02", day},
	"YYYY-MM-01": {"2006-01-02", month},
}
