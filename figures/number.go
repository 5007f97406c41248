package figures

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// A Number is a number as it is written in a text.
type Number struct {
	Text     string  // as written, with its scale, such as "1.2 million"; digits of other scripts are those of ASCII
	Value    float64 // with its sign and scale; 12 for 12 %. NaN if Text is not one number, such as a date or a version
	Negative bool    // a minus sign stands before it
	Percent  bool    // a percentage

	meaning    meaning
	readings   []reading // without scale: one, several for a list, none if it cannot be read
	power      int       // its scale, as a power of ten
	unsure     bool      // the scale may be a unit of measure, such as m for metres
	hedge      hedge     // words before it show that it is rounded
	sign       sign      // of the amounts that it can be
	plain      bool      // digits alone, without a sign, a scale or a currency
	begin, end int       // its position in the plain text
}

// A meaning is what a number says. Only amounts are claims that data can prove.
type meaning byte

const (
	amount   meaning = iota
	label            // it counts off or quotes, as in 1st, "1." before an item and "4711" in quotes
	numbered         // it names a thing, as in § 12 and Week 7
	code             // an identifier or a version, such as WO-10229 and 1.2.3
	day              // of a month, as in 31 March
	year             // as in 2024-2026
	hour             // as in 2 pm
	instant          // a whole date or a time, such as 2026-03-31 and 14:30
)

// A sign is which amounts a number can be: of "fell by 3.25" all, of "rose by 3.25" those
// above zero.
type sign byte

const (
	anySign sign = iota
	plus
	minus
)

// A reading is what digits mean: a whole number times ten to the power of last.
type reading struct {
	digits string
	last   int
}

func newReading(whole, fraction string) reading {
	return reading{digits: strings.TrimLeft(whole+fraction, "0"), last: -len(fraction)}
}

func (r reading) times(power int) reading { return reading{r.digits, r.last + power} }

func (r reading) value() float64 {
	v, _ := strconv.ParseFloat("0"+r.digits+"e"+strconv.Itoa(r.last), 64) // what is too large is infinite
	return v
}

// isHundreds reports whether r is 100, 1,000 and so on.
func (r reading) isHundreds() bool {
	return r.last == 0 && len(r.digits) > 2 && r.digits[0] == '1' && strings.Trim(r.digits[1:], "0") == ""
}

var goNumber = regexp.MustCompile(`^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$`)

// plainNumber reads a number in the form of Go and JSON, whatever the style: a
// decimal column has such texts.
func plainNumber(text string) (r reading, negative, ok bool) {
	m := goNumber.FindStringSubmatch(text)
	if m == nil {
		return r, false, false
	}
	power, _ := strconv.Atoi(m[4])
	return newReading(m[2], m[3]).times(power), m[1] != "", true
}

func (n *Number) literal() string { return strconv.FormatBool(n.Negative) + n.Text }

func (n *Number) setValue() {
	n.Value = math.NaN()
	if len(n.readings) == 1 {
		n.Value = n.readings[0].times(n.power).value()
		if n.Negative {
			n.Value = -n.Value
		}
	}
}

// plain returns a text with its digits, spaces, apostrophes and signs as those
// of ASCII, and without marks of the direction of writing.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < 0x80:
			return r
		case unicode.IsDigit(r):
			zero := r // the digits of a script are ten runes in a row, or several tens
			for unicode.IsDigit(zero - 1) {
				zero--
			}
			return '0' + (r-zero)%10
		case unicode.Is(unicode.Bidi_Control, r):
			return -1
		case unicode.Is(unicode.Zs, r) || strings.ContainsRune("\u200b\u2060\ufeff", r):
			return ' '
		case strings.ContainsRune("\u00b4\u2018\u2019\u02bc\u066c", r):
			return '\''
		case strings.ContainsRune("\uff0c\u066b", r):
			return ','
		case strings.ContainsRune("\u066a\uff05", r):
			return '%'
		case r == '\uff0e':
			return '.'
		case r == '\u2212' || r == '\u2011':
			return '-'
		}
		return r
	}, text)
}

func isDigit(text string, i int) bool {
	return 0 <= i && i < len(text) && '0' <= text[i] && text[i] <= '9'
}

// digitsEnd returns the end of the digits that begin at i.
func digitsEnd(text string, i int) int {
	for isDigit(text, i) {
		i++
	}
	return i
}

// isNumberSign reports whether r stands for a number without being a digit, as ½
// and ² do.
func isNumberSign(r rune) bool { return unicode.In(r, unicode.No, unicode.Nl) }

// groups returns the groups of digits of the number that begins at i, and the
// separators between them. 12 345 is one number and 17 20 are two.
func groups(text string, i int) (parts []string, separators string, end int) {
	var signs []byte
	spaced := true // the groups so far are thousands with spaces between
	for {
		end = digitsEnd(text, i)
		part := text[i:end]
		parts = append(parts, part)
		if len(parts) == 1 {
			spaced = len(part) <= 3 && part[0] != '0'
		}
		if !isDigit(text, end+1) || strings.IndexByte(".,' _", text[end]) < 0 {
			return parts, string(signs), end
		}
		sign := text[end]
		if sign == '_' {
			sign = ' '
		}
		if sign == ' ' && (!spaced || digitsEnd(text, end+1)-end != 4) {
			return parts, string(signs), end
		}
		spaced = spaced && sign == ' '
		signs = append(signs, sign)
		i = end + 1
	}
}

// readings returns what groups of digits mean: one number, the numbers of a list,
// or nothing, such as for a version.
func readings(parts []string, separators string, style Style) []reading {
	n := len(parts)
	if n == 1 {
		if len(parts[0]) > 2 && strings.Trim(parts[0], "0") == "" {
			return nil // the end of another number, such as of "5, 000"
		}
		return []reading{newReading(parts[0], "")}
	}
	last := separators[n-2]
	point := last == '.' || last == ','
	same := strings.Trim(separators, separators[:1]) == ""
	thousands := areThousands(parts)
	switch {
	case n == 2 && point && (!thousands || (last == ',') == (style == CommaDecimal)),
		n > 2 && point && last != separators[0] && strings.Trim(separators[:n-2], separators[:1]) == "" &&
			areThousands(parts[:n-1]):
		return []reading{newReading(strings.Join(parts[:n-1], ""), parts[n-1])}
	case n == 2 && point, same && thousands:
		return []reading{newReading(strings.Join(parts, ""), "")}
	case n == 2 || last == ',': // a list
		each := make([]reading, n)
		for i, part := range parts {
			each[i] = newReading(part, "")
		}
		return each
	}
	return nil
}

// areThousands reports whether groups of digits are those of one large number,
// as in 1,234,567 or 12,34,567.
func areThousands(parts []string) bool {
	for i, part := range parts {
		switch {
		case i == 0 && (len(part) > 3 || part[0] == '0'),
			i > 0 && i < len(parts)-1 && len(part) != 2 && len(part) != 3,
			i > 0 && i == len(parts)-1 && len(part) != 3:
			return false
		}
	}
	return true
}

// isDate reports whether groups of digits are a day and a month with leading
// zeros, or a whole date, as in 08.01, 8.1.2025 and 2025.01.08.
func isDate(parts []string) bool {
	if len(parts) == 2 {
		return len(parts[0]) == 2 && len(parts[1]) == 2 && parts[0][0] == '0' && parts[0] != "00"
	}
	return len(parts) == 3 && len(parts[1]) <= 2 &&
		(len(parts[0]) <= 2 && len(parts[2]) == 4 || len(parts[0]) == 4 && len(parts[2]) <= 2)
}
