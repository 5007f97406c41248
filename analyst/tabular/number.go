package tabular

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/currency"

	"github.com/qedkit/qed/internal/column"
)

// A numeral is a number as people write it: -1,234.56 or (1.234,56 €) or 12 %.
type numeral struct {
	digits   string // with separators; spaces of all kinds are ' ', apostrophes '\''
	unit     string // a currency or %
	negative bool
	plus     bool // it begins with a plus sign
	marked   bool // brackets or a sign at the end make it negative
	open     bool // a bracket is not closed yet
	hard     bool // a space that is no blank, which nobody types between words
	certain  bool // a number of JSON or Excel
	unusual  bool // it is not written as programs write numbers
}

// readNumeral reads a number with its sign and unit. Whether the digits are a number is for
// plain to say.
func readNumeral(s string) (n numeral, ok bool) {
	if len(s) > 400 {
		return n, false
	}
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\u2212':
			n.unusual = true
			return '-'
		case r == '’':
			return '\''
		case r != ' ' && unicode.Is(unicode.Zs, r):
			n.hard = true
			return ' '
		}
		return r
	}, s)
	for range 3 { // a bracket, a sign and a unit, in any order
		if s, ok = n.cutFront(s); !ok {
			return n, false
		}
	}
	for range 3 {
		if s, ok = n.cutEnd(s); !ok {
			return n, false
		}
	}
	if n.open {
		return n, false
	}
	n.digits = s
	n.unusual = n.unusual || n.unit != "" || n.marked || n.plus || strings.ContainsAny(s, "' ")
	return n, s != "" && s[0] >= '0' && s[0] <= '9'
}

// cutFront takes a sign or a unit from the beginning. It returns false for a second one.
func (n *numeral) cutFront(s string) (rest string, ok bool) {
	switch {
	case strings.HasPrefix(s, "("):
		ok = !n.negative && !n.plus
		n.open, n.negative, n.marked = true, true, true
		return strings.TrimLeft(s[1:], " "), ok
	case strings.HasPrefix(s, "-"):
		ok = !n.negative && !n.plus
		n.negative = true
		return strings.TrimLeft(s[1:], " "), ok
	case strings.HasPrefix(s, "+"):
		ok = !n.negative && !n.plus
		n.plus = true
		return strings.TrimLeft(s[1:], " "), ok
	}
	end := strings.IndexFunc(s, func(r rune) bool { return r >= '0' && r <= '9' || r == '-' || r == '+' || r == '(' })
	if end <= 0 {
		return s, true
	}
	unit := strings.TrimRight(s[:end], " ")
	ok = isCurrency(unit) && n.unit == ""
	n.unit = unit
	return s[end:], ok
}

// cutEnd takes a sign or a unit from the end. It returns false for a second one.
func (n *numeral) cutEnd(s string) (rest string, ok bool) {
	if rest, ok := strings.CutSuffix(s, ")"); ok {
		ok = n.open
		n.open = false
		return strings.TrimRight(rest, " "), ok
	}
	if rest, ok := strings.CutSuffix(s, "-"); ok {
		ok = !n.negative && !n.plus
		n.negative, n.marked = true, true
		return strings.TrimRight(rest, " "), ok
	}
	end := strings.LastIndexFunc(s, func(r rune) bool { return r >= '0' && r <= '9' || r == '-' || r == ')' })
	if end < 0 || end == len(s)-1 {
		return s, true
	}
	unit := strings.TrimLeft(s[end+1:], " ")
	ok = (unit == "%" || isCurrency(unit)) && n.unit == ""
	n.unit = unit
	return s[:end+1], ok
}

