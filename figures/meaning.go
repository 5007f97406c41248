package figures

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/numeral"
	"github.com/qedkit/qed/internal/wordset"
)

// shape reads what is no amount by its form alone: dates, times, versions and
// groups of digits such as 030-12-44. The end is 0 for anything else.
func (s *scanner) shape(begin int) (m meaning, end int) {
	end = digitsEnd(s.text, begin)
	if next, isSpan := strings.CutPrefix(s.text[end:], "–"); isSpan && isYear(s.text[begin:end]) { // 2022–23
		next = next[:digitsEnd(next, 0)]
		if isYear(next) || len(next) == 2 && smallValue(next) == (smallValue(s.text[begin:end])+1)%100 {
			return year, end + len("–") + len(next)
		}
	}
	if end == len(s.text) || strings.IndexByte("-/:.", s.text[end]) < 0 {
		return 0, 0
	}
	sign := s.text[end]
	parts := []string{s.text[begin:end]}
	for s.text[end] == sign && isDigit(s.text, end+1) {
		next := digitsEnd(s.text, end+1)
		if len(parts) < 5 {
			parts = append(parts, s.text[end+1:next])
		}
		if end = next; end == len(s.text) {
			break
		}
	}
	rest := s.text[end:]
	a, b := smallValue(parts[0]), 0
	if len(parts) > 1 {
		b = smallValue(parts[1])
	}
	many := len(parts) > 2
	switch {
	case sign == '-' && len(parts) == 1 && isYear(parts[0]) && isQuarter(rest):
		return instant, nameEnd(s.text, end)
	case len(parts) == 1:
	case sign == '-' && len(parts[0]) == 4 && b >= 1 && b <= 12 && len(parts) <= 3,
		sign == '/' && len(parts) == 3, sign == '.' && isDate(parts[:min(3, len(parts))]) && len(parts) <= 3:
		if len(parts) == 3 && len(rest) > 1 && rest[0]|0x20 == 't' && isDigit(rest, 1) {
			end = nameEnd(s.text, end)
		}
		return instant, end
	case sign == '-' && !many && isYear(parts[0]) && (isYear(parts[1]) || b == (a+1)%100 && len(parts[1]) == 2):
		return year, end
	case sign == '-' && (many || len(parts[0]) > 1 && parts[0][0] == '0'):
		return code, nameEnd(s.text, end)
	case sign == '.' && s.style == CommaDecimal && len(parts) == 2 && a <= 31 && b <= 12 && a*b > 0 &&
		len(parts[0]) <= 2 && len(parts[1]) <= 2 && strings.HasPrefix(rest, "."):
		return instant, end
	case sign == '.' && many && !areThousands(parts) && !strings.HasPrefix(rest, ","):
		return code, nameEnd(s.text, end)
	case sign == ':' && (many || len(parts[1]) == 2 && a <= 24 && b <= 59):
		return instant, nameEnd(s.text, end)
	case sign == '/' && (many || isYear(parts[0]) || isYear(parts[1]) || min(a, b) <= 12 && max(a, b) <= 31):
		return instant, end
	}
	return 0, 0
}

// smallValue returns the value of digits, or a large one for many digits.
func smallValue(digits string) int {
	if len(digits) > 9 {
		return math.MaxInt32
	}
	n, _ := strconv.Atoi(digits)
	return n
}

// isYear reports whether digits may be those of a year.
func isYear(digits string) bool { return len(digits) == 4 && "1800" <= digits && digits < "2200" }

// isQuarter reports whether a text begins as what follows a year in 2026-Q3.
func isQuarter(rest string) bool {
	word, tail := cutWord(rest[1:])
	return quarters[strings.ToLower(word)] && isDigit(tail, 0)
}

