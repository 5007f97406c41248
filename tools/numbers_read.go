package tools

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A written number is one as it stands in a text.
type written struct {
	text       string // with what it is counted in
	begin, end int    // in the text, in runes
	negative   bool
	attached   bool       // to a letter before it, as in Q3
	readings   [][]number // what it can mean: several numbers where it is a date
	parts      []string   // its groups of digits
	separators []rune     // what stands between them
	plain      bool       // its parts are no numbers of their own
	measure
}

// literal returns what a text that has the very same number has, too.
func (w *written) literal() string {
	return strings.Join(strings.Fields(w.text), " ") + " " + strconv.Itoa(w.power)
}

// hasNumber reports whether there is a number in a text.
func hasNumber(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return '0' <= r && r <= '9' || r >= 0x80 && unicode.IsNumber(r) })
}

// writtenNumbers finds the numbers in a text, in the digits of any script. Those of signs of their own, such as one half, have no reading.
func writtenNumbers(text string, style numberStyle) []written {
	var all []written
	runes := []rune(text)
	for i := 0; i < len(runes); {
		_, digit := digitOf(runes[i])
		switch {
		case digit:
			w := readNumber(runes, i, style)
			all = append(all, w)
			i = w.end
		case isNumberSign(runes[i]) && !(i > 0 && unicode.IsLetter(runes[i-1])): // m² is no number
			all = append(all, written{text: string(runes[i]), begin: i, end: i + 1})
			i++
		default:
			i++
		}
	}
	// In 20 to 30 million both are millions.
	for i := len(all) - 2; i >= 0; i-- {
		w, next := &all[i], &all[i+1]
		if w.measure == (measure{}) && !w.attached && (next.power != 0 || next.percent) && isRange(string(runes[w.end:next.begin])) {
			w.measure = next.measure
			w.text = string(runes[w.begin:next.end])
		}
	}
	return all
}

// readNumber reads the number that begins at a digit.
func readNumber(runes []rune, begin int, style numberStyle) written {
	at := func(i int) rune {
		if i < 0 || i >= len(runes) {
			return 0
		}
		return runes[i]
	}
	money := isMoney(runes[:begin])
	w := written{begin: begin}
	w.attached = !money && unicode.IsLetter(at(begin-1)) && !hasNoSpaces(at(begin-1))
	i := begin
	for {
		var part string
		part, i = digitsAt(runes, i)
		w.parts = append(w.parts, part)
		if _, ok := digitOf(at(i + 1)); !ok || !isSeparator(at(i)) {
			break
		}
		if isSpace(at(i)) { // 12 345 is one number, and 17 20 are two
			next, _ := digitsAt(runes, i+1)
			other := slices.ContainsFunc(w.separators, func(r rune) bool { return r != at(i) })
			if other || w.attached || isPartBefore(runes[:begin]) || !areThousands(append(slices.Clone(w.parts), next)) {
				break
			}
		}
		w.separators = append(w.separators, at(i))
		i++
	}
	sign := begin - 1
	if isPoint(at(sign)) && len(w.separators) == 0 && !unicode.IsLetter(at(sign-1)) && !unicode.IsNumber(at(sign-1)) && !isPoint(at(sign-1)) {
		w.parts, w.separators = []string{"0", w.parts[0]}, []rune{at(sign)} // .5
		w.begin = sign
		sign--
		w.readings, w.plain = [][]number{{newNumber("0", w.parts[1], 0)}}, true
	} else {
		w.readings, w.plain = readings(w.parts, w.separators, style)
		if isDayAndMonth(w.parts, w.separators, runes[i:]) {
			w.readings, w.plain = append(w.readings, eachNumber(w.parts)), false
		}
	}
	if at(sign) == '-' || at(sign) == '\u2212' {
		w.negative = !unicode.IsLetter(at(sign-1)) && !unicode.IsDigit(at(sign-1))
	}
	i = w.readPower(runes, i)
	var length int
	w.measure, length = measureOf(runes[i:], w.attached, money, style)
	if at(w.begin-1) == '%' { // as in Turkish
		w.percent = true
	}
	w.end = i + length
	w.text = string(runes[w.begin:w.end])
	return w
}

