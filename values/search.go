package values

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/wordform"
	"github.com/qedkit/qed/internal/words"
)

// A Query is what [Dictionary.Search] looks for.
type Query struct {
	// Caller is who asks. It has to be one whom the dictionary serves.
	Caller Caller

	// Text is a question, or a part of one. Only its first 64 words are compared.
	Text string

	// Columns chooses the columns that are searched. Nil means all.
	Columns func(table, column string) bool

	// Limit is the largest number of matches. 0 means 10.
	Limit int
}

// A Match is a value that a text names.
type Match struct {
	Table  string `json:"table"`
	Column string `json:"column"`
	Value  string `json:"value"`

	// Said are the words of the text that mean the value.
	Said string `json:"said"`

	// Score is from 0 to 1.
	Score float64 `json:"score"`
	How   How     `json:"how"`
}

// Literal reports whether the text has the value itself, apart from case, accents and
// punctuation.
func (m Match) Literal() bool { return wordform.Fold(m.Said) == wordform.Fold(m.Value) }

// A How is how a [Match] was found.
type How string

const (
	Exact   How = "exact"   // the same text, apart from case, accents and punctuation
	Similar How = "similar" // another spelling or another ending
	Part    How = "part"    // some words of the value, or a part of a longer word
	Meaning How = "meaning" // by the vectors of an Embedder
)

// Search returns the values that the text of q names, the best first. A value that
// several columns have is a match for each; columns that the text names come first.
//
// Words of one or two letters and words such as "in" and "all" are values only if
// the text has them in capitals or in quotation marks.
//
// The error matches [ErrCaller] if the dictionary does not serve the caller; there are
// no matches then. If the Embedder of [Dictionary.WithMeaning] fails, the matches by
// spelling are returned with its error.
func (d *Dictionary) Search(ctx context.Context, q Query) ([]Match, error) {
	if err := d.Serves(q.Caller); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("values: %w", context.Cause(ctx))
	}
	s := d.index.newSearch(strings.ToValidUTF8(q.Text, " "))
	s.phrases()
	s.words()
	s.dropCovered()
	var err error
	if d.meaning != nil {
		err = s.byMeaning(ctx, d.meaning, q.Columns)
	}
	return s.matches(q), err
}

// An index finds values by their words. It does not change.
type index struct {
	columns []indexed
	entries []entry            // the distinct values
	forms   []form             // of the entries
	keys    map[string][]int32 // folded value -> forms
	ids     map[string]int32   // word -> its place in vocabulary

	vocabulary []word
	trigrams   map[[3]rune][]int32 // -> words
	stems      map[string][]int32  // -> words
}

type indexed struct {
	table, column string
	named         words.Set // the words of both names
}

type entry struct {
	value   string
	columns []int32
}

// A form is a value as people write it: München is munchen or muenchen.
type form struct {
	entry   int32
	words   []int32
	weights []float64
	total   float64
}

type word struct {
	text  string
	runes []rune
	forms []int32
}

func newIndex(columns []Column) *index {
	x := &index{keys: map[string][]int32{}, ids: map[string]int32{}, trigrams: map[[3]rune][]int32{}, stems: map[string][]int32{}}
	at := map[string]int32{}
	for i, c := range columns {
		named := words.Set{}
		for _, w := range words.Split(words.Spaced(c.Table+" "+c.Column), nil) {
			named[w] = true
		}
		x.columns = append(x.columns, indexed{c.Table, c.Column, named})
		for _, v := range c.Values {
			id, ok := at[v]
			if !ok {
				id = int32(len(x.entries))
				at[v] = id
				x.entries = append(x.entries, entry{value: v})
				x.addForms(id, v)
			}
			x.entries[id].columns = append(x.entries[id].columns, int32(i))
		}
	}
	return x
}

func (x *index) addForms(id int32, value string) {
	for _, key := range foldings(value) {
		f := form{entry: id}
		for _, w := range strings.Fields(key) {
			at := x.word(w)
			f.words = append(f.words, at)
			weight := 1.0
			if isWeak(w) {
				weight = weakWeight
			}
			f.weights = append(f.weights, weight)
			f.total += weight
		}
		n := int32(len(x.forms))
		x.forms = append(x.forms, f)
		x.keys[key] = append(x.keys[key], n)
		for i, w := range f.words {
			if !slices.Contains(f.words[:i], w) {
				x.vocabulary[w].forms = append(x.vocabulary[w].forms, n)
			}
		}
	}
}

