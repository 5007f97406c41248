// Package schemasearch finds the tables and columns of a large schema that a question
// is about.
//
//	index, err := schemasearch.New(ctx, schema, nil)
//	hits, err := index.Search(ctx, "How many jobs did each employee finish last month?", 20)
//
// Names are split into words, so that workTime, WORK_TIME and "work times" match. With
// an Embedder, tables are also found by meaning, in other words and other languages.
package schemasearch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/internal/textmatch"
	"github.com/qedkit/qed/internal/vector"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/llm"
)

// Options are the options of [New]. Nil and zero fields mean the defaults.
type Options struct {
	// Embedder turns tables and questions into vectors, which are compared. Nil means
	// that tables are found by words alone.
	Embedder llm.Embedder

	// Synonyms are further names of tables and columns, such as the words of a trade or
	// of another language: "workOrder" or "workOrder.assignedTo" -> {"job", "Auftrag"}.
	Synonyms map[string][]string

	// Values are values that occur in a column, as "table.column" -> {"open", "done"}.
	// A question that has one of them is about that column.
	Values map[string][]string
}

// An Index finds tables. It does not change, and is safe for concurrent use.
type Index struct {
	tables   []table // sorted by name
	lexical  *textmatch.Lexical
	begins   []string // the words, sorted
	ends     []string // the words spelled backwards, sorted
	embedder llm.Embedder
	vectors  [][]float32 // of length 1, one for each table; nil without an Embedder
	joined   [][]int     // the tables that each table can be joined with
}

// A Hit is a table that a question may be about.
type Hit struct {
	Table string
	// Columns are all columns of the table, those that the question names first, then
	// the others in their order.
	Columns []string
	// Named is how many columns at the beginning of Columns the question names.
	Named int
	// Matches is true if the table itself has something in common with the question.
	// If it is false, a table that it joins with may have.
	Matches bool
	// Score orders the hits of one search.
	Score float64
}

// table is what is known about a table.
type table struct {
	name    string
	own     []string // the words of its name, in order
	columns []column
}

type column struct {
	name  string
	words []string // of its name, in order
	about []string // its words, and those of its comment, synonyms and values, each once
}

const batchSize = 64 // tables embedded in one call

// The weights of words, by where they stand.
const (
	nameWeight    = 4.0 // shared by the words of the name
	synonymWeight = 3.0
	columnWeight  = 1.0
	textWeight    = 0.5 // comments and values
)

// New indexes the tables of a schema. With an Embedder, it embeds all of them before it
// returns; the errors of the Embedder are returned as they are.
//
// A synonym or a value of something that is not in the schema is an error.
func New(ctx context.Context, schema *joinpath.Schema, opt *Options) (*Index, error) {
	o := option.Of(opt)
	if err := o.check(schema); err != nil {
		return nil, err
	}
	x := &Index{embedder: o.Embedder}
	var weights []map[string]float64
	for _, name := range slices.Sorted(maps.Keys(schema.Tables)) {
		t, about := newTable(name, schema.Tables[name], &o)
		x.tables = append(x.tables, t)
		weights = append(weights, about)
	}
	x.lexical = textmatch.NewLexical(weights, lengthLoss)
	x.begins = x.lexical.Words()
	x.ends = append(x.ends, lists.Map(x.begins, backwards)...)
	slices.Sort(x.ends)
	x.join(schema.Relationships)
	if o.Embedder == nil || len(x.tables) == 0 {
		return x, nil
	}
	texts := lists.Map(x.tables, func(t table) string { return t.text(schema.Tables[t.name], &o) })
	for batch := range slices.Chunk(texts, batchSize) {
		dimensions := 0
		if len(x.vectors) > 0 {
			dimensions = len(x.vectors[0])
		}
		vectors, err := vector.Embed(ctx, o.Embedder, batch, dimensions)
		if err != nil {
			return nil, fmt.Errorf("schemasearch: %w", err)
		}
		x.vectors = append(x.vectors, lists.Map(vectors, vector.Unit)...)
	}
	return x, nil
}

// join notes which tables can be joined.
func (x *Index) join(relationships []joinpath.Relationship) {
	x.joined = make([][]int, len(x.tables))
	at := func(name string) (int, bool) {
		return slices.BinarySearchFunc(x.tables, name, func(t table, name string) int { return strings.Compare(t.name, name) })
	}
	for _, r := range relationships {
		from, ok := at(r.FromTable)
		to, both := at(r.ToTable)
		if ok && both && from != to && r.Confidence > 0 {
			x.joined[from] = append(x.joined[from], to)
			x.joined[to] = append(x.joined[to], from)
		}
	}
}