// readPower reads the power of ten behind a number, as in 1e6, 1.2 × 10⁶ or 10^6, and returns where it ends. A number with another sign behind it,
// such as 2½ or 2^3, has no reading.
func (w *written) readPower(runes []rune, i int) int {
	rest := string(runes[i:min(len(runes), i+24)])
	length := func(s string) int { return len([]rune(rest)) - len([]rune(s)) }
	exponent, tail, ok := "", "", false
	if strings.HasPrefix(rest, "e") || strings.HasPrefix(rest, "E") {
		exponent, tail, ok = cutExponent(rest[1:], false)
		w.plain = w.plain && !ok
	} else if behind := strings.TrimLeftFunc(rest, isSpace); strings.IndexAny(behind, "×x*·⋅✕") == 0 {
		_, behind, _ = strings.Cut(behind, string([]rune(behind)[0]))
		if behind, found := strings.CutPrefix(strings.TrimLeftFunc(behind, isSpace), "10"); found {
			exponent, tail, ok = cutExponent(behind, true)
		}
	} else if exponent, tail, ok = cutExponent(rest, true); ok {
		if len(w.parts) == 1 && w.parts[0] == "10" {
			w.readings = [][]number{{newNumber("1", "", 0)}}
		} else {
			w.readings = nil
		}
	} else if i < len(runes) && isNumberSign(runes[i]) {
		w.readings, w.plain = nil, false
		return i + 1
	}
	if !ok {
		return i
	}
	power, err := strconv.ParseInt(exponent, 10, 16)
	if err != nil {
		w.readings = nil
	}
	for _, reading := range w.readings {
		for j, n := range reading {
			reading[j] = n.times(int(power))
		}
	}
	if w.readings == nil {
		w.plain = false
	}
	return i + length(tail)
}

// isPartBefore reports whether a text ends within an identifier, a date or a time, such as SH-, 2025-01- and 10:.
func isPartBefore(before []rune) bool {
	n := len(before)
	if n < 2 || !strings.ContainsRune("-/:", before[n-1]) {
		return false
	}
	return unicode.IsLetter(before[n-2]) && !isMoney(before) ||
		unicode.IsDigit(before[n-2]) && (before[n-1] != '-' || n > 4 && before[n-4] == '-' && unicode.IsDigit(before[n-5]))
}

var lowered = strings.NewReplacer("⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9", "⁻", "-", "⁺", "+")

// cutExponent cuts a whole number from the beginning of a text. Raised, it stands behind ^ or is in raised digits.
func cutExponent(text string, raised bool) (exponent, tail string, ok bool) {
	if raised && !strings.HasPrefix(text, "^") {
		tail = strings.TrimLeft(text, "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺")
		exponent = lowered.Replace(text[:len(text)-len(tail)])
		return exponent, tail, exponent != ""
	}
	if raised {
		text = text[1:]
	}
	tail = strings.TrimLeft(text, "+-\u2212")
	sign := strings.ReplaceAll(text[:len(text)-len(tail)], "\u2212", "-")
	end := len(tail) - len(strings.TrimLeft(tail, "0123456789"))
	return sign + tail[:end], tail[end:], end > 0
}

// isNumberSign reports whether r stands for a number without being a digit, as ½ and ² do.
func isNumberSign(r rune) bool { return unicode.In(r, unicode.No, unicode.Nl) }

// digitOf returns a digit of any script as that of ASCII.
func digitOf(r rune) (byte, bool) {
	switch {
	case '0' <= r && r <= '9':
		return byte(r), true
	case r < 0x80 || !unicode.IsDigit(r):
		return 0, false
	}
	zero := r // the digits of a script stand in a row of ten, or of several tens
	for unicode.IsDigit(zero - 1) {
		zero--
	}
	return '0' + byte((r-zero)%10), true
}

