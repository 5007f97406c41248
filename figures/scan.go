package figures

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Find returns all numbers of a text, in their order. Examples of numbers are
// "-1,234.5", "12 %", "$1.2 million" and "4,17 EUR". A date, a time, a version and
// an identifier such as WO-10229 are one number each.
//
// Find reads the text once: its cost is linear.
func Find(text string, style Style) []Number {
	s := scanner{text: plain(text), style: style}
	for i := 0; i < len(s.text); {
		i = s.next(i)
	}
	s.compound()
	s.spreadBack()
	s.spread()
	for i := range s.all {
		s.all[i].setValue()
	}
	return s.all
}

// A scanner reads the numbers of a plain text. It looks back by at most near
// bytes, and never twice at what it has read.
type scanner struct {
	text  string
	style Style
	line  int // where the line begins
	quote int // the end of the quotation or the code that is being read
	rank  int // the last number in the first column of a table
	all   []Number
}

const near = 32 // bytes next to a number that say what it means

// next reads what begins at i, and returns its end.
func (s *scanner) next(i int) int {
	if isDigit(s.text, i) {
		n := s.number(i)
		n.Text = s.text[n.begin:n.end]
		s.all = append(s.all, n)
		if at := strings.LastIndexByte(s.text[i:n.end], '\n'); at >= 0 {
			s.line = i + at + 1
		}
		return n.end
	}
	if c := s.text[i]; c < utf8.RuneSelf && strings.IndexByte("\n:\"`", c) < 0 {
		return i + 1
	}
	r, size := utf8.DecodeRuneInString(s.text[i:])
	before, _ := utf8.DecodeLastRuneInString(s.text[:i])
	switch {
	case r == '\n':
		s.line = i + 1
	case strings.HasPrefix(s.text[i:], "://"):
		if end := strings.IndexAny(s.text[i:], " \t\r\n<>\"')]|"); end >= 0 {
			return i + end
		}
		return len(s.text)
	case i >= s.quote && marks[r] != "" && !unicode.IsLetter(before) && !unicode.IsNumber(before):
		s.quote = max(s.quote, quotationEnd(s.text, i+size, marks[r]))
	case isNumberSign(r) && !unicode.IsLetter(before): // ½ is a number, m² is not
		s.all = append(s.all, Number{Text: string(r), begin: i, end: i + size})
	}
	return i + size
}

// marks has the marks that end a quotation, by the mark that begins it.
var marks = map[rune]string{'"': `"`, '“': "”", '„': "“”", '«': "»", '»': "«", '`': "`"}

const maxQuotation = 64 // bytes: a longer one is a sentence, and no name

// quotationEnd returns the end of a short quotation that begins at i, or 0.
func quotationEnd(text string, i int, closing string) int {
	rest := text[i:min(len(text), i+maxQuotation)]
	n := strings.IndexAny(rest, closing+"\n")
	if n <= 0 || rest[n] == '\n' || rest[0] == ' ' || rest[n-1] == ' ' {
		return 0
	}
	return i + n
}

// number reads the number that begins at a digit.
func (s *scanner) number(begin int) Number {
	n := Number{begin: begin, end: begin}
	before := s.text[max(0, begin-near):begin]
	money := endsWithMoney(before)
	if !money && endsInName(before) {
		n.meaning, n.end = code, nameEnd(s.text, begin)
		return n
	}
	if n.meaning, n.end = s.shape(begin); n.end > 0 {
		return n
	}
	parts, separators, end := groups(s.text, begin)
	sign := begin - 1
	if len(parts) == 1 && sign >= 0 && strings.IndexByte(".,", s.text[sign]) >= 0 && startsWord(s.text[:sign]) { // .5
		n.readings, n.begin = []reading{newReading("0", parts[0])}, sign
		sign--
	} else {
		n.readings = readings(parts, separators, s.style)
	}
	n.hedge = hedgeOf(before)
	n.Negative = sign >= 0 && s.text[sign] == '-' && startsWord(s.text[:sign])
	n.sign = signOf(&n, s.text[s.line:begin], s.text[end:])
	n.plain = len(parts) == 1 && n.begin == begin && !n.Negative && !money
	n.end = s.exponent(&n, end)
	if s.glued(&n, money) {
		return n
	}
	n.end += n.scale(s.text[n.end:], money, s.style)
	if rest := s.text[n.end:]; n.hedge == noHedge && strings.HasPrefix(rest, "+") && !isDigit(rest, 1) { // 100+
		n.hedge = above
	}
	n.Percent = n.Percent || strings.HasSuffix(before, "%") // as in Turkish
	simple := !n.Percent && n.power == 0 && !money && !startsWithMoney(s.text[n.end:min(len(s.text), n.end+near)])
	n.plain = n.plain && simple
	if simple && !n.Negative {
		n.meaning = s.meaningOf(&n, before)
	}
	return n
}