// isCurrency reports whether a text is the sign, the code or a common name of a currency.
func isCurrency(s string) bool {
	switch s {
	case "kr", "kr.", "zł", "Kč", "Fr.", "Ft", "lei":
		return true
	}
	if len(s) == 3 && strings.ToUpper(s) == s {
		if _, err := currency.ParseISO(s); err == nil {
			return true
		}
	}
	sign, size := utf8.DecodeLastRuneInString(s)
	before := s[:len(s)-size]
	return unicode.Is(unicode.Sc, sign) && len(before) <= 2 && strings.Trim(before, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// plain returns the number without separators of thousands and with a point as decimal
// sign. It reports whether it is a number with that decimal sign. Whole numbers beyond int64
// are none: they are identifiers, and a float64 would lose digits.
func (n numeral) plain(decimal byte) (string, bool) {
	if n.digits == "" {
		return "", false
	}
	whole, fraction, hasFraction := strings.Cut(n.digits, string(decimal))
	if at := strings.IndexAny(whole, ".,' "); at >= 0 {
		if whole[at] == decimal || !isGrouped(whole, whole[at]) {
			return "", false
		}
		whole = strings.ReplaceAll(whole, whole[at:at+1], "")
	}
	text := whole
	if n.negative {
		text = "-" + text
	}
	if hasFraction {
		text += "." + fraction
	}
	if _, ok := column.ParseNumber(text); !ok {
		return "", false
	}
	if isWhole(text) {
		_, err := strconv.ParseInt(text, 10, 64)
		return text, err == nil
	}
	return text, true
}

// isGrouped reports whether digits are grouped by thousands, or by thousands and hundreds as
// in India.
func isGrouped(whole string, by byte) bool {
	groups := strings.Split(whole, string(by))
	last := len(groups) - 1
	if len(groups[0]) == 0 || len(groups[0]) > 3 || len(groups[last]) != 3 {
		return false
	}
	for _, size := range []int{3, 2} {
		fits := size == 3 || by == ',' && len(groups[0]) <= 2
		for _, g := range groups[1:last] {
			fits = fits && len(g) == size
		}
		if fits {
			return true
		}
	}
	return false
}

// isWhole reports whether a number is written with digits alone.
func isWhole(number string) bool { return !strings.ContainsAny(number, ".eE") }

// isCode reports whether digits with an exponent may be a code, such as 1E5.
func (n numeral) isCode() bool {
	at := strings.IndexAny(n.digits, "eE")
	return at > 0 && !n.negative && strings.Trim(n.digits[at+1:], "0123456789") == "" && isWhole(n.digits[:at])
}

// A numberCount is what the cells of a column show that may be numbers.
type numberCount struct {
	cells  int
	plus   int            // begin with a plus sign
	signed int            // begin with a minus sign, or have a fraction
	marked int            // brackets or a sign at the end
	codes  int            // such as 1E5
	exact  int            // have an exponent and are no code
	plain  int            // as programs write numbers
	other  int            // neither plain nor with blanks between digits
	spaced map[int]int    // digits that blanks group, by their number
	units  map[string]int // by unit, of those that are not plain
}

const maxUnits = 4 // of a column, of which more than one is too many

func (c *numberCount) add(n numeral) {
	c.cells++
	if n.certain && n.unit == "" {
		c.plain++
		return
	}
	if n.negative && !n.marked || hasEither(n.digits, '.', ',') {
		c.signed++
	}
	if !n.unusual && !n.certain {
		c.plain++
		if hasEither(n.digits, 'e', 'E') {
			if n.isCode() {
				c.codes++
			} else {
				c.exact++
			}
		}
		return
	}
	if n.plus {
		c.plus++
	}
	if n.marked {
		c.marked++
	}
	if c.units == nil {
		c.units, c.spaced = map[string]int{}, map[int]int{}
	}
	if len(c.units) < maxUnits {
		c.units[n.unit]++
	}
	if strings.Contains(n.digits, " ") && !n.hard {
		c.spaced[len(n.digits)]++
	} else {
		c.other++
	}
}

// hasEither is [strings.ContainsAny] for two bytes, which takes much of the time otherwise.
func hasEither(s string, a, b byte) bool {
	return strings.IndexByte(s, a) >= 0 || strings.IndexByte(s, b) >= 0
}

// unit returns the unit of all cells. Amounts without one among those of a currency have it
// too.
func (c *numberCount) unit() string {
	for unit := range c.units {
		if unit != "" {
			return unit
		}
	}
	return ""
}

// doubt returns the text that says why the cells may be something else than numbers, or "".
func (c *numberCount) doubt(t *texts) string {
	unit := c.unit()
	kinds := len(c.units)
	if c.units[""] == 0 && c.plain > 0 && kinds > 0 {
		kinds++ // those without a unit
	}
	switch {
	case kinds > 2 || kinds == 2 && (len(c.units) == 2 && c.units[""] == 0 || unit == "%"):
		return t.SeveralUnits
	case c.codes > 0 && c.exact == 0 && c.signed == 0:
		return t.Codes
	case c.plus > 0 && c.signed == 0:
		return t.Telephones
	case c.marked == c.cells && c.cells > 0:
		return t.Marked
	case len(c.spaced) == 1 && c.plain+c.other+c.signed == 0:
		return t.Groups
	}
	return ""
}
