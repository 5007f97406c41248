package esquery

import (
	"math"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed/refusal"
)

// literalUse is where in a body a value stands.
type literalUse uint8

const (
	exactLiteral  literalUse = iota // the value of a term, or one of a terms
	matchLiteral                    // the text of a match
	boundLiteral                    // a bound of a range; null is none
	originLiteral                   // the origin of a decay, the missing of an aggregation
)

// literal notes where the engine would not take v as a value of the field, would
// take it as another one than it seems, or could find nothing by it. The walk's path
// is at v. Points and vectors have functions of their own.
func (c *checker) literal(f *Field, v *value, use literalUse) { c.literalAs(f, v, use, "") }

// literalAs is literal where the body says which format its dates have.
func (c *checker) literalAs(f *Field, v *value, use literalUse, format string) {
	if v.kind == null {
		if use != boundLiteral {
			c.report(InvalidLiteral, nil, "null is no value of %s; to find documents without one, use bool.must_not and exists", quoted(f.Path))
		}
		return
	}
	if v.kind == array || v.kind == object {
		c.report(InvalidLiteral, nil, "%s needs one value here, not %s", quoted(f.Path), v.kind)
		return
	}
	if f.variants == nil {
		c.scalar(f, v, use, format)
		return
	}
	for _, variant := range f.variants {
		before := len(c.problems)
		if c.scalar(variant, v, use, format); len(c.problems) > before {
			return
		}
	}
}

// scalar is literal for a string, number or boolean, in one index.
func (c *checker) scalar(f *Field, v *value, use literalUse, format string) {
	switch f.family {
	case numberFamily:
		c.number(f, v, f.Type, use)
	case dateFamily:
		c.dateLiteral(f, v, format)
	case booleanFamily:
		if v.text != "true" && v.text != "false" {
			c.report(InvalidLiteral, []string{"true", "false"}, "%s is a boolean, so its value is true or false, not %s", quoted(f.Path), quoted(v.text))
		}
	case ipFamily:
		c.ip(f, v, use != boundLiteral)
	case rangeFamily, dateRangeFamily, ipRangeFamily:
		c.inRange(f, v, format)
	case joinFamily:
		if f.Relations != nil && use == exactLiteral {
			c.joinLiteral(f, v)
		}
	}
}

// inRange checks a value that may lie in a range.
func (c *checker) inRange(f *Field, v *value, format string) {
	of, _ := strings.CutSuffix(f.Type, "_range")
	switch of {
	case "date":
		c.dateLiteral(f, v, format)
	case "ip":
		c.ip(f, v, false)
	default:
		c.number(f, v, of, exactLiteral)
	}
}

// joinLiteral checks the name of a relation of a join.
func (c *checker) joinLiteral(f *Field, v *value) {
	if names := relationNames(f); !slices.Contains(names, v.text) {
		c.report(InvalidLiteral, refusal.Nearest(v.text, names, maxCandidates), "%s is no relation of the join %s", quoted(v.text), quoted(f.Path))
	}
}

// relationNames are those of the parents and children of a join, sorted.
func relationNames(f *Field) []string {
	var names []string
	for parent, children := range f.Relations {
		names = append(append(names, parent), children...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (c *checker) ip(f *Field, v *value, network bool) {
	if v.kind == str {
		if _, err := netip.ParseAddr(v.text); err == nil {
			return
		}
		if net, err := netip.ParsePrefix(v.text); err == nil && !net.Addr().Is4In6() {
			if !network {
				c.report(InvalidLiteral, nil, "%s is a network, and this takes one address; a term on an ip takes a network", quoted(v.text))
			}
			return
		}
	}
	c.report(InvalidLiteral, nil, "%s is no IP address, which %s needs", quoted(v.text), quoted(f.Path))
}

// wholeNumbers are the types without fractions, and the least and most they take.
// Engines read the bounds of a range on the smaller ones as integers.
var wholeNumbers = map[string]struct{ least, most, leastBound, mostBound float64 }{
	"byte":          {math.MinInt8, math.MaxInt8, math.MinInt32, math.MaxInt32},
	"short":         {math.MinInt16, math.MaxInt16, math.MinInt32, math.MaxInt32},
	"integer":       {math.MinInt32, math.MaxInt32, math.MinInt32, math.MaxInt32},
	"token_count":   {math.MinInt32, math.MaxInt32, math.MinInt32, math.MaxInt32},
	"long":          {math.MinInt64, math.MaxInt64, math.MinInt64, math.MaxInt64},
	"unsigned_long": {0, math.MaxUint64, math.MinInt64, math.MaxUint64},
}

// fractions are the others, with what would be rounded to infinity.
var fractions = map[string]float64{
	"half_float": 65520,
	"float":      0x1.ffffffp127,
}

func (c *checker) number(f *Field, v *value, typ string, use literalUse) {
	whole, isWhole := wholeNumbers[typ]
	n, ok := parseNumber(v, isWhole && whole.most > math.MaxInt32)
	if !ok {
		c.report(InvalidLiteral, nil, "%s is no number, which %s of type %s needs", quoted(v.text), quoted(f.Path), f.Type)
		return
	}
	least, most := -math.MaxFloat64, math.MaxFloat64
	switch {
	case isWhole && (use == exactLiteral || use == matchLiteral):
		least, most = whole.least, whole.most
	case isWhole:
		least, most = whole.leastBound, whole.mostBound
	case fractions[typ] != 0:
		most = math.Nextafter(fractions[typ], 0)
		least = -most
	}
	switch {
	case n < least || n > most || beyond(v.text, n, most):
		c.report(InvalidLiteral, nil, "%s lies outside of what %s of type %s can hold", quoted(v.text), quoted(f.Path), f.Type)
	case isWhole && n != math.Trunc(n) && (use == exactLiteral || use == matchLiteral):
		c.report(InvalidLiteral, nil, "%s has a fraction, and %s of type %s holds whole numbers: nothing can match", quoted(v.text), quoted(f.Path), f.Type)
	}
}

// parseNumber reads a number, or the string of one, as both engines do. exact is of
// the types that take no space around it.
func parseNumber(v *value, exact bool) (float64, bool) {
	text := v.text
	if v.kind == boolean {
		return 0, false
	}
	if !exact {
		text = strings.Trim(text, " ")
	}
	if text == "" || strings.Trim(text, "0123456789+-.eE") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil
}

// beyond tells numbers around the ends of 64 bits apart, which a float cannot.
func beyond(text string, n, most float64) bool {
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
