package textmatch

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold returns a text in the form in which texts are compared: in lower case,
// without accents and punctuation, with one space between words. Signs that
// distinguish names become words, and the decimal point of a number becomes a part
// of its word. Folding a folded text does not change it.
func Fold(s string) string {
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
