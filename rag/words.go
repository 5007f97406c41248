package rag

import (
	"context"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The parameters of BM25: how much a word counts that comes again, and how much
// more it counts in a short chunk.
const (
	bm25K1 = 1.2
	bm25B  = 0.75
)

// lexicon knows in which chunks each word is.
type lexicon struct {
	postings map[string][]posting
	lengths  []float64 // of each chunk, as BM25 weighs it
}

type posting struct {
	chunk int32
	count int32
}

func newLexicon(texts []string) *lexicon {
	l := &lexicon{postings: map[string][]posting{}, lengths: make([]float64, len(texts))}
	var total float64
	for i, text := range texts {
		counts := map[string]int32{}
		for _, w := range words(text) {
			counts[w]++
			l.lengths[i]++
		}
		for w, n := range counts {
			l.postings[w] = append(l.postings[w], posting{int32(i), n})
		}
		total += l.lengths[i]
	}
	average := max(1, total/float64(len(texts)))
	for i, length := range l.lengths {
		l.lengths[i] = bm25K1 * (1 - bm25B + bm25B*length/average)
	}
	return l
}

// scores weighs the words that a query and each chunk have in common.
func (l *lexicon) scores(_ context.Context, query string) ([]float64, error) {
	scores := make([]float64, len(l.lengths))
	seen := map[string]bool{}
	for _, w := range words(query) {
		found := l.postings[w]
		if seen[w] || len(found) == 0 {
			continue
		}
		seen[w] = true
		n := float64(len(found))
		rarity := math.Log(1 + (float64(len(scores))-n+0.5)/(n+0.5))
		for _, p := range found {
			count := float64(p.count)
			scores[p.chunk] += rarity * count * (bm25K1 + 1) / (count + l.lengths[p.chunk])
		}
	}
	return scores, nil
}

// words returns the words of a text that say what it is about, as [Index] has
// them.
func words(text string) []string {
	var all []string
	add := func(word string) {
		if word = strings.ToLower(word); word != "" && !stopWords[word] {
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
var stopWords = setOf(`a an and are as at be been but by can could did do does for from had has have how i if in
	into is it its ll me my not of on or our re s should so t than that the their them then there these they
	this to ve was we were what when where which who why will with would you your`)

func setOf(list string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(list) {
		set[word] = true
	}
	return set
}