// neighbours returns the scores with a part of the best neighbour's added: a question
// rarely names the table that connects those it names.
func (x *Index) neighbours(scores []float64) []float64 {
	out := slices.Clone(scores)
	for i, all := range x.joined {
		best := 0.0
		for _, j := range all {
			best = max(best, scores[j])
		}
		out[i] += neighbourShare * best
	}
	return out
}

// neighbourShare was chosen on the questions of the Spider training set: from 0.25 to 0.6
// the share of questions with all their tables among the first 80 is within half a percent.
const neighbourShare = 0.4

// Tables returns the number of tables.
func (x *Index) Tables() int { return len(x.tables) }

// check returns an error for a synonym or a value of something unknown.
func (o *Options) check(schema *joinpath.Schema) error {
	known := textmatch.Set{}
	for name, t := range schema.Tables {
		known[name] = true
		for _, c := range t.Columns {
			known[name+"."+c] = true
		}
	}
	for _, field := range []struct {
		name    string
		entries map[string][]string
	}{{"Synonyms", o.Synonyms}, {"Values", o.Values}} {
		for _, name := range slices.Sorted(maps.Keys(field.entries)) {
			if !known[name] {
				return option.UnknownName(fmt.Sprintf("schemasearch: Options.%s: the schema has no %q", field.name, name),
					name, slices.Collect(maps.Keys(known)))
			}
		}
	}
	return nil
}

// newTable returns a table, and the words about it with their weights.
func newTable(name string, about joinpath.Table, o *Options) (table, map[string]float64) {
	t := table{name: name, own: nameWords(strings.TrimPrefix(name, about.Schema+"."))}
	weights := map[string]float64{}
	add := func(all []string, weight float64) {
		for _, w := range all {
			weights[w] += weight
		}
	}
	add(t.own, nameWeight/float64(max(1, len(t.own))))
	for _, s := range o.Synonyms[name] {
		add(nameWords(s), synonymWeight)
	}
	add(nameWords(about.Schema), textWeight)
	add(nameWords(about.Comment), textWeight)
	for _, c := range about.Columns {
		col := column{name: c, words: nameWords(c)}
		addColumn := func(text string, weight float64) {
			for _, w := range nameWords(text) {
				if !slices.Contains(col.about, w) {
					col.about = append(col.about, w)
					weights[w] += weight
				}
			}
		}
		addColumn(c, columnWeight)
		for _, s := range o.Synonyms[name+"."+c] {
			addColumn(s, columnWeight)
		}
		addColumn(about.ColumnComments[c], textWeight)
		for _, v := range o.Values[name+"."+c] {
			addColumn(v, textWeight)
		}
		t.columns = append(t.columns, col)
	}
	for w, weight := range weights {
		weights[w] = min(weight, nameWeight)
	}
	return t, weights
}

// text returns the text of a table that is embedded.
func (t *table) text(about joinpath.Table, o *Options) string {
	var b strings.Builder
	b.WriteString(textmatch.Spaced(t.name))
	for _, s := range o.Synonyms[t.name] {
		b.WriteString(", " + s)
	}
	if about.Comment != "" {
		b.WriteString(". " + about.Comment)
	}
	b.WriteString(":")
	for _, c := range t.columns {
		b.WriteString(" " + textmatch.Spaced(c.name) + ",")
	}
	return b.String()
}

// nameWords returns the content words of a name, or of a text that contains names.
// ASCII words of one or two letters, such as id, are left out.
func nameWords(s string) []string {
	return slices.DeleteFunc(textmatch.Split(textmatch.Spaced(s), nil), func(w string) bool { return len(w) < 3 })
}

// Search returns the k tables that the question is most likely about, the best first.
// Tables that have nothing in common with it come last, in the order of their names. The
// error is that of the Embedder or of ctx.
func (x *Index) Search(ctx context.Context, question string, k int) ([]Hit, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("schemasearch: %w", err)
	}
	asked := x.ask(question)
	own := x.byWords(asked)
	scores := x.neighbours(own)
	if x.vectors != nil && strings.TrimSpace(question) != "" {
		similar, err := x.similar(ctx, question)
		if err != nil {
			return nil, fmt.Errorf("schemasearch: %w", err)
		}
		scores = textmatch.Fuse(scores, similar)
	}
	order := lists.Indexes(len(scores))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	var hits []Hit
	for _, i := range order[:min(max(k, 0), len(order))] {
		h := Hit{Table: x.tables[i].name, Score: scores[i], Matches: own[i] > 0 || x.vectors != nil}
		h.Columns, h.Named = x.tables[i].likeliest(asked, x.lexical)
		hits = append(hits, h)
	}
	return hits, nil
}

