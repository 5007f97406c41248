package dates

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// Check returns the ranges of f with Use and Instead set: it compares them with
// the dates that are written in queries, such as '2026-07-01' in SQL or a body of
// a search. The limits of a range can be in different queries.
//
// A range differs from the queries if
//
//   - one of its limits is missing in them; a limit at the end may be missing if it
//     is in the future
//   - a limit is compared with the wrong operator, as in <= '2026-10-01'
//
// A single day that the user writes with digits can be a limit, as in "overdue on 31
// March 2026" or "the week of 23 March". It matches if the queries have that day,
// whatever the operator. Check does not know which column a date is compared with.
func (f Facts) Check(queries ...string) []Range {
	checked := slices.Clone(f.Ranges)
	if len(checked) == 0 {
		return checked
	}
	var written []literal
	for _, q := range queries {
		written = append(written, f.literals(q)...)
	}
	if len(written) == 0 {
		return checked
	}
	today, limits := dayOf(f.Now), map[string]bool{}
	for i, s := range f.spans {
		lower, upper, limit := s.from.IsZero(), s.to.IsZero(), false
		single := s.to.Equal(s.from.AddDate(0, 0, 1)) && strings.ContainsAny(checked[i].Text, "0123456789")
		open := s.to.After(today) && (s.from.IsZero() || !s.from.After(today))
		for _, l := range written {
			begins, ends := f.begins(l, s.from), f.ends(l, s.to)
			named := single && (l.day.Equal(s.from) || !l.at.IsZero() && l.at.Equal(begin(s.from, f.zones.user)))
			if begins || ends || named {
				limits[l.text] = true
			}
			limit = limit || named
			lower, upper = lower || begins, upper || ends
		}
		checked[i].Use = Differs
		if lower && (upper || open) || limit {
			checked[i].Use = Matches
		}
	}
	for i := range checked {
		if checked[i].Use == Matches {
			continue
		}
		for _, l := range written {
			if !limits[l.text] && !slices.Contains(checked[i].Instead, l.text) && len(checked[i].Instead) < maxInstead {
				checked[i].Instead = append(checked[i].Instead, l.text)
			}
		}
	}
	return checked
}

const maxInstead = 5

// A literal is a date or a moment in a query.
type literal struct {
	text string
	op   string    // how it is compared: one of the constants, or empty if that is not known
	day  time.Time // without a time of day: midnight in UTC
	at   time.Time // with one; zero otherwise
}

// How a value is compared with a literal.
const (
	opFrom   = ">="
	opAfter  = ">"
	opTo     = "<="
	opBefore = "<"
	opEqual  = "="
)

var (
	dateLiteral = regexp.MustCompile(`\b(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2})?(?:\.\d+)?(Z|[+-]\d{2}(?::?\d{2})?)?)?`)

	// comparison is what is before a literal. What is between the operator and the
	// quote is a type or a cast.
	comparison = regexp.MustCompile(`(?i)(>=|<=|<>|!=|>|<|=|\bbetween|\band|"gte"\s*:|"gt"\s*:|"lte"\s*:|"lt"\s*:|` +
		`\bgte\s*:|\bgt\s*:|\blte\s*:|\blt\s*:)[\s(]*(?:(?:cast|date|datetime|timestamptz|timestamp)[\s(]*)*\\?['"]?$`)
)

// literals returns the dates in a query.
func (f Facts) literals(query string) []literal {
	var all []literal
	between := false
	for _, at := range dateLiteral.FindAllStringSubmatchIndex(query, maxLiterals) {
		part := func(n int) string {
			if at[2*n] < 0 {
				return ""
			}
			return query[at[2*n]:at[2*n+1]]
		}
		l := literal{text: part(0)}
		var err error
		if l.day, err = time.Parse(time.DateOnly, part(1)); err != nil {
			continue
		}
		if clock := part(2); clock != "" {
			if l.at, err = f.moment(part(1)+" "+clock+orZero(part(3)), part(4)); err != nil {
				continue
			}
		}
		op := ""
		if m := comparison.FindStringSubmatch(query[max(0, at[0]-80):at[0]]); m != nil {
			op = strings.ToLower(strings.Trim(m[1], `": `+"\t\n"))
		}
		switch op {
		case "gte", ">=":
			l.op = opFrom
		case "gt", ">":
			l.op = opAfter
		case "lte", "<=":
			l.op = opTo
		case "lt", "<":
			l.op = opBefore
		case "=":
			l.op = opEqual
		case "between":
			l.op = opFrom
		case "and":
			if between {
				l.op = opTo
			}
		}
		between = op == "between"
		all = append(all, l)
	}
	return all
}

const maxLiterals = 200

func orZero(seconds string) string {
	if seconds == "" {
		return ":00"
	}
	return seconds
}

// moment reads a date and time. Without an offset it is in the zone of the data.
func (f Facts) moment(text, offset string) (time.Time, error) {
	switch {
	case offset == "":
		return time.ParseInLocation(dateTime, text, f.zones.data)
	case offset == "Z":
		return time.Parse(dateTime, text)
	case len(offset) == 3:
		return time.Parse(dateTime+"-07", text+offset)
	case len(offset) == 5:
		return time.Parse(dateTime+"-0700", text+offset)
	}
	return time.Parse(dateTime+"-07:00", text+offset)
}

// begins reports whether values that are compared with l as l says begin with a
// day.
func (f Facts) begins(l literal, day time.Time) bool {
	switch {
	case day.IsZero() || l.op == opTo || l.op == opBefore:
		return false
	case !l.at.IsZero():
		return l.op != opAfter && l.at.Equal(begin(day, f.zones.user))
	case l.op == opAfter:
		return l.day.Equal(day.AddDate(0, 0, -1))
	}
	return l.day.Equal(day)
}

// ends reports whether values that are compared with l as l says end before a day.
func (f Facts) ends(l literal, day time.Time) bool {
	last := day.AddDate(0, 0, -1)
	switch {
	case day.IsZero() || l.op == opFrom || l.op == opAfter:
		return false
	case !l.at.IsZero():
		left := begin(day, f.zones.user).Sub(l.at)
		return left == 0 && l.op != opTo || 0 < left && left <= time.Minute && l.op != opEqual
	case l.op == opTo || l.op == opEqual:
		return l.day.Equal(last)
	case l.op == opBefore:
		return l.day.Equal(day)
	}
	return l.day.Equal(day) || l.day.Equal(last)
}
