package resolve

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/qedkit/qed/internal/words"
)

// fold returns a text in the form in which texts are compared: in lower case,
// without accents and punctuation, with one space between words. Signs that
// distinguish names become words, and the decimal point of a number becomes a part
// of its word. Folding a folded text does not change it.
func fold(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	gap := false  // there is a space before the next letter
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
				b.WriteRune(r) // in other scripts, such as those of India, it is a vowel
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

// accented are the scripts in which marks can be removed without changing the word.
var accented = []*unicode.RangeTable{unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Arabic, unicode.Hebrew}

// letters are letters that do not decompose, and how people write them without
// the letter.
var letters = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'þ': "th", 'ł': "l", 'ı': "i", 'ħ': "h",
	'ŋ': "n", 'ŧ': "t",
}

// decomposed separates letters from their accents.
func decomposed(s string) string {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return norm.NFKD.String(numbersApart(strings.ToValidUTF8(s, " ")))
		}
	}
	return s
}

// plural returns a word without the ending of an English plural.
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

// stem returns a word without endings of verbs and of nouns made from verbs, so
// that arrival, arrived and arrives are the same.
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

var (
	// stopWords carry no content. These are the ones that occur in names.
	stopWords = words.SetOf("of the and for at in de del der des di du et und")

	// legalWords are parts of company names that users usually leave out.
	legalWords = words.SetOf(`inc incorporated ltd limited llc llp plc gmbh ag sa sas sarl srl spa bv nv ab oy as
		co company corp corporation pty kg`)

	// unitWords are endings of field names for how a value is measured.
	unitWords = words.SetOf(`hour hr hrs minute min second sec ms day week month year usd eur gbp dollar euro cent
		kg ton tonne lb teu km mile meter metre percent pct celsius amount value total number num qty quantity`)

	// typeWords are endings of field names for what a value is.
	typeWords = words.SetOf("id name code date time datetime timestamp ts dt at keyword text raw key label flag is")

	// askingWords are the stop words of questions about a field.
	askingWords = words.SetOf(`is did do does has have had was were are it its their a an which what how when by to on
		from with all each every my our`)
)
