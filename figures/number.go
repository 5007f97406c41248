package figures

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Number is a number as it is written in a text.
type Number struct {
	Text     string  // as written, with its scale, such as "1.2 million"; digits of other scripts are those of ASCII
	Value    float64 // with its sign and scale; 12 for 12 %. NaN if Text is not one number, such as a date or a version
	Negative bool    // a minus sign stands before it
	Percent  bool    // a percentage

	readings   []reading // without scale: one, several for a date, none if it cannot be read
	power      int       // its scale, as a power of ten
	unsure     bool      // the scale may be a unit of measure, such as m for metres
	attached   bool      // letters stand directly before it, as in Q3
	begin, end int       // its position in the text
}

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

var goNumber = regexp.MustCompile(`^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$`)

// plainNumber reads a number in the form of Go and JSON, whatever the style: a
// decimal column has such texts.
func plainNumber(text string) (Number, bool) {
	m := goNumber.FindStringSubmatch(text)
	if m == nil {
		return Number{}, false
	}
	power, _ := strconv.Atoi(m[4])
	return Number{Negative: m[1] != "", readings: []reading{newReading(m[2], m[3]).times(power)}}, true
}

// Find returns all numbers of a text, in their order. Examples of numbers are
// "-1,234.5", "12 %", "$1.2 million" and "4,17 EUR".
func Find(text string, style Style) []Number {
	text = plain(text)
	var all []Number
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		switch {
		case isDigit(text, i):
			n := read(text, i, style)
			all = append(all, n)
			i = n.end
			continue
		case isNumberSign(r) && !unicode.IsLetter(before): // ½ is a number, m² is not
			all = append(all, Number{Text: string(r), Value: math.NaN(), begin: i, end: i + size})
		}
		i += size
	}
	// In "20 to 30 million", both numbers are millions.
	for i := len(all) - 2; i >= 0; i-- {
		n, next := &all[i], &all[i+1]
		between := strings.ToLower(strings.TrimFunc(text[n.end:next.begin], isAround))
		if ranges[between] && n.power == 0 && !n.Percent && !n.attached && (next.power != 0 || next.Percent) {
			n.power, n.unsure, n.Percent = next.power, next.unsure, next.Percent
			n.Text = text[n.begin:next.end]
		}
	}
	for i := range all {
		all[i].setValue()
	}
	return all
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

var ranges = set("- – — ~ / to and or through bis und oder à et ou a y e o tot en of till til och og do i до и")

// plain returns a text with its digits, spaces, apostrophes and signs as those
// of ASCII.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < 0x80 && r != '_' && r != '`':
			return r
		case unicode.IsDigit(r):
			zero := r // the digits of a script are ten runes in a row, or several tens
			for unicode.IsDigit(zero - 1) {
				zero--
			}
			return '0' + (r-zero)%10
		case unicode.Is(unicode.Zs, r) || strings.ContainsRune("_\u200b\u2060\ufeff", r):
			return ' '
		case strings.ContainsRune("`\u00b4\u2018\u2019\u02bc\u066c", r):
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

// isNumberSign reports whether r stands for a number without being a digit, as ½
// and ² do.
func isNumberSign(r rune) bool { return unicode.In(r, unicode.No, unicode.Nl) }

var (
	exponent = regexp.MustCompile(`^[eE]([+-]?\d+)`)
	datePart = regexp.MustCompile(`([\pL]|\d[/:]|\d\d\d\d-\d\d|^\d\d\d\d)[-/:]?$`)
)

// read reads the number that begins at a digit of a plain text.
func read(text string, begin int, style Style) Number {
	before := text[:begin]
	letter, _ := utf8.DecodeLastRuneInString(before)
	money := endsWithMoney(before)
	n := Number{begin: begin, attached: !money && unicode.IsLetter(letter) && !hasNoSpaces(letter)}
	parts, separators := groups(text, begin, n.attached || inWord(before) && !money)
	i := begin + len(strings.Join(parts, "")) + len(separators)

	sign := begin - 1
	if len(parts) == 1 && sign >= 0 && strings.IndexByte(".,", text[sign]) >= 0 && startsWord(text[:sign]) { // .5
		n.readings, n.begin = []reading{newReading("0", parts[0])}, sign
		sign--
	} else {
		n.readings = readings(parts, separators, style)
	}
	n.Negative = sign >= 0 && text[sign] == '-' && startsWord(text[:sign])

	if match := exponent.FindStringSubmatch(text[i:]); match != nil {
		i += len(match[0])
		power, err := strconv.ParseInt(match[1], 10, 16)
		if err != nil {
			n.readings = nil
		}
		for j := range n.readings {
			n.readings[j] = n.readings[j].times(int(power))
		}
	}
	if r, size := utf8.DecodeRuneInString(text[i:]); isNumberSign(r) || r == '^' && isDigit(text, i+1) { // 2½, 10⁶, 10^6
		n.readings = nil
		i += size
	}
	i += n.scale(text[i:], money, style)
	n.Percent = n.Percent || strings.HasSuffix(before, "%") // as in Turkish
	n.end, n.Text = i, text[n.begin:i]
	return n
}

// groups returns the groups of digits of the number that begins at i, and the
// separators between them. 12 345 is one number and 17 20 are two; if alone is
// set, a space is no separator.
func groups(text string, i int, alone bool) (parts []string, separators string) {
	for {
		digits := text[i : len(text)-len(strings.TrimLeft(text[i:], "0123456789"))]
		parts = append(parts, digits)
		i += len(digits)
		if !isDigit(text, i+1) || strings.IndexByte(".,' ", text[i]) < 0 {
			return parts, separators
		}
		if text[i] == ' ' {
			rest := text[i+1:]
			next := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
			if alone || strings.Trim(separators, " ") != "" || !areThousands(append(slices.Clone(parts), next)) {
				return parts, separators
			}
		}
		separators += text[i : i+1]
		i++
	}
}

// inWord reports whether a text ends within an identifier, a date or a time, such
// as SH-, 2025-01- and 10:.
func inWord(before string) bool {
	return strings.TrimRight(before, "-/:") != before && datePart.MatchString(before)
}

// startsWord reports whether a text ends where a sign begins a number: not
// behind a letter, a digit or a point.
func startsWord(before string) bool {
	r, _ := utf8.DecodeLastRuneInString(before)
	return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '.' && r != ','
}

// readings returns what groups of digits mean: one number, the numbers of a date,
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
	grouped := []reading{newReading(strings.Join(parts, ""), "")}
	fraction := []reading{newReading(strings.Join(parts[:n-1], ""), parts[n-1])}
	switch {
	case n == 2 && point && areThousands(parts): // 1,234 is two numbers in two languages
		if (last == ',') == (style == CommaDecimal) {
			return fraction
		}
		return grouped
	case n == 2 && point && !isDate(parts):
		return fraction
	case same && areThousands(parts):
		return grouped
	case n > 2 && point && last != separators[0] && strings.Trim(separators[:n-2], separators[:1]) == "" && areThousands(parts[:n-1]):
		return fraction
	case n == 2 || last == ',' || isDate(parts): // a list or a date
		var each []reading
		for _, part := range parts {
			each = append(each, newReading(part, ""))
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
