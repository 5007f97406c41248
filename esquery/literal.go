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

// wholeNumbers are the types without fractions, and the least and most values that
// they hold. Engines read the bounds of a range on the smaller types as integers.
var wholeNumbers = map[string]struct{ least, most, leastBound, mostBound float64 }{
	"byte":          {math.MinInt8, math.MaxInt8, math.MinInt32, math.MaxInt32},
	"short":         {math.MinInt16, math.MaxInt16, math.MinInt32, math.MaxInt32},
	"integer":       {math.MinInt32, math.MaxInt32, math.MinInt32, math.MaxInt32},
	"token_count":   {math.MinInt32, math.MaxInt32, math.MinInt32, math.MaxInt32},
	"long":          {math.MinInt64, math.MaxInt64, math.MinInt64, math.MaxInt64},
	"unsigned_long": {0, math.MaxUint64, math.MinInt64, math.MaxUint64},
}

// fractions are the least numbers that the other types round to infinity.
var fractions = map[string]float64{
	"half_float": 65520,
	"float":      0x1.ffffffp127,
}

// number reports a value that is not a number, has a fraction that the type does
// not hold, or is out of range: engines find nothing by most of these.
func (c *checker) number(f *Field, v *value, use literalUse) {
	whole, isWhole := wholeNumbers[f.Type]
	n, ok := parseNumber(v, isWhole && whole.most > math.MaxInt32)
	if !ok {
		c.report(ErrInvalidLiteral, nil,
			"%s is not a number, which %s of type %s needs", quoted(v.text), quoted(f.Path), f.Type)
		return
	}
	least, most := -math.MaxFloat64, math.MaxFloat64
	switch {
	case isWhole && use.exact():
		least, most = whole.least, whole.most
	case isWhole:
		least, most = whole.leastBound, whole.mostBound
	case fractions[f.Type] != 0:
		most = math.Nextafter(fractions[f.Type], 0)
		least = -most
	}
	switch {
	case n < least || n > most || aboveInteger(v.text, n, most):
		c.report(ErrInvalidLiteral, nil, "%s is out of the range of %s of type %s", quoted(v.text), quoted(f.Path), f.Type)
	case isWhole && n != math.Trunc(n) && use.exact():
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

// aboveInteger reports whether a number is above most, for the ends of 64 bits,
// which a float cannot represent.
func aboveInteger(text string, n, most float64) bool {
	const nearEnd = 1 << 62
	if n < nearEnd || most < nearEnd || most > math.MaxUint64 || !isDigits(text) {
		return n == most && most == math.MaxInt64
	}
	if most == math.MaxInt64 {
		_, err := strconv.ParseInt(text, 10, 64)
		return err != nil
	}
	_, err := strconv.ParseUint(text, 10, 64)
	return err != nil
}