// exponent reads what may follow digits: e6, ½, ⁶ and ^6.
func (s *scanner) exponent(n *Number, i int) int {
	if j := i + 1; i < len(s.text) && s.text[i]|0x20 == 'e' {
		if j < len(s.text) && strings.IndexByte("+-", s.text[j]) >= 0 {
			j++
		}
		if end := digitsEnd(s.text, j); end > j {
			power, err := strconv.ParseInt(s.text[i+1:end], 10, 16)
			if err != nil {
				n.readings = nil
			}
			for j := range n.readings {
				n.readings[j] = n.readings[j].times(int(power))
			}
			i, n.plain = end, false
		}
	}
	if r, size := utf8.DecodeRuneInString(s.text[i:]); isNumberSign(r) || r == '^' && isDigit(s.text, i+1) {
		n.readings, n.plain = nil, false
		i += size
	}
	return i
}

// glued reads letters directly behind a number. It reports whether they make it
// something other than an amount: 1st, 2 in 2pm, and identifiers such as 4711AB.
func (s *scanner) glued(n *Number, money bool) bool {
	rest := s.text[n.end:]
	r, size := utf8.DecodeRuneInString(rest)
	if strings.ContainsRune("年月日号號时時", r) {
		n.meaning, n.end = instant, n.end+size
		return true
	}
	joined := r == '-' || r == '_'
	if joined {
		rest = rest[size:]
	}
	word, tail := cutWord(rest)
	first, _ := utf8.DecodeRuneInString(word)
	next, _ := utf8.DecodeRuneInString(tail)
	upper := strings.ToUpper(word) == word
	switch lower := strings.ToLower(word); {
	case word == "" || hasNoSpaces(first), currencies[lower]:
		return false
	case joined && !isDigit(tail, 0) && (!upper || r == '-' && len(word) > 3):
		return false // 5-axis
	case !joined && ordinals[lower]:
		n.meaning, n.end = label, n.end+len(word)
		return true
	case !joined && clocks[lower]:
		n.meaning, n.end = hour, n.end+len(word)
		return true
	case !joined && !isDigit(tail, 0) && (units[word] || wordPower(lower, s.style) != 0 || percents[lower]):
		return false
	case !joined && !isDigit(tail, 0) && len(word) <= 2 && !isNumberSign(next):
		if power, _ := letterPower(word, tail, true, money); power != 0 {
			return false
		}
	case isNumberSign(next): // 20m²
		return false
	}
	n.meaning, n.end = code, nameEnd(s.text, n.end)
	return true
}

// endsInName reports whether a text ends within an identifier, such as SH- and A.
func endsInName(before string) bool {
	trimmed := strings.TrimRight(before, "-_")
	r, _ := utf8.DecodeLastRuneInString(trimmed)
	return unicode.IsLetter(r) && !hasNoSpaces(r) && len(before)-len(trimmed) <= 1
}

// nameEnd returns the end of an identifier of which a part begins at i.
func nameEnd(text string, i int) int {
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !isNameLetter(r) {
			next, _ := utf8.DecodeRuneInString(text[i+size:])
			if !strings.ContainsRune("-_/.:#+", r) || !isNameLetter(next) {
				break
			}
		}
		i += size
	}
	return i
}

func isNameLetter(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsMark(r) || '0' <= r && r <= '9') && !hasNoSpaces(r)
}

// startsWord reports whether a text ends where a sign begins a number: not
// behind a letter, a digit or a point.
func startsWord(before string) bool {
	r, _ := utf8.DecodeLastRuneInString(before)
	return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '.' && r != ','
}
