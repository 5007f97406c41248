package textmatch

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/wordset"
)

// A Set is a set of words in lower case.
type Set map[string]bool

// Split returns the content words of a text in their order, with duplicates.
//
//   - A word is a run of letters and digits. Scripts that are written without
//     spaces are split into characters and pairs of neighbouring characters.
//   - Words are in lower case and without English endings.
//   - Stop words such as articles and pronouns are left out, and the words of
//     ignored, which may be nil.
func Split(text string, ignored Set) []string {
	var all []string
	Each(text, func(word string, spaced bool) {
		switch {
		case !spaced:
			all = append(all, word)
		case !stopWords[word] && !ignored[word]:
			all = append(all, Stem(word))
		}
	})
	return all
}

// Each calls yield with each word of a text in lower case, in their order. spaced is
// false for the characters, and pairs of neighbouring characters, of scripts that are
// written without spaces.
func Each(text string, yield func(word string, spaced bool)) {
	add := func(word string) {
		if word != "" {
			yield(strings.ToLower(word), true)
		}
	}
	text = strings.ToValidUTF8(text, " ")
	begin := 0      // start of the word that contains text[i] or ended before it
	var before rune // the previous character if its script has no spaces
	for i, r := range text {
		switch {
		case r >= firstUnspaced && unicode.In(r, unspaced...):
			add(text[begin:i])
			begin = i + utf8.RuneLen(r)
			yield(string(r), false)
			if before != 0 {
				yield(string([]rune{before, r}), false)
			}
			before = r
			continue
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
		default:
			add(text[begin:i])
			begin = i + utf8.RuneLen(r)
		}
		before = 0
	}
	add(text[begin:])
}

// Spaced returns an identifier with spaces between its words: arrivalDate,
// ARRIVAL_DATE, HTTPStatus and shipment.date consist of two words each.
func Spaced(identifier string) string {
	var b strings.Builder
	b.Grow(len(identifier) + 8)
	runes := []rune(strings.ToValidUTF8(identifier, " "))
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

// Rarity returns the weight of a word that occurs in that many of all texts: the
// inverse document frequency of BM25. It is above 0, and greater for rarer words.
func Rarity(in, all int) float64 {
	n := float64(in)
	return math.Log(1 + (float64(all)-n+0.5)/(n+0.5))
}

// unspaced are scripts that are written without spaces between words.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

const firstUnspaced = '\u0e00' // Thai

// Stem removes the endings of English words, so that "creates", "created" and
// "creating" become equal. The result need not be a word. Words of other languages
// lose such endings too, which does no harm, because they lose them in every text.
func Stem(word string) string {
	if len(word) < 4 || strings.ContainsFunc(word, func(r rune) bool { return r < 'a' || r > 'z' }) {
		return word
	}
	if rest, ok := strings.CutSuffix(word, "s"); ok &&
		!strings.HasSuffix(rest, "s") && !strings.HasSuffix(rest, "u") && !strings.HasSuffix(rest, "i") {
		word = rest
	}
	for _, ending := range []string{"ing", "ed"} {
		rest, ok := strings.CutSuffix(word, ending)
		if ok && len(rest) > 2 && strings.ContainsAny(rest, "aeiouy") && !strings.HasSuffix(rest, "e") {
			word = single(rest)
			break
		}
	}
	if len(word) > 3 { // words of three letters keep their e, so their plurals must
		word = strings.TrimSuffix(word, "e")
	}
	if rest, ok := strings.CutSuffix(word, "y"); ok {
		return rest + "i"
	}
	if len(word) > 4 && strings.HasSuffix(word, "ll") { // cancelled, canceled
		return word[:len(word)-1]
	}
	return word
}

// single removes a letter that was doubled before an ending: the result is
// "plan" for "planned", and "add" for "added".
func single(word string) string {
	n := len(word)
	if n > 3 && word[n-1] == word[n-2] && !strings.ContainsAny(word[n-1:], "aeioulsz") {
		return word[:n-1]
	}
	return word
}

// stopWords carry no content.
var stopWords = wordset.Of(`a an and are as at be been but by can could did do does for from had has have how i if in
	into is it its ll me my not of on or our re s should so t than that the their them then there these they
	this to ve was we were what when where which who why will with would you your`)