func (x *index) word(w string) int32 {
	if at, ok := x.ids[w]; ok {
		return at
	}
	at := int32(len(x.vocabulary))
	x.ids[w] = at
	runes := []rune(w)
	x.vocabulary = append(x.vocabulary, word{text: w, runes: runes})
	if len(runes) >= minFuzzy && len(runes) <= wordform.MaxRunes && !hasDigit(w) {
		for t := range trigramsOf(runes) {
			if list := x.trigrams[t]; len(list) == 0 || list[len(list)-1] != at {
				x.trigrams[t] = append(list, at)
			}
		}
	}
	if stems := words.Split(w, nil); len(stems) == 1 {
		x.stems[stems[0]] = append(x.stems[stems[0]], at)
	}
	return at
}

// foldings returns a text as people write it: folded, and with ae, oe and ue if it has
// umlauts.
func foldings(s string) []string {
	keys := []string{wordform.Fold(s)}
	if strings.ContainsAny(s, "äöüÄÖÜ") || strings.ContainsRune(s, '\u0308') {
		keys = append(keys, wordform.Fold(umlauts.Replace(s)))
	}
	return keys
}

var umlauts = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "Ä", "Ae", "Ö", "Oe", "Ü", "Ue",
	"a\u0308", "ae", "o\u0308", "oe", "u\u0308", "ue", "A\u0308", "Ae", "O\u0308", "Oe", "U\u0308", "Ue")

// isWeak reports whether a word alone hardly names a value.
func isWeak(w string) bool {
	if utf8.RuneCountInString(w) <= 2 && w[0] < utf8.RuneSelf {
		return true
	}
	return len(words.Split(w, weakWords)) == 0
}

// weakWords ask for something, in English and German. Package words knows further
// English ones.
var weakWords = words.SetOf(`all any both each every few find first get give last least list many more most much next
	none number one only other per please show some such tell top total very
	alle allen aller alles als am auch auf aus bei beim bis das dass dem den der des die diese dieser dieses ein eine
	einem einen einer eines für fur fuer gab gibt haben hat hatte ich ihr im ist kein keine mehr mit nach nicht nur
	oder ohne pro sich sie sind über uber ueber um und uns unter vom von vor war waren was welche welchen welcher
	welches wenn wer werden wie viele wieviele wird wo wurde wurden zeig zeige zum zur zwischen bitte`)

func hasDigit(s string) bool { return strings.ContainsFunc(s, unicode.IsNumber) }

// trigramsOf yields the groups of three letters of a word and its two ends.
func trigramsOf(w []rune) func(yield func([3]rune) bool) {
	return func(yield func([3]rune) bool) {
		at := func(i int) rune {
			if i < 0 || i >= len(w) {
				return ' '
			}
			return w[i]
		}
		for i := -1; i < len(w)-1; i++ {
			if !yield([3]rune{at(i), at(i + 1), at(i + 2)}) {
				return
			}
		}
	}
}

// The scores of matches, and their limits.
const (
	scoreLiteral = 1.0
	scoreFolded  = 0.98
	scoreStem    = 0.92 // another ending
	scoreInside  = 0.75 // a part of a longer word, such as Storno in Stornoauftrag
	leastFuzzy   = 0.76
	leastScore   = 0.6
	weakWeight   = 0.3 // of a weak word in a value

	minFuzzy  = 4 // letters of a word that is similar to others
	minInside = 4 // letters of a part of a word
	minEnding = 2 // letters of another ending

	maxWords   = 64 // of the text
	maxPhrase  = 8  // words of a value that are compared as a whole
	maxCompare = 64 // words that are compared letter by letter
	perSaid    = 6  // values for the same words of the text
)

// A token is a word of the text.
type token struct {
	begin, end int
	folded     []string
	weak       bool
}

// A hit is the best match of a value.
type hit struct {
	begin, end int // of the words in the text
	score      float64
	how        How
	column     *indexed // of the value; nil: any that has it
}

type search struct {
	*index
	text   string
	tokens []token
	named  words.Set
	hits   map[int32]hit // by entry

	common  []uint8 // trigrams in common with a word of the text, by word of the vocabulary
	touched []int32 // the words that have any
}

