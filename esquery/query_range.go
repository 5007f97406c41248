package esquery

import (
	"cmp"
	"strings"
	"time"
)

var (
	rangeClause = clauseType{name: "range", need: needRange, main: "gte", params: rangeParams}
	rangeParams = withCommon(
		param{key: "gt"}, param{key: "gte"}, param{key: "lt"}, param{key: "lte"},
		param{key: "from"}, param{key: "to"},
		param{key: "include_lower", takes: aSwitch},
		param{key: "include_upper", takes: aSwitch},
		param{key: "format", takes: aText},
		param{key: "time_zone", takes: aText},
		param{key: "relation", takes: aText})
	lowerBounds = [...]string{"gt", "gte", "from"}
	upperBounds = [...]string{"lt", "lte", "to"}
)

// rangeQuery checks {"FIELD": {"gte": value, "lt": value}}.
func (c *checker) rangeQuery(v *value) {
	m := c.onlyField(v, &rangeClause)
	if m == nil {
		return
	}
	c.in(m.key)
	defer c.out()
	f := c.field(&m.key, needRange)
	if m.value.kind != object {
		c.report(ErrMalformed, []string{"term"},
			`range is written {"range": {"FIELD": {"gte": ..., "lt": ...}}}; use term for one value`)
		return
	}
	if !c.params(&m.value, "range", rangeParams) {
		return
	}
	lower, lowerKey, ok1 := c.bound(&m.value, lowerBounds[:])
	upper, upperKey, ok2 := c.bound(&m.value, upperBounds[:])
	if !ok1 || !ok2 {
		return
	}
	if lower == nil && upper == nil {
		c.report(ErrMalformed, []string{"exists"}, "range needs a bound: gt or gte, lt or lte")
		return
	}
	if f == nil {
		return
	}
	c.searchable(f)
	format := ""
	if own := m.value.get("format"); own != nil && (f.family == dateFamily || f.family == dateRangeFamily) {
		c.member(&m.value, "format", func(v *value) { c.dateFormat(v, true) })
		format = own.text
	}
	before := c.faults
	c.boundLiteral(f, &m.value, lower, lowerKey, format)
	c.boundLiteral(f, &m.value, upper, upperKey, format)
	if lower == nil || upper == nil || c.faults != before {
		return
	}
	empty := false
	switch f.family {
	case numberFamily:
		from, ok1 := numberOf(lower)
		to, ok2 := numberOf(upper)
		empty = ok1 && ok2 && (from > to || from == to && (lowerKey == "gt" || upperKey == "lt"))
	case dateFamily:
		empty = laterDay(lower.text, upper.text) && !strings.Contains(cmp.Or(format, strings.Join(f.Formats, "||")), "dd-MM")
	}
	if empty {
		c.report(ErrInvalidLiteral, nil, "there is nothing between %s and %s", quoted(lower.text), quoted(upper.text))
	}
}

// laterDay reports whether both begin like 2024-01-31, and the first day is
// later by more than time zones and rounding can change.
func laterDay(a, b string) bool {
	const layout = "2006-01-02"
	if len(a) < len(layout) || len(b) < len(layout) || strings.Contains(a, "||") || strings.Contains(b, "||") {
		return false
	}
	from, err1 := time.Parse(layout, a[:len(layout)])
	to, err2 := time.Parse(layout, b[:len(layout)])
	return err1 == nil && err2 == nil && from.Sub(to) > 48*time.Hour
}

// bound returns the bound of one end, or nil if the end is open.
func (c *checker) bound(v *value, names []string) (found *value, key string, ok bool) {
	for _, name := range names {
		b := v.get(name)
		switch {
		case b == nil:
		case key != "":
			c.report(ErrMalformed, nil, "range has both %s and %s, and engines ignore one of them", key, name)
			return nil, "", false
		default:
			found, key = b, name
		}
	}
	if found == nil || found.kind == null {
		return nil, key, true
	}
	if !isText(found) {
		c.in(key)
		c.report(ErrMalformed, nil, "%s must be a string or number, and is %s", key, found.kind)
		c.out()
		return nil, "", false
	}
	return found, key, true
}

// boundLiteral checks a bound of a range r.
func (c *checker) boundLiteral(f *Field, r, v *value, key, format string) {
	if v == nil {
		return
	}
	use := boundLiteral
	if key == "gt" || key == "lte" || key == "from" && is(r, "include_lower", "false") || key == "to" && !is(r, "include_upper", "false") {
		use = endLiteral
	}
	c.in(key)
	defer c.out()
	if _, ok := numberOf(v); ok && f.is(setOf(keywordFamily, keyedFamily)) {
		c.report(ErrInvalidLiteral, c.alternatives(f, needNumeric),
			"%s is of type %s, which compares texts: \"9\" is above %s; use a field of numbers, or terms with the values",
			quoted(f.Path), f.Type, quoted(v.text))
		return
	}
	c.literal(f, v, use, format)
}

// fieldPattern calls each with the fields that a name with * stands for and that
// fit n, or reports why the pattern is refused.
func (c *checker) fieldPattern(pattern string, n need, each func(f *Field)) {
	if !c.fewPatterns() {
		return
	}
	m := c.index.mapping
	hidden, found := false, false
	var named []string
	for _, name := range m.known {
		if !glob(pattern, name) {
			continue
		}
		f := m.fields[name]
		switch {
		case !c.visible(name):
			hidden = true
		case f.split != "" && n != needExist && f.inScope(c.nested):
			c.unfit(f, n)
			found = true
		case n.fits(f) && f.inScope(c.nested):
			found = true
			if len(named) < maxCandidates {
				named = append(named, name)
			}
			if each != nil {
				each(f)
			}
		}
	}
	switch {
	case hidden:
		c.report(ErrForbidden, named, "name the fields: %s matches more than may be searched", quoted(pattern))
	case !found:
		c.report(ErrUnknownField, c.candidates(strings.Trim(pattern, "*."), n),
			"no field that can be searched here matches %s", quoted(pattern))
	}
}
