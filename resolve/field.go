package resolve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
)

// A Field is a column, or a path of a mapping or a schema, in which a source of data has what a term
// of the business is about.
type Field struct {
	Source      string   `json:"source,omitempty"` // such as an index or a table
	Name        string   `json:"name"`             // as queries have it: "arrival_date", "vessel.name"
	Type        string   `json:"type,omitempty"`   // the source's own word: "date", "keyword", "varchar(40)"
	Description string   `json:"description,omitempty"`
	Aliases     []string `json:"aliases,omitempty"` // what the business calls it
}

// Fields returns the fields of a source by their names alone.
func Fields(source string, names ...string) []Field {
	list := make([]Field, len(names))
	for i, n := range names {
		list[i] = Field{Source: source, Name: n}
	}
	return list
}

// TypedFields returns the fields of a source by pairs of a name and a type. A name without a type at
// the end has none.
func TypedFields(source string, namesAndTypes ...string) []Field {
	var list []Field
	for pair := range slices.Chunk(namesAndTypes, 2) {
		f := Field{Source: source, Name: pair[0]}
		if len(pair) == 2 {
			f.Type = pair[1]
		}
		list = append(list, f)
	}
	return list
}

// FieldResolver says which fields a term could mean. A [*FieldCatalog] does. Where it has a method
// Sources() []string too, these are the sources that a tool's description and schema name.
type FieldResolver interface {
	Resolve(ctx context.Context, term, source string) (Resolution[Field], error)
	// Fields returns the fields of a source, or all where source is empty, in their order.
	Fields(ctx context.Context, source string) ([]Field, error)
}

// FieldOptions say how a [FieldCatalog] finds fields. Nil and zero fields mean the defaults.
type FieldOptions struct {
	// Embedder finds what has another name by the meaning of names and descriptions, as that of
	// [CatalogOptions] does. Nil: nothing is found so.
	Embedder llm.Embedder
	// Batch is how many fields are embedded in one call: 64.
	Batch int
	// MinSimilarity is the cosine from which a field counts as near: 0.6.
	MinSimilarity float64

	// TakeScore is from which score a field is taken that is not called exactly so: 0.86, as that of
	// [CatalogOptions].
	TakeScore float64
	// MaxCandidates is how many candidates a Resolution has: 5.
	MaxCandidates int
}

// FieldCatalog knows fields by their names, aliases and descriptions. It is safe for concurrent use.
//
// Names are read as identifiers: arrivalDate, ARRIVAL_DATE and shipment.arrival-date all have the
// words of "arrival date"; of several such fields the one that is written like the term is meant. What
// a value is measured in may be left out ("delay" is delay_hours), and a field's type stands for words
// such as "date".
type FieldCatalog struct {
	opt FieldOptions
	now atomic.Pointer[fields]
}

type fields struct {
	list    []Field
	index   *index
	meaning *meaning
}

// ErrSource says that a catalogue has no field of a source.
var ErrSource = errors.New("there is no such source")

// NewFieldCatalog returns a catalogue of fields, which it copies. A source has a name once.
func NewFieldCatalog(list []Field, opt *FieldOptions) (*FieldCatalog, error) {
	c := &FieldCatalog{}
	if opt != nil {
		c.opt = *opt
	}
	o := &c.opt
	if err := limits("FieldOptions", &o.Batch, &o.MinSimilarity, &o.TakeScore, &o.MaxCandidates); err != nil {
		return nil, err
	}
	return c, c.Replace(list)
}

// Replace makes list the catalogue's fields, as [NewFieldCatalog] does. Where it fails, they stay
// what they were.
func (c *FieldCatalog) Replace(list []Field) error {
	next := &fields{list: slices.Clone(list)}
	items, texts := make([]item, len(list)), make([]string, len(list))
	seen := map[[2]string]bool{}
	for i := range next.list {
		f := &next.list[i]
		f.Aliases = slices.Clone(f.Aliases)
		key := [2]string{f.Source, f.Name}
		switch {
		case fold(split(clipName(f.Name))) == "":
			return fmt.Errorf("resolve: field %d of source %s has the name %s: it needs a letter or a digit",
				i, shown(f.Source), shown(f.Name))
		case seen[key]:
			return fmt.Errorf("resolve: source %s has the field %s twice", shown(f.Source), shown(f.Name))
		}
		seen[key] = true
		items[i] = f.item()
		texts[i] = clipName(split(f.Name) + ": " + f.Description)
	}
	var old *meaning
	if last := c.now.Load(); last != nil {
		old = last.meaning
	}
	next.index = newIndex(items, manner{fields: true})
	next.meaning = newMeaning(c.opt.Embedder, c.opt.Batch, texts, old)
	c.now.Store(next)
	return nil
}

