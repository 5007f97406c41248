package esquery

import (
	"math"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/qedkit/qed/refusal"
)

// A literalUse is the use of a value in a body.
type literalUse uint8

const (
	exactLiteral  literalUse = iota // the value of a term, terms or match query
	sharedLiteral                   // the same, for several fields
	boundLiteral                    // a bound, an origin, or the value for missing ones
	endLiteral                      // a bound whose period belongs to what is below it: lte or gt
)

// exact reports whether the value is compared with whole values.
func (u literalUse) exact() bool { return u <= sharedLiteral }

// literal reports a value that finds nothing in the field, or that the engine
// reads as another value than it looks like. format is the date format in the
// body; empty means that the body has none.
func (c *checker) literal(f *Field, v *value, use literalUse, format string) {
	if !isText(v) {
		return
	}
	switch f.family {
	case numberFamily:
		c.number(f, v, use)
	case rangeFamily:
		c.number(f, v, boundLiteral)
	case dateFamily, dateRangeFamily:
		c.date(f, v, use, format)
	case booleanFamily:
		if v.text != "true" && v.text != "false" {
			c.report(ErrInvalidLiteral, []string{"true", "false"}, "%s is not true or false, which %s of type boolean needs",
				quoted(v.text), quoted(f.Path))
		}
	case ipFamily, ipRangeFamily:
		c.ip(f, v, use)
	case keywordFamily, keyedFamily, flattenedFamily:
		if use.exact() {
			c.length(f, v.text)
		}
		if f.relations != nil && use.exact() && !slices.Contains(f.relations, v.text) {
			c.report(ErrInvalidLiteral, refusal.Nearest(v.text, f.relations, maxCandidates),
				"%s is not a relation of the join %s", quoted(v.text), quoted(f.Path))
		}
	}
}

// ip reports a text that is no address, and no network where one can be given.
func (c *checker) ip(f *Field, v *value, use literalUse) {
	if a, err := netip.ParseAddr(v.text); err == nil && a.Zone() == "" {
		return
	}
	if _, err := netip.ParsePrefix(v.text); err == nil && use.exact() && f.family == ipFamily {
		return
	}
	c.report(ErrInvalidLiteral, nil, "%s is not an address, such as 10.0.0.1, which %s of type %s needs here",
		quoted(v.text), quoted(f.Path), f.Type)
}

// length reports a text that is longer than every value in the index.
func (c *checker) length(f *Field, text string) {
	if n := len(utf16.Encode([]rune(text))); f.ignoreAbove > 0 && n > f.ignoreAbove {
		c.report(ErrInvalidLiteral, append(c.alternatives(f, needMatch), "match_phrase"),
			"%s has %d characters, and %s has only values of at most %d (ignore_above) in the index, so nothing is found",
			quoted(text), n, quoted(f.Path), f.ignoreAbove)
	}
}

// limits are the least and the greatest numbers of the types. The last ones below 2^63 and
// 2^64 are left out, because a float cannot represent them.
var limits = map[string]struct{ least, most float64 }{
	"byte": {math.MinInt8, math.MaxInt8}, "short": {math.MinInt16, math.MaxInt16},
	"integer": {math.MinInt32, math.MaxInt32}, "token_count": {math.MinInt32, math.MaxInt32},
	"long": {math.MinInt64, below63}, "unsigned_long": {0, 2 * below63},
	"half_float": {-65504, 65504}, "float": {-3.4028235e38, 3.4028235e38},
}

const below63 = 1<<63 - 1<<10

// isWhole reports whether a type has no fractions.
func isWhole(typ string) bool { return limits[typ].most > 0 && !strings.HasSuffix(typ, "float") }

// number reports a value that is not a number, has a fraction that the type does
// not hold, or is out of range: engines find nothing by most of these.
func (c *checker) number(f *Field, v *value, use literalUse) {
	n, ok := parseNumber(v, strings.HasSuffix(f.Type, "long"))
	if !ok {
		c.report(ErrInvalidLiteral, nil,
			"%s is not a number, which %s of type %s needs", quoted(v.text), quoted(f.Path), f.Type)
		return
	}
	limit, limited := limits[f.Type]
	if !use.exact() && limit.most > 0 && limit.most < math.MaxInt32 && isWhole(f.Type) {
		limit = limits["integer"] // as engines read the bounds of ranges
	}
	switch {
	case limited && (n < limit.least || n > limit.most):
		c.report(ErrInvalidLiteral, nil, "%s is out of the range of %s of type %s", quoted(v.text), quoted(f.Path), f.Type)
	case isWhole(f.Type) && n != math.Trunc(n) && use.exact():
		c.report(ErrInvalidLiteral, nil,
			"%s has a fraction, but %s of type %s holds whole numbers: nothing can match",
			quoted(v.text), quoted(f.Path), f.Type)
	}
}

// parseNumber reads a number, or a string that holds one, as both engines do.
// exact excludes spaces around the number.
func parseNumber(v *value, exact bool) (float64, bool) {
	text := v.text
	if !exact {
		text = strings.Trim(text, " ")
	}
	if text == "" || strings.Trim(text, "0123456789+-.eE") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil
}
