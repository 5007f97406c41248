// Package wordmatch finds what texts have in common by their words.
package wordmatch

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Rarity says how much a word counts that is in so many of all texts: the fewer, the
// more. It is that of BM25, and above 0.
func Rarity(in, all int) float64 {
	n := float64(in)
	return math.Log(1 + (float64(all)-n+0.5)/(n+0.5))
}

// A Set has words in lower case.
type Set map[string]bool

// SetOf returns the words of a list, which has spaces between them.
func SetOf(list string) Set {
	set := Set{}
	for _, word := range strings.Fields(list) {
		set[word] = true
	}
	return set
}

// Words returns the words of a text that say what it is about, in its order, as often
// as they come and without their endings. Not among them are articles and the like, and
// those that also says nothing here. A script that is written without spaces is taken in
// characters and pairs of them.
func Words(text string, also Set) []string {
	var all []string
	add := func(word string) {
		if word = strings.ToLower(word); word != "" && !stopWords[word] && !also[word] {
			all = append(all, stem(word))
		}
	}
	text = strings.ToValidUTF8(text, " ")
	begin := 0      // of the word that i is in or behind
	var before rune // the one before i, where it is of a script without spaces
	for i, r := range text {
		switch {
		case r >= firstUnspaced && unicode.In(r, unspaced...):
			add(text[begin:i])
			begin = i + utf8.RuneLen(r)
			all = append(all, string(r))
			if before != 0 {
				all = append(all, string([]rune{before, r}))
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
	return all
}

// unspaced are scripts that are written without spaces between words.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

const firstUnspaced = '\u0e00' // Thai

// stem takes off the endings of English words, so that "creates", "created" and
// "creating" are the same. What it leaves need not be a word. Elsewhere it does
// little harm, as the same is done to every word.
func stem(word string) string {
	if len(word) < 4 || strings.ContainsFunc(word, func(r rune) bool { return r < 'a' || r > 'z' }) {
		return word
	}
	if rest, ok := strings.CutSuffix(word, "s"); ok && !strings.HasSuffix(rest, "s") && !strings.HasSuffix(rest, "u") && !strings.HasSuffix(rest, "i") {
		word = rest
	}
	for _, ending := range []string{"ing", "ed"} {
		if rest, ok := strings.CutSuffix(word, ending); ok && len(rest) > 2 && strings.ContainsAny(rest, "aeiouy") && !strings.HasSuffix(rest, "e") {
			word = single(rest)
			break
		}
	}
	word = strings.TrimSuffix(word, "e")
	if rest, ok := strings.CutSuffix(word, "y"); ok {
		return rest + "i"
	}
	if len(word) > 4 && strings.HasSuffix(word, "ll") { // cancelled, canceled
		return word[:len(word)-1]
	}
	return word
}

// single takes off the letter that was doubled before an ending: it leaves "plan"
// of "planned", and "add" of "added".
func single(word string) string {
	n := len(word)
	if n > 3 && word[n-1] == word[n-2] && !strings.ContainsAny(word[n-1:], "aeioulsz") {
		return word[:n-1]
	}
	return word
}

// stopWords say nothing by themselves.
var stopWords = SetOf(`a an and are as at be been but by can could did do does for from had has have how i if in
	into is it its ll me my not of on or our re s should so t than that the their them then there these they
	this to ve was we were what when where which who why will with would you your`)
