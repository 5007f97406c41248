package resolve

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// fold returns a text as texts are compared: in lower case, without accents and punctuation,
// one space between words. Signs that tell names apart become words, and the point of a number
// stays in it. It is its own fold.
func fold(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	gap := false  // a space is due before the next letter
	word := 0     // letters since the word, or its last dot, began
	var base rune // the last letter
	var before, this rune
	put := func(r rune) {
		if gap && b.Len() > 0 {
			b.WriteByte(' ')
		}
		gap = false
		b.WriteRune(r)
	}
	text := decomposed(s)
	for i, r := range text {
		before, this = this, r
		switch {
		case unicode.IsMark(r):
			if word > 0 && !unicode.In(base, accented...) && !gap {
				b.WriteRune(r) // a vowel, in the scripts of India and others
			}
			continue
		case unicode.IsLetter(r), unicode.IsNumber(r):
			r = unicode.ToLower(r)
			base = r
			if two, ok := letters[r]; ok {
				put(rune(two[0]))
				b.WriteString(two[1:])
			} else {
				put(r)
			}
			word++
			continue
		case strings.ContainsRune("'’‘`´ʼ", r):
			continue // O'Hare is Ohare
		case r == '.' && word == 1 && unicode.IsLetter(base):
			word = 0 // U.S. is US
			continue
		case (r == '.' || r == ',') && isDecimal(text, i):
			if !isDigit(before) {
				put('0')
			}
			b.WriteString("point")
			word++
			continue
		case r < utf8.RuneSelf && !plainSigns[r]: // most are
		default:
			if w := sign(before, r, text[i+utf8.RuneLen(r):], b.Len() > 0); w != "" {
				gap = true
				put(rune(w[0]))
				b.WriteString(w[1:])
			}
		}
		gap, word = true, 0
	}
	return norm.NFC.String(b.String())
}

// accented are the scripts whose marks change a letter's sound and not the word.
var accented = []*unicode.RangeTable{unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Arabic, unicode.Hebrew}

// letters have no accent that could be taken off, and people write them so.
var letters = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'þ': "th", 'ł': "l", 'ı': "i", 'ħ': "h", 'ŋ': "n", 'ŧ': "t",
}

// decomposed takes letters and their accents apart.
func decomposed(s string) string {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return norm.NFKD.String(numbersApart(strings.ToValidUTF8(s, " ")))
		}
	}
	return s
}

// split takes an identifier apart: arrivalDate, ARRIVAL_DATE and shipment.arrival-date are words.
func split(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 8)
	runes := []rune(strings.ToValidUTF8(s, " "))
	for i, r := range runes {
		if i > 0 && unicode.IsUpper(r) {
			before := runes[i-1]
			follows := i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if unicode.IsLower(before) || unicode.IsDigit(before) || unicode.IsUpper(before) && follows {
				b.WriteByte(' ')
			}
		}
		if r == '.' || r == '_' {
			r = ' '
		}
		b.WriteRune(r)
	}
	return b.String()
}

// plural takes the ending of an English plural off.
func plural(word string) string {
	if len(word) < 4 || !ascii(word) || hasDigit(word) {
		return word
	}
	for _, e := range []struct{ ending, single string }{
		{"ies", "y"}, {"sses", "ss"}, {"xes", "x"}, {"ches", "ch"}, {"shes", "sh"},
		{"us", "us"}, {"is", "is"}, {"ss", "ss"}, {"s", ""},
	} {
		if rest, ok := strings.CutSuffix(word, e.ending); ok && len(rest) > 2 {
			return rest + e.single
		}
	}
	return word
}

// stem takes off what makes a noun of a verb as well, so that arrival, arrived and arrives are the same.
func stem(word string) string {
	word = plural(word)
	if !ascii(word) || hasDigit(word) {
		return word
	}
	for _, ending := range []string{"ing", "ed", "al", "ure"} {
		if rest, ok := strings.CutSuffix(word, ending); ok && len(rest) > 3 {
			if n := len(rest); rest[n-1] == rest[n-2] && !strings.ContainsRune("aeiouls", rune(rest[n-1])) {
				rest = rest[:n-1]
			}
			return strings.TrimSuffix(rest, "e")
		}
	}
	if len(word) > 4 {
		return strings.TrimSuffix(word, "e")
	}
	return word
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func hasDigit(s string) bool { return strings.ContainsFunc(s, unicode.IsNumber) }

func setOf(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

var (
	// stopWords say nothing of what is meant.
	stopWords = setOf("of the and for at in de del der des di du et und")

	// legalWords are of companies' names, and hardly ever said.
	legalWords = setOf(`inc incorporated ltd limited llc llp plc gmbh ag sa sas sarl srl spa bv nv ab oy as
		co company corp corporation pty kg`)

	// unitWords end the names of fields and say how a value is measured.
	unitWords = setOf(`hour hr hrs minute min second sec ms day week month year usd eur gbp dollar euro cent kg ton tonne lb teu km mile meter
		metre percent pct celsius amount value total number num qty quantity`)

	// typeWords end the names of fields and say what a value is.
	typeWords = setOf("id name code date time datetime timestamp ts dt at keyword text raw key label flag is")

	// askingWords are of questions about a field.
	askingWords = setOf(`is did do does has have had was were are it its their a an which what how when by to on
		from with all each every my our`)
)
