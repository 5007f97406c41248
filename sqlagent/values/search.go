package values

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/textmatch"
)

// A Query is what [Dictionary.Search] looks for.
type Query struct {
	// Caller is who asks: the owner of the dictionary, or a user of the tenant that
	// owns it. If the dictionary is shared, it may be anybody.
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
func (m Match) Literal() bool { return textmatch.Fold(m.Said) == textmatch.Fold(m.Value) }

// A How is how a [Match] was found.
type How string

const (
	Exact   How = "exact"   // the same text, apart from case, accents and punctuation
	Similar How = "similar" // another spelling or another ending
	Part    How = "part"    // some words of the value, or a part of a longer word
)

// Search returns the values that the text of q names, the best first. A value that
// several columns have is a match for each; columns that the text names come first.
//
// Words of one or two letters and words such as "in" and "all" are values only if
// the text has them in capitals or in quotation marks.
//
// A word of at least four letters finds the values that have it among other words, or as a
// part of a longer word, if they are at most ten and no column has the word in its name:
// "Kestrel" finds Kestrel Logistics and Kestrel Shipping. Of the values that have further
// words, all that the same words of the text can mean are returned, after the other
// matches, or none if there is no room for all.
//
// For another [Query].Caller the error matches [ErrCaller]. The only other error is that
// of ctx.
func (d *Dictionary) Search(ctx context.Context, q Query) ([]Match, error) {
	if err := d.allow(q.Caller); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("values: %w", context.Cause(ctx))
	}
	s := d.index.newSearch(strings.ToValidUTF8(q.Text, " "))
	s.phrases()
	s.byWords()
	s.dropCovered()
	return s.matches(q), nil
}

// The scores of matches, and their limits.
const (
	scoreLiteral = 1.0
	scoreFolded  = 0.98
	scoreStem    = 0.92 // another ending
	scoreInside  = 0.75 // a part of a longer word, such as Storno in Stornoauftrag
	leastFuzzy   = 0.76
	scoreLonger  = 0.55 // a longer word of a value, such as Stornoauftrag for Storno
	leastScore   = 0.6
	leastPart    = 0.2 // of a value of which the text has a telling word
	weakWeight   = 0.3 // of a weak word in a value

	minFuzzy   = 4 // letters of a word that is similar to others
	minInside  = 4 // letters of a part of a word
	minEnding  = 2 // letters of another ending
	minTelling = 4 // letters of a word that names a value alone

	maxWords   = 64     // of the text
	maxPhrase  = 8      // words of a value that are compared as a whole
	maxCompare = 64     // words that are compared letter by letter
	perSaid    = 6      // values for the same words of the text
	maxShared  = 10     // values that have a telling word
	maxForms   = 10_000 // values that have a word by which they are looked up
)

// A token is a word of the text.
type token struct {
	begin, end int
	folded     []string
	weak       bool
	names      bool // it is a word of the name of a table or a column
}

// A hit is the best match of a value.
type hit struct {
	begin, end int // of the words in the text
	score      float64
	how        How

	// candidate reports that the text lacks a part of the value, so that another value may
	// be meant as well.
	candidate bool
}

type search struct {
	*index
	text   string
	tokens []token
	named  textmatch.Set
	hits   map[int32]hit // by entry

	common textmatch.Common
}

func (x *index) newSearch(text string) *search {
	s := &search{index: x, text: text, named: textmatch.Set{}, hits: map[int32]hit{}}
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
		case textmatch.InWord(r), begin >= 0 && (r == '+' || r == '#'):
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
	for _, w := range textmatch.Split(text, nil) {
		s.named[w] = true
	}
	for i := range s.tokens {
		t := &s.tokens[i]
		for _, w := range textmatch.Split(text[t.begin:t.end], nil) {
			t.names = t.names || slices.ContainsFunc(x.columns, func(c indexed) bool { return c.named[w] })
		}
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
		rank      float64
		begin     int
		candidate bool
	}
	var all []ranked
	for id, h := range s.hits {
		for _, c := range s.inColumns.of(id) {
			column := &s.columns[c]
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
				Match{column.table, column.column, s.values[id], s.text[h.begin:h.end], h.score, h.how}, rank, h.begin, h.candidate,
			})
		}
	}
	slices.SortFunc(all, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(a.begin, b.begin), cmp.Compare(a.Value, b.Value),
			cmp.Compare(a.Table, b.Table), cmp.Compare(a.Column, b.Column))
	})
	limit := cmp.Or(q.Limit, 10)
	var out []Match
	said := map[string]int{}
	var order []string                 // of the words that lack a part of the value
	candidates := map[string][]Match{} // by these words
	for _, r := range all {
		switch {
		case r.candidate:
			if candidates[r.Said] == nil {
				order = append(order, r.Said)
			}
			candidates[r.Said] = append(candidates[r.Said], r.Match)
		case len(out) < limit && said[r.Said] < perSaid:
			said[r.Said]++
			out = append(out, r.Match)
		}
	}
	for _, words := range order {
		if found := candidates[words]; len(out)+len(found) <= limit {
			out = append(out, found...)
		}
	}
	return out
}

// namedBonus raises the columns whose names the text has.
const namedBonus = 0.05