// meaningOf returns what a number means by the words and signs next to it.
func (s *scanner) meaningOf(n *Number, before string) meaning {
	digits := s.text[n.begin:n.end]
	behind := s.text[n.end:min(len(s.text), n.end+near)]
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(before, " "))
	word, dotted := lastWord(before)
	next := firstWord(behind)
	value := math.MaxInt32
	if n.plain {
		value = smallValue(digits)
	}
	colon := strings.HasSuffix(strings.TrimRight(before, " \t\n*_("), ":")
	if lower := strings.ToLower(word); labels[lower] && !(colon && counts[lower]) || dotted && shortLabels[lower] || strings.ContainsRune("#§№", last) {
		return numbered
	}
	if clocks[strings.ToLower(next)] || strings.HasPrefix(strings.TrimLeft(behind, " "), "a.m") ||
		strings.HasPrefix(strings.TrimLeft(behind, " "), "p.m") {
		return hour
	}
	lower := strings.ToLower(word)
	if (strings.HasSuffix(before, "/") || rates[lower]) && len(n.readings) == 1 && n.readings[0].isHundreds() {
		return label
	}
	if !n.plain {
		return amount
	}
	if linking[lower] { // the end of 2025
		of, _ := lastWord(before[:strings.LastIndex(before, word)])
		lower = strings.ToLower(of)
	}
	switch {
	case s.quote > n.begin:
		return label
	case value >= 1 && value <= 31 && (isMonth(next) || isMonth(word)):
		return day
	case isYear(digits) && (isMonth(word) || isMonth(lower) || years[lower] || s.followsDate(n)),
		isYear(digits) && (last == '(' && strings.HasPrefix(behind, ")") || strings.HasPrefix(behind, "'s ")),
		last == '\'' && len(digits) == 2:
		return year
	case periods[strings.ToLower(next)] && (recent[lower] || inTheFirst.MatchString(before)), isSuperlative(next):
		return label
	case (value == 5 || value == 10) && s.endsRating(before):
		return label
	case (strings.HasSuffix(before, "[") || strings.HasSuffix(before, "[^")) && behind != "" && strings.IndexByte("],;", behind[0]) >= 0:
		return numbered
	case s.startsItem(n, behind, value):
		return label
	case s.style == CommaDecimal && len(digits) <= 2 && articles[strings.ToLower(word)] && strings.HasPrefix(behind, "."):
		return label // im 3. Quartal
	}
	return amount
}

// endsRating reports whether a rating such as 4.5/ or 4.5 out of stands before its scale. 4 out
// of 10 are amounts.
func (s *scanner) endsRating(before string) bool {
	return strings.HasSuffix(before, "/") ||
		strings.HasSuffix(before, " out of ") && len(s.all) > 0 && !s.all[len(s.all)-1].plain
}

// followsDate reports whether a part of a date stands directly before n, as in March
// 31, 2026 and Q1 2026.
func (s *scanner) followsDate(n *Number) bool {
	if len(s.all) == 0 {
		return false
	}
	date := &s.all[len(s.all)-1]
	between := s.text[date.end:n.begin]
	return date.meaning != amount && date.meaning != year && len(between) <= 3 && strings.Trim(between, ",. ") == ""
}

// startsItem reports whether n numbers an item of a list, a heading or a row of a
// table.
func (s *scanner) startsItem(n *Number, behind string, value int) bool {
	before := s.text[s.line:n.begin]
	if len(before) > near/2 || value > 999 || strings.Trim(before, " \t\r#>*-+_|(") != "" {
		return false
	}
	behind = strings.TrimLeft(behind, "*_")
	switch {
	case strings.Contains(before, "#"):
		return true
	case strings.Contains(before, "|"):
		if strings.HasPrefix(strings.TrimLeft(behind, " "), "|") && (value == 1 || value == s.rank+1) {
			s.rank = value
			return true
		}
		return false
	case behind == "" || strings.IndexByte(".)", behind[0]) < 0:
		return false
	}
	rest := strings.TrimLeft(behind[1:], "*_")
	item := strings.TrimLeft(rest, " ")
	return item != rest && item != "" && item[0] != '\n'
}

// lastWord returns the word at the end of a text, and whether a point follows it.
func lastWord(before string) (word string, dotted bool) {
	trimmed := strings.TrimRight(before, " \t\n*_(")
	bare := strings.TrimRight(trimmed, ".:")
	word = bare[len(strings.TrimRightFunc(bare, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) })):]
	return word, strings.HasSuffix(trimmed, ".") && len(before)-len(bare) <= 3
}

// firstWord returns the word at the beginning of a text, behind a point, an ending
// such as "of" and spaces.
func firstWord(behind string) string {
	word, tail := cutWord(strings.TrimLeft(behind, ". *_"))
	if word == "of" || word == "de" {
		word, _ = cutWord(strings.TrimLeft(tail, " "))
	}
	return word
}

// compound makes labels of numbers that are written in several parts, as in 1億2345万 and
// "1 crore 23 lakh": their sum is not computed.
func (s *scanner) compound() {
	joined := false
	for i := 1; i < len(s.all); i++ {
		a, b := &s.all[i-1], &s.all[i]
		last, _ := utf8.DecodeLastRuneInString(a.Text)
		joined = (a.meaning == amount || joined) && a.power > b.power && b.meaning == amount && !b.Negative && !b.Percent &&
			(b.power > 0 || hasNoSpaces(last)) && strings.TrimSpace(s.text[a.end:b.begin]) == ""
		if joined {
			a.meaning, b.meaning = label, label
		}
	}
}

