package esquery

import "regexp"

var (
	rangeClause = clauseType{name: "range", need: needRange, main: "gte", params: rangeParams}
	rangeParams = withCommon(
		param{key: "gt"}, param{key: "gte"}, param{key: "lt"}, param{key: "lte"},
		param{key: "format", takes: aText},
		param{key: "time_zone", takes: aText},
		param{key: "relation", takes: aText})
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
	lower, lowerKey, ok1 := c.bound(&m.value, "gt", "gte")
	upper, upperKey, ok2 := c.bound(&m.value, "lt", "lte")
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
	before, format := c.faults, ""
	if own := m.value.get("format"); own != nil && (f.family == dateFamily || f.family == dateRangeFamily) {
		c.member(&m.value, "format", func(v *value) { c.dateFormat(v, true) })
		format = own.text
	}
	if c.faults > before {
		return
	}
	c.boundLiteral(f, lower, lowerKey, format)
	c.boundLiteral(f, upper, upperKey, format)
	if lower == nil || upper == nil || c.faults != before {
		return
	}
	c.between(f, lower, upper, lowerKey == "gt" || upperKey == "lt", format)
}

// between reports bounds that have nothing between them. If the range is open, one of
// them is not part of it.
func (c *checker) between(f *Field, lower, upper *value, open bool, format string) {
	from, now1, ok1 := pointOf(f, lower, format)
	to, now2, ok2 := pointOf(f, upper, format)
	same := from == to
	if f.family == dateFamily {
		same = lower.text == upper.text
		to += 2 * day // rounding and time zones
	}
	if f.is(setOf(numberFamily, dateFamily)) && ok1 && ok2 && now1 == now2 && (from > to || same && open) {
		c.report(ErrInvalidLiteral, nil, "there is nothing between %s and %s", quoted(lower.text), quoted(upper.text))
	}
}

// bound returns the bound of one end, or nil if the end is open.
func (c *checker) bound(v *value, names ...string) (found *value, key string, ok bool) {
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

// boundLiteral checks a bound of a range.
func (c *checker) boundLiteral(f *Field, v *value, key, format string) {
	if v == nil {
		return
	}
	use := boundLiteral
	if key == "gt" || key == "lte" {
		use = endLiteral
	}
	c.in(key)
	defer c.out()
	if _, ok := numberOf(v); f.is(setOf(keywordFamily, keyedFamily)) && (ok || orderedOtherwise.MatchString(v.text)) {
		c.report(ErrInvalidLiteral, c.alternatives(f, needNumeric),
			"%s is of type %s, which compares texts character by character, and not as numbers or dates such as %s; "+
				"use a field of numbers or dates, or terms with the values",
			quoted(f.Path), f.Type, quoted(v.text))
		return
	}
	c.literal(f, v, use, format)
}

// orderedOtherwise matches numbers with signs between their thousands or with spaces,
// dates that begin with a day or a month or lack a zero, date math, and amounts with a unit.
var orderedOtherwise = regexp.MustCompile(
	`^\s*[+-]?\d{1,3}(?:[,.' ]\d{3})+(?:[.,]\d+)?\s*$|^\s+[+-]?\d|^\d+\s+$|^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}(?:\D|$)|` +
		`^\d{4}[./-](?:\d|\d\d[./-]\d)(?:[./-]|$)|^now(?:[-+/]|$)|\|\||^[$€£] ?\d|^\d+(?:[.,]\d+)?(?: ?[%€$£]| [A-Za-z]{1,4})$`)