func (x *index) newSearch(text string) *search {
	s := &search{index: x, text: text, named: words.Set{}, hits: map[int32]hit{}}
	begin := -1
	add := func(end int) {
		if begin >= 0 && len(s.tokens) < maxWords {
			t := token{begin: begin, end: end, folded: foldings(text[begin:end])}
			t.folded = slices.DeleteFunc(t.folded, func(f string) bool { return f == "" })
			if len(t.folded) > 0 {
				t.weak = isWeak(t.folded[0])
				s.tokens = append(s.tokens, t)
			}
		}
		begin = -1
	}
	for i, r := range text {
		switch {
		case unicode.In(r, unspaced...): // each letter can begin or end a value
			add(i)
			begin = i
		case wordform.InWord(r), begin >= 0 && (r == '+' || r == '#'):
			if begin >= 0 {
				if last, _ := utf8.DecodeRuneInString(text[begin:]); unicode.In(last, unspaced...) && !unicode.IsMark(r) {
					add(i)
				}
			}
			if begin < 0 {
				begin = i
			}
		default:
			add(i)
		}
	}
	add(len(text))
	for _, w := range words.Split(text, nil) {
		s.named[w] = true
	}
	return s
}

// unspaced are scripts that are written without spaces between words.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

func (s *search) add(entry int32, h hit) {
	if old, ok := s.hits[entry]; !ok || h.score > old.score {
		s.hits[entry] = h
	}
}

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
	if stems := words.Split(w, nil); len(stems) == 1 {
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
	if len(runes) < minFuzzy || len(runes) > wordform.MaxRunes {
		return
	}
	for _, id := range s.nearest(runes) {
		if score := wordform.Similarity(runes, s.vocabulary[id].runes); score >= leastFuzzy {
			found(id, score, Similar)
		}
	}
}

// nearest returns the words of about the same length with the most trigrams in common.
func (s *search) nearest(runes []rune) []int32 {
	if s.common == nil {
		s.common = make([]uint8, len(s.vocabulary))
	}
	s.touched = s.touched[:0]
	for t := range trigramsOf(runes) {
		for _, id := range s.trigrams[t] {
			if d := len(s.vocabulary[id].runes) - len(runes); d >= -3 && d <= 3 {
				if s.common[id] == 0 {
					s.touched = append(s.touched, id)
				}
				s.common[id]++
			}
		}
	}
	var counts [wordform.MaxRunes + 1]int
	for _, id := range s.touched {
		counts[s.common[id]]++
	}
	least, n := wordform.MaxRunes, 0
	for ; least > 1 && n+counts[least] <= maxCompare; least-- {
		n += counts[least]
	}
	var ids []int32
	for _, id := range s.touched {
		if int(s.common[id]) >= least && len(ids) < 2*maxCompare {
			ids = append(ids, id)
		}
		s.common[id] = 0
	}
	return ids
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
// text names as a whole: York in New York.
func (s *search) dropCovered() {
	var whole []hit
	for _, h := range s.hits {
		if h.how == Exact {
			whole = append(whole, h)
		}
	}
	for entry, h := range s.hits {
		if slices.ContainsFunc(whole, func(w hit) bool {
			return w.begin <= h.begin && h.end <= w.end && (h.how != Exact || w.end-w.begin > h.end-h.begin)
		}) {
			delete(s.hits, entry)
		}
	}
}

// matches returns the best hits for each column that has the value.
func (s *search) matches(q Query) []Match {
	type ranked struct {
		Match
		rank  float64
		begin int
	}
	var all []ranked
	for id, h := range s.hits {
		e := &s.entries[id]
		for _, c := range e.columns {
			column := &s.columns[c]
			if h.column != nil && h.column != column {
				continue
			}
			if q.Columns != nil && !q.Columns(column.table, column.column) {
				continue
			}
			rank := h.score
			for w := range column.named {
				if s.named[w] {
					rank += namedBonus
				}
			}
			all = append(all, ranked{
				Match{column.table, column.column, e.value, s.text[h.begin:h.end], h.score, h.how}, rank, h.begin,
			})
		}
	}
	slices.SortFunc(all, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(a.begin, b.begin), cmp.Compare(a.Value, b.Value),
			cmp.Compare(a.Table, b.Table), cmp.Compare(a.Column, b.Column))
	})
	limit := q.Limit
	if limit == 0 {
		limit = 10
	}
	var out []Match
	said := map[string]int{}
	for _, r := range all {
		if len(out) >= limit {
			break
		}
		if said[r.Said]++; said[r.Said] <= perSaid {
			out = append(out, r.Match)
		}
	}
	return out
}

// namedBonus raises the columns whose names the text has.
const namedBonus = 0.05