// digitsAt returns the digits that begin at i, as those of ASCII, and where they end.
func digitsAt(runes []rune, i int) (string, int) {
	var part []byte
	for ; i < len(runes); i++ {
		d, ok := digitOf(runes[i])
		if !ok {
			break
		}
		part = append(part, d)
	}
	return string(part), i
}

// hasNoSpaces reports whether r is of a script that has no spaces between words and numbers.
func hasNoSpaces(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
}

// isSpace reports whether r may stand between groups of digits as a space does.
func isSpace(r rune) bool {
	return unicode.Is(unicode.Zs, r) || strings.ContainsRune("_\u200b\u2060\ufeff", r)
}

func isComma(r rune) bool { return strings.ContainsRune(",\uff0c\u066b", r) }

func isPoint(r rune) bool { return isComma(r) || strings.ContainsRune(".\uff0e", r) }

func isApostrophe(r rune) bool { return strings.ContainsRune("'`\u00b4\u2018\u2019\u02bc", r) }

func isSeparator(r rune) bool { return isPoint(r) || isSpace(r) || isApostrophe(r) || r == '\u066c' }

// readings returns what groups of digits with separators between them can mean, and whether the groups are no numbers of their own.
func readings(parts []string, separators []rune, style numberStyle) (all [][]number, plain bool) {
	n := len(parts)
	switch {
	case n == 1 && len(parts[0]) > 2 && strings.Trim(parts[0], "0") == "": // the end of another number, such as of "5, 000"
		return nil, false
	case n == 1:
		return [][]number{{newNumber(parts[0], "", 0)}}, true
	}
	last := separators[n-2]
	grouped := [][]number{{newNumber(strings.Join(parts, ""), "", 0)}}
	fraction := [][]number{{newNumber(strings.Join(parts[:n-1], ""), parts[n-1], 0)}}
	same := func(some []rune) bool {
		return !slices.ContainsFunc(some, func(r rune) bool { return r != some[0] })
	}
	switch {
	case n == 2 && areThousands(parts) && strings.ContainsRune(".,\uff0c\uff0e", last): // 1,234 is one thing in English, and another in German
		if isComma(last) == (style == commaStyle) {
			return fraction, false
		}
		return grouped, false
	case n == 2 && isPoint(last) && !areDates(parts):
		return fraction, true
	case same(separators) && areThousands(parts) && last != '\u066b':
		return grouped, !isSpace(last)
	case n > 2 && isPoint(last) && last != separators[0] && same(separators[:n-2]) && areThousands(parts[:n-1]):
		return fraction, true
	case n == 2 || isComma(last) || areDates(parts):
		return [][]number{eachNumber(parts)}, false
	}
	return nil, false // such as a version
}

func eachNumber(parts []string) []number {
	each := make([]number, len(parts))
	for i, part := range parts {
		each[i] = newNumber(part, "", 0)
	}
	return each
}

// areThousands reports whether the groups of digits are those of a large number, as in 1,234,567 or in 12,34,567.
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

// areDates reports whether groups of digits are a day and a month, a time, or a whole date, as in 08.01, 8.1.2025 and 2025.01.08. 8.1 is none.
func areDates(parts []string) bool {
	if len(parts) == 2 {
		return len(parts[0]) == 2 && len(parts[1]) == 2 && parts[0][0] == '0' && parts[0] != "00"
	}
	return len(parts) == 3 && len(parts[1]) <= 2 &&
		(len(parts[0]) <= 2 && (len(parts[2]) == 4 || len(parts[0])+len(parts[1])+len(parts[2]) == 6) || len(parts[0]) == 4 && len(parts[2]) <= 2)
}

// isDayAndMonth reports whether digits are a date as in "on 15.1. it was": no sentence goes on with a small letter.
func isDayAndMonth(parts []string, separators []rune, behind []rune) bool {
	if len(parts) != 2 || separators[0] != '.' || len(behind) < 3 || behind[0] != '.' || behind[1] != ' ' || !unicode.IsLower(behind[2]) {
		return false
	}
	day, _ := strconv.Atoi(parts[0])
	month, _ := strconv.Atoi(parts[1])
	return 0 < day && day <= 31 && 0 < month && month <= 12
}
