package values

import (
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/textmatch"
)

// phrases finds the values that the text has as a whole.
func (s *search) phrases() {
	for i := range s.tokens {
		for j := i; j < min(i+maxPhrase, len(s.tokens)); j++ {
			begin, end := s.tokens[i].begin, s.tokens[j].end
			said := s.text[begin:end]
			alone := i == j && (s.tokens[i].weak || len(s.tokens[i].folded[0]) == 1)
			for _, key := range foldings(said) {
				for _, entry := range s.whole(key) {
					literal := said == s.values[entry]
					if alone && !s.emphasised(begin, end, literal) {
						continue
					}
					score := scoreFolded
					if literal {
						score = scoreLiteral
					}
					s.add(entry, hit{begin: begin, end: end, score: score, how: Exact})
				}
			}
		}
	}
}

// emphasised reports whether a word that hardly names a value does so here.
func (s *search) emphasised(begin, end int, literal bool) bool {
	said := s.text[begin:end]
	before, _ := utf8.DecodeLastRuneInString(s.text[:begin])
	after, _ := utf8.DecodeRuneInString(s.text[end:])
	if strings.ContainsRune(`"'“„‚‘«»`, before) && strings.ContainsRune(`"'”“’‘»«`, after) {
		return true
	}
	return literal && (hasDigit(said) || strings.ToUpper(said) == said && strings.ToLower(said) != said && said != "I")
}

// A meant is a word of a value that a word of the text can mean.
type meant struct {
	token      int
	begin, end int
	score      float64
	how        How
}

// byWords finds the values whose words the text has, also if they are spelled
// differently.
func (s *search) byWords() {
	of := map[int32][]meant{} // by word of the vocabulary
	for i, t := range s.tokens {
		if t.weak {
			if id, ok := s.word(t.folded[0]); ok {
				of[id] = append(of[id], meant{i, t.begin, t.end, 1, Exact})
			}
			continue
		}
		for _, w := range t.folded {
			s.like(w, t.names, func(id int32, score float64, how How) {
				of[id] = append(of[id], meant{i, t.begin, t.end, score, how})
			})
		}
	}
	seen := map[int32]bool{}
	for _, id := range slices.Sorted(maps.Keys(of)) {
		if isWeak(s.words[id]) {
			continue // a weak word alone does not name a value
		}
		forms := s.formsOf.of(id)
		if len(forms) > maxForms {
			continue // the other words of a value find it
		}
		for _, f := range forms {
			if !seen[f] {
				seen[f] = true
				s.compare(f, of)
			}
		}
	}
}

// like calls found for the words of the vocabulary that a word of the text can mean.
// names reports whether the word is in the name of a column.
func (s *search) like(w string, names bool, found func(id int32, score float64, how How)) {
	if utf8.RuneCountInString(w) >= minTelling && !names && !hasDigit(w) {
		if longer, all := s.longer(w, maxShared); all {
			for _, id := range longer {
				found(id, scoreLonger, Part)
			}
		}
	}
	if id, ok := s.word(w); ok {
		found(id, 1, Exact)
		return
	}
	if hasDigit(w) {
		return
	}
	for _, id := range s.withStem(stemOf(w)) {
		found(id, scoreStem, Similar)
	}
	runes := []rune(w)
	for n := minInside; n < len(runes); n++ {
		if id, ok := s.word(string(runes[:n])); ok {
			if len(runes)-n <= minEnding {
				found(id, scoreStem, Similar)
			} else {
				found(id, scoreInside, Part)
			}
		}
		if id, ok := s.word(string(runes[len(runes)-n:])); ok {
			found(id, scoreInside, Part)
		}
	}
	if len(runes) < minFuzzy || len(runes) > textmatch.MaxRunes {
		return
	}
	for _, id := range s.trigrams.Near(runes, maxCompare, &s.common) {
		if score := textmatch.Similarity(runes, []rune(s.words[id])); score >= leastFuzzy {
			found(id, score, Similar)
		}
	}
}

// compare adds the value of a form if enough of its words are in the text, near each
// other, or if one of its words is in few values.
func (s *search) compare(form int32, of map[int32][]meant) {
	words := s.wordsOf.of(form)
	var sum, total float64
	begin, end, first, last := math.MaxInt, 0, math.MaxInt, -1
	strong, telling, whole := false, false, true
	how := Exact
	for _, id := range words {
		weight := 1.0
		if isWeak(s.words[id]) {
			weight = weakWeight
		}
		total += weight
		var best meant
		for _, m := range of[id] {
			if m.score > best.score || m.score == best.score && last >= 0 && distance(m.token, last) < distance(best.token, last) {
				best = m
			}
		}
		if best.score == 0 {
			how, whole = Part, false
			continue
		}
		if weight == 1 {
			strong = true
			telling = telling || s.tells(best.token, id)
		}
		sum += weight * best.score
		begin, end = min(begin, best.begin), max(end, best.end)
		first, last = min(first, best.token), max(last, best.token)
		if how == Exact || best.how == Part {
			how = best.how
		}
	}
	score := sum / total
	if spread := last - first + 1 - len(words); spread > 0 {
		score -= 0.1 * float64(spread)
	}
	if how == Exact && len(words) > 0 {
		how = Similar // the same words, but not as a phrase
		score = min(score, scoreFolded-0.02)
	}
	if strong && score >= leastScore || telling && score >= leastPart {
		s.add(s.forms[form], hit{begin: begin, end: end, score: score, how: how, candidate: !whole || score < leastScore})
	}
}

// tells reports whether a word of the text, which means a word of values, can name a value
// without the value's other words: few values have it, and no column has it in its name.
func (s *search) tells(token int, id int32) bool {
	t := &s.tokens[token]
	if t.names || utf8.RuneCountInString(t.folded[0]) < minTelling {
		return false
	}
	forms := s.formsOf.of(id)
	if len(forms) > 2*maxShared { // a value has two forms at most
		return false
	}
	values := make([]int32, len(forms))
	for i, f := range forms {
		values[i] = s.forms[f]
	}
	return len(slices.Compact(values)) <= maxShared // the forms of a value follow each other
}

func distance(a, b int) int { return max(a-b, b-a) }
