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
				for _, f := range s.keys[key] {
					entry := s.forms[f].entry
					value := s.entries[entry].value
					literal := said == value
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

// words finds the values whose words the text has, also if they are spelled
// differently.
func (s *search) words() {
	of := map[int32][]meant{} // by word of the vocabulary
	for i, t := range s.tokens {
		if t.weak {
			if id, ok := s.ids[t.folded[0]]; ok {
				of[id] = append(of[id], meant{i, t.begin, t.end, 1, Exact})
			}
			continue
		}
		for _, w := range t.folded {
			s.like(w, func(id int32, score float64, how How) {
				of[id] = append(of[id], meant{i, t.begin, t.end, score, how})
			})
		}
	}
	seen := map[int32]bool{}
	for _, id := range slices.Sorted(maps.Keys(of)) {
		if isWeak(s.vocabulary[id].text) {
			continue // a weak word alone does not name a value
		}
		for _, f := range s.vocabulary[id].forms {
			if !seen[f] {
				seen[f] = true
				s.compare(&s.forms[f], of)
			}
		}
	}
}

// like calls found for the words of the vocabulary that a word of the text can mean.
func (s *search) like(w string, found func(id int32, score float64, how How)) {
	if id, ok := s.ids[w]; ok {
		found(id, 1, Exact)
		return
	}
	if hasDigit(w) {
		return
	}
	if stems := textmatch.Split(w, nil); len(stems) == 1 {
		for _, id := range s.stems[stems[0]] {
			found(id, scoreStem, Similar)
		}
	}
	runes := []rune(w)
	for n := minInside; n < len(runes); n++ {
		if id, ok := s.ids[string(runes[:n])]; ok {
			if len(runes)-n <= minEnding {
				found(id, scoreStem, Similar)
			} else {
				found(id, scoreInside, Part)
			}
		}
		if id, ok := s.ids[string(runes[len(runes)-n:])]; ok {
			found(id, scoreInside, Part)
		}
	}
	if len(runes) < minFuzzy || len(runes) > textmatch.MaxRunes {
		return
	}
	for _, id := range s.trigrams.Near(runes, maxCompare, &s.common) {
		if score := textmatch.Similarity(runes, s.vocabulary[id].runes); score >= leastFuzzy {
			found(id, score, Similar)
		}
	}
}

// compare adds the value of a form if enough of its words are in the text, near each
// other.
func (s *search) compare(f *form, of map[int32][]meant) {
	var sum float64
	begin, end, first, last, strong := math.MaxInt, 0, math.MaxInt, -1, 0
	how := Exact
	for i, id := range f.words {
		var best meant
		for _, m := range of[id] {
			if m.score > best.score || m.score == best.score && last >= 0 && distance(m.token, last) < distance(best.token, last) {
				best = m
			}
		}
		if best.score == 0 {
			how = Part
			continue
		}
		if f.weights[i] == 1 {
			strong++
		}
		sum += f.weights[i] * best.score
		begin, end = min(begin, best.begin), max(end, best.end)
		first, last = min(first, best.token), max(last, best.token)
		if how == Exact || best.how == Part {
			how = best.how
		}
	}
	score := sum / f.total
	if spread := last - first + 1 - len(f.words); spread > 0 {
		score -= 0.1 * float64(spread)
	}
	if how == Exact && len(f.words) > 0 {
		how = Similar // the same words, but not as a phrase
		score = min(score, scoreFolded-0.02)
	}
	if score >= leastScore && strong > 0 {
		s.add(f.entry, hit{begin: begin, end: end, score: score, how: how})
	}
}

func distance(a, b int) int { return max(a-b, b-a) }

// dropCovered removes the values that only share words with a longer value that the