// Prepare computes the vectors of all fields now. Without it, the first Resolve that needs them does.
func (c *FieldCatalog) Prepare(ctx context.Context) error {
	if m := c.now.Load().meaning; m != nil {
		if err := m.ready(ctx); err != nil {
			return fmt.Errorf("resolve: the vectors of fields: %w", err)
		}
	}
	return nil
}

// item is what the index knows of a field: its path, the ends of that, and its aliases.
func (f *Field) item() item {
	path := clipName(f.Name)
	names := []naming{{text: path}}
	for loss := lossParent; ; loss += lossParent {
		_, rest, ok := strings.Cut(path, ".")
		if !ok {
			break
		}
		if path = rest; fold(split(path)) != "" && loss < 4*lossParent {
			names = append(names, naming{text: path, loss: loss})
		}
	}
	for _, a := range f.Aliases {
		names = append(names, naming{text: clipName(a), alias: true})
	}
	return item{kind: f.Source, names: names, implied: f.implied(), about: clipName(f.Description)}
}

// lossParent is what a part of a path that is not said takes off.
const lossParent = 0.02

// implied are the words that a field's type says.
func (f *Field) implied() []string {
	for w := range strings.FieldsSeq(fold(f.Type)) {
		if words, ok := typeSays[strings.TrimRight(w, "0123456789")]; ok {
			return strings.Fields(words)
		}
	}
	return nil
}

// typeSays has, by the words of types, what they say of a value.
var typeSays = func() map[string]string {
	says := map[string]string{}
	for types, words := range map[string]string{
		"date datetime time timestamp timestamptz": "date time day when",
		"int integer long short float double decimal numeric number bigint smallint tinyint mediumint uint real money": "number amount value count total",
		"bool boolean bit":             "flag whether",
		"geo point geometry geography": "location position place",
	} {
		for t := range strings.FieldsSeq(types) {
			says[t] = words
		}
	}
	return says
}()

// Fields returns the fields of a source, or all where source is empty. It never fails.
func (c *FieldCatalog) Fields(_ context.Context, source string) ([]Field, error) {
	var list []Field
	for _, f := range c.now.Load().list {
		if source == "" || f.Source == source {
			f.Aliases = slices.Clone(f.Aliases)
			list = append(list, f)
		}
	}
	return list, nil
}

// Sources returns the sources of the catalogue's fields, sorted.
func (c *FieldCatalog) Sources() []string {
	var names []string
	for _, f := range c.now.Load().list {
		if f.Source != "" {
			names = append(names, f.Source)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Resolve says which fields a term could mean, among those of a source, or of any where source is
// empty.
//
// A term that is no name is an error that matches [ErrTerm], a source that has no fields one that
// matches [ErrSource]. The only other error is that of a context that is done.
func (c *FieldCatalog) Resolve(ctx context.Context, term, source string) (Resolution[Field], error) {
	res := Resolution[Field]{Term: term, Kind: source}
	text, err := checkTerm(term)
	if err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return res, err
	}
	now := c.now.Load()
	if source != "" && !now.index.kinds[source] {
		return res, fmt.Errorf("resolve: source %s: %w; the sources are %s", shown(source), ErrSource, listed(c.Sources(), maxShown))
	}
	hits := now.index.search(text, source, maxHits)
	hits = slices.DeleteFunc(hits, func(h hit) bool { return source != "" && now.list[h.item].Source != source })
	status, some, more := decide(hits, c.opt.TakeScore, c.opt.MaxCandidates)
	if status != Resolved && now.meaning != nil {
		near, err := now.meaning.near(ctx, text, c.opt.MinSimilarity, c.opt.MaxCandidates, func(i int) bool {
			return source == "" || now.list[i].Source == source
		})
		name := func(i int) string { return now.list[i].Name }
		hits, err = withMeaning(ctx, &res.Problems, hits, near, err, c.opt.MinSimilarity, name)
		if err != nil {
			return res, err
		}
		status, some, more = decide(hits, c.opt.TakeScore, c.opt.MaxCandidates)
	}
	res.Status, res.More = status, more
	res.Candidates = make([]Candidate[Field], len(some))
	for i, h := range some {
		f := now.list[h.item]
		f.Aliases = slices.Clone(f.Aliases)
		res.Candidates[i] = Candidate[Field]{Value: f, Score: h.score, How: h.how, As: h.as}
	}
	return res, nil
}

// listed returns names as an error shows them, each cut after so many bytes: the first of many.
func listed(names []string, longest int) string {
	parts := make([]string, 0, maxListed)
	for _, n := range names[:min(len(names), maxListed)] {
		parts = append(parts, prompt.Quote(prompt.Clip(n, longest)))
	}
	if len(names) > maxListed {
		parts = append(parts, fmt.Sprintf("and %d more", len(names)-maxListed))
	}
	return strings.Join(parts, ", ")
}

const maxListed = 20