// asked is what a question asks for.
type asked struct {
	sequence []string           // its content words, in order
	weights  map[string]float64 // words of the index that it means, and how surely
}

// ask returns the words of the index that a question may mean: its own words, those that
// begin like one of them, such as department for dept, and those that end so, such as
// Auftragsnummer for Nummer.
func (x *Index) ask(question string) asked {
	a := asked{sequence: nameWords(question), weights: map[string]float64{}}
	means := func(term string, likeness float64) {
		if likeness > a.weights[term] && x.lexical.Rarity(term) > 0 {
			a.weights[term] = likeness
		}
	}
	for _, w := range a.sequence {
		means(w, 1)
		parts(w, x.begins, minPrefix, means)
		parts(backwards(w), x.ends, minSuffix, func(term string, likeness float64) { means(backwards(term), likeness) })
	}
	return a
}

// The shortest beginning and end of a word, in bytes, that stands for it, and the
// length from which they are not looked for.
const (
	minPrefix = 4
	minSuffix = 5
	maxWord   = 64
)

// parts calls means for each of the sorted terms that begins with word, and for each
// beginning of word, with how much of the longer one they have in common.
func parts(word string, terms []string, shortest int, means func(string, float64)) {
	if len(word) < shortest {
		return
	}
	likeness := func(short, long int) float64 { return partLikeness * float64(short) / float64(long) }
	for n := shortest; n < min(len(word), maxWord); n++ {
		means(word[:n], likeness(n, len(word)))
	}
	first, _ := slices.BinarySearch(terms, word)
	for _, term := range terms[first:] {
		if !strings.HasPrefix(term, word) {
			break
		}
		if len(term) > len(word) {
			means(term, likeness(len(word), len(term)))
		}
	}
}

const partLikeness = 0.6

func backwards(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}

// lengthLoss is small: a table with many columns is no less likely.
const lengthLoss = 0.3

// namedBonus is what a table's score is multiplied with if the question contains its
// whole name.
const namedBonus = 1.2

// byWords returns the score of each table by its words.
func (x *Index) byWords(a asked) []float64 {
	scores := x.lexical.Scores(a.weights, func(word string, i int) bool {
		t := &x.tables[i]
		return !weakWords[word] || asksFor(a.sequence, t.own) || t.asksForColumn(a.sequence, word)
	})
	for i := range x.tables {
		if scores[i] > 0 && asksFor(a.sequence, x.tables[i].own) {
			scores[i] *= namedBonus
		}
	}
	return scores
}

// asksForColumn reports whether a question contains the whole name of a column that has
// the word.
func (t *table) asksForColumn(question []string, word string) bool {
	return slices.ContainsFunc(t.columns, func(c column) bool {
		return slices.Contains(c.words, word) && asksFor(question, c.words)
	})
}

// similar returns the cosine of the question with each table.
func (x *Index) similar(ctx context.Context, question string) ([]float64, error) {
	scores := make([]float64, len(x.tables))
	vectors, err := vector.Embed(ctx, x.embedder, []string{question}, len(x.vectors[0]))
	if errors.Is(err, vector.ErrZero) {
		return scores, nil // the question has nothing in common with any table
	}
	if err != nil {
		return nil, err
	}
	asked := vector.Unit(vectors[0])
	for i, v := range x.vectors {
		scores[i] = vector.Dot(asked, v)
	}
	return scores, nil
}

// likeliest returns the columns, those that the question names first.
func (t *table) likeliest(a asked, lexical *textmatch.Lexical) (columns []string, named int) {
	type scored struct {
		name  string
		score float64
	}
	all := make([]scored, len(t.columns))
	for i, c := range t.columns {
		all[i].name = c.name
		whole := asksFor(a.sequence, c.words)
		for _, w := range c.about {
			if weight := a.weights[w]; weight > 0 && (whole || !weakWords[w]) {
				all[i].score += weight * lexical.Rarity(w)
			}
		}
		if all[i].score > 0 {
			named++
		}
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	return lists.Map(all, func(c scored) string { return c.name }), named
}

// asksFor reports whether the words of a question contain those of a name, one after
// the other.
func asksFor(question, name []string) bool {
	for i := range len(question) - len(name) + 1 {
		if len(name) > 0 && slices.Equal(question[i:i+len(name)], name) {
			return true
		}
	}
	return false
}

// weakWords ask for something or choose among rows, and do not say what a question is
// about: the last month is not in a column lastName. They count only if the question
// contains the whole name.
var weakWords = func() textmatch.Set {
	set := textmatch.Set{}
	for _, w := range textmatch.Split(`all any current each every find first get give last latest list least many most much new
		newest next old oldest past please previous prior recent second show tell third top`, nil) {
		set[w] = true
	}
	return set
}()