// spreadBack gives numbers the scale and the meaning of the next one, as in "20 to
// 30 million" and "8 to 15 January".
func (s *scanner) spreadBack() {
	for i := len(s.all) - 2; i >= 0; i-- {
		n, next := &s.all[i], &s.all[i+1]
		if n.meaning != amount || n.power != 0 || n.Percent {
			continue
		}
		word, listed := s.between(n, next)
		switch {
		case ranges[word] && next.meaning == amount && (next.power != 0 || next.Percent):
			n.power, n.unsure, n.Percent, n.plain = next.power, next.unsure, next.Percent, false
			n.Text = s.text[n.begin:next.end]
		case n.plain && (listed || ranges[word]) && next.meaning.fits(n.Text):
			n.meaning = next.meaning
		}
	}
}

// spread gives numbers the meaning of the one before, as in "sections 3 and 4".
func (s *scanner) spread() {
	for i := 1; i < len(s.all); i++ {
		before, n := &s.all[i-1], &s.all[i]
		if n.meaning != amount || !n.plain {
			continue
		}
		word, listed := s.between(before, n)
		if (listed || ranges[word]) && (before.meaning.fits(n.Text) || before.meaning == numbered && len(n.Text) <= 4) {
			n.meaning = before.meaning
		}
	}
}

// fits reports whether digits next to a number of meaning m can mean the same.
func (m meaning) fits(digits string) bool {
	switch m {
	case day:
		return len(digits) <= 2 && smallValue(digits) <= 31
	case hour:
		return len(digits) <= 2 && smallValue(digits) <= 24
	case year:
		return isYear(digits)
	}
	return false
}

// between returns the word between two numbers, and whether a comma is.
func (s *scanner) between(a, b *Number) (word string, listed bool) {
	if b.begin < a.end || b.begin-a.end > near/2 {
		return "", false
	}
	text := strings.ToLower(strings.Trim(s.text[a.end:b.begin], " \n\t*_"))
	if text == "-" {
		return text, false
	}
	word = strings.TrimFunc(text, func(r rune) bool { return isAround(r) || strings.ContainsRune(".,;_", r) })
	return word, word == "" && strings.Contains(text, ",")
}

var (
	ranges   = wordset.Of("- – — ~ / to and or through bis und oder à et ou a y e o tot en of till til och og do i до и")
	ordinals = wordset.Of("st nd rd th te ter ten tes s er")
	clocks   = wordset.Of("am pm uhr")
	quarters = wordset.Of("q w kw h")

	// labels are words before the number of a thing. The short ones need a point.
	labels = wordset.Of(`
		nr nos article artikel section sections abschnitt kapitel chapter chapters absatz abs paragraph page pages
		seite seiten table tabelle figure figures fig abb abbildung appendix anhang step steps schritt phase stage
		stufe level tier week weeks woche wochen kw cw quarter quartal version versions release revision rev line
		lines zeile zeilen item row rows part teil rank rang platz top issue room raum zimmer building gebäude gate
		terminal floor etage zone port http error zip code postcode plz suite apartment platform gleis slide folie iso iec din rfc`)

	// counts are labels that are no labels before a colon, as in "rows: 42" and
	// "stock level: 7".
	counts = wordset.Of(`
		row rows line lines part parts item level tier top teil zeile zeilen stage stufe step steps error page pages
		seite seiten`)
	shortLabels = wordset.Of("no p pp s v vol bd pos art sec sect ch kap tab ziff ver z")

	// years are words before a year.
	years = wordset.Of(`
		in im since until till during through for from year years jahr jahre jahren jahres seit ab bis fy fiscal by
		vor nach before after between zwischen vs versus gegenüber geschäftsjahr saison season early late end mid anfang mitte ende
		quarter quartal half halbjahr month months`)

	recent  = wordset.Of("last past previous next coming letzten letzte letzter vergangenen vorigen nächsten kommenden")
	periods = wordset.Of(`
		day days week weeks month months quarter quarters year years hour hours minute minutes tag tage tagen woche
		wochen monat monate monaten quartal quartale quartalen jahr jahre jahren stunde stunden minuten`)
	rates    = wordset.Of("per pro je por pour") // before 1,000 inhabitants
	linking  = wordset.Of("of von des the de del")
	articles = wordset.Of("am im der die das den dem des zum zur vom beim ab bis seit jeder jede jedes jeden")
)

// inTheFirst matches what makes a period of a number: "The first 12 months are free" may be a
// claim.
var inTheFirst = regexp.MustCompile(`(?i)\b(?:in|of|during|within|over) (?:the |den )?(?:first|ersten) $`)

// isMonth reports whether a word is the name of a month.
func isMonth(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	lower := strings.ToLower(word)
	return unicode.IsUpper(first) && numeral.Months[lower] > 0 || numeral.OtherMonths[lower] > 0
}
