package resolve

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
)

// An Entity is a thing of the business, as the host's data has it.
type Entity struct {
	Kind    string   `json:"kind,omitempty"` // such as "port"
	Name    string   `json:"name"`           // its own
	ID      string   `json:"id,omitempty"`   // in the data; where people use it as a name, it is an alias as well
	Aliases []string `json:"aliases,omitempty"`

	// Attributes are shown where two have the same name, such as country: US.
	Attributes map[string]string `json:"attributes,omitempty"`
}

// A Finder looks entities up elsewhere, for a catalogue that is too large for memory. It is
// safe for concurrent use.
//
// Find returns entities that a term could mean, the best first; the first 50 are looked at, and those
// without a letter or a digit in their name left out. It need
// not be exact: the names that it returns are compared with the term, and the further ones become
// suggestions. kind is the term's own word, and may be empty or none that the data knows. The context is
// that of the turn: a Finder leaves out what its user may not see.
type Finder interface {
	Find(ctx context.Context, term, kind string) ([]Entity, error)
}

const maxFound = 50

// EntityResolver says which entities a term could mean. A [*Catalog] does; one that chooses the catalogue of
// the company that asks, by the context, is a few lines of the host's. Where it has a method Kinds() []string
// too, these are the kinds that a tool's description and schema name.
type EntityResolver interface {
	Resolve(ctx context.Context, term, kind string) (Resolution[Entity], error)
}

// CatalogOptions say how a [Catalog] finds entities. Nil and zero fields mean the defaults.
type CatalogOptions struct {
	// Kinds are other words for kinds, by the kind: {"vessel": {"ship", "boat"}}. A kind and
	// these say nothing in a name: the "port" of a port.
	Kinds map[string][]string

	// Finder looks up more entities than those that the catalogue has. Nil: there are none. Its
	// error is that of Resolve: without it, a name that two have would look like one's.
	Finder Finder

	// Used returns the entities that the user of the context spoke of before, the last first, with
	// what he Said. What he means with the same words again is taken, where it is still in the data and
	// no other one is called exactly so; others only come first where they are asked for. It is for what
	// he chose himself. Nil: none.
	Used func(ctx context.Context) ([]qed.Entity, error)

	// Embedder finds what has another name by its meaning. That is never taken: the user, or a model,
	// is asked. Nil: nothing is found so. Where it fails, the Resolution says so.
	Embedder llm.Embedder
	// Batch is how many names are embedded in one call: 64.
	Batch int
	// MinSimilarity is the cosine from which a name counts as near: 0.6. What fits depends on the Embedder.
	MinSimilarity float64

	// TakeScore is from which score an entity is taken that is not called exactly so: 0.86. That takes the
	// same words in another order, abbreviations, and the misspelling of a word that can hardly be another
	// one: Rotterdma, Miamii. What may be another name, such as Homburg or Williams for Hamburg or William,
	// has less, and is asked about; 0.8 takes most of it. 1 takes what is called exactly so, or has it as an
	// alias, and nothing else.
	TakeScore float64
	// MaxCandidates is how many candidates a Resolution has: 5.
	MaxCandidates int
}

// Catalog knows entities by their names. It is safe for concurrent use.
//
// A term of two to five capital letters is a code, such as LAX, and means what is called exactly so.
// Numbers are never taken for others, Roman ones and those with a point no more than the rest, nor words
// with digits. Signs count beside letters and digits: A+ is neither A nor A-, and -1 is not 1. Where
// several names are the same but for case, accents and punctuation, the one that is written like the
// term is meant.
type Catalog struct {
	opt   CatalogOptions
	kinds map[string]string // other words for kinds
	now   atomic.Pointer[entities]
}

// entities are a catalogue's at one time.
type entities struct {
	list    []Entity
	index   *index
	meaning *meaning
	at      map[identity]int32
}

// An identity is what tells entities apart: a kind, and an ID or else a name.
type identity struct{ kind, id, name string }

func identityOf(kind, id, name string) identity {
	if id != "" {
		return identity{kind: kindKey(kind), id: id}
	}
	return identity{kind: kindKey(kind), name: name}
}

// NewCatalog returns a catalogue of entities, which it copies. There may be none, where a Finder has
// them all. Those of one Kind and ID are one entity, and the names of all but the first are aliases;
// so are those of one Kind and Name without an ID. A name needs a letter or a digit.
func NewCatalog(list []Entity, opt *CatalogOptions) (*Catalog, error) {
	c := &Catalog{kinds: map[string]string{}}
	if opt != nil {
		c.opt = *opt
	}
	o := &c.opt
	if err := limits("CatalogOptions", &o.Batch, &o.MinSimilarity, &o.TakeScore, &o.MaxCandidates); err != nil {
		return nil, err
	}
	for _, kind := range slices.Sorted(maps.Keys(o.Kinds)) {
		for _, other := range o.Kinds[kind] {
			key := kindKey(other)
			if taken, ok := c.kinds[key]; ok && taken != kindKey(kind) {
				return nil, fmt.Errorf("resolve: CatalogOptions.Kinds has %s for two kinds", shown(other))
			}
			c.kinds[key] = kindKey(kind)
		}
	}
	return c, c.Replace(list)
}

// limits fills in the defaults of options that both catalogues have.
func limits(of string, batch *int, similarity, take *float64, candidates *int) error {
	for _, f := range []struct {
		name        string
		value       *int
		usual, most int
	}{{"Batch", batch, 64, 10_000}, {"MaxCandidates", candidates, 5, 50}} {
		if *f.value < 0 || *f.value > f.most {
			return fmt.Errorf("resolve: %s.%s is %d: it lies between 0 and %d", of, f.name, *f.value, f.most)
		}
		if *f.value == 0 {
			*f.value = f.usual
		}
	}
	for _, f := range []struct {
		name  string
		value *float64
		usual float64
	}{{"MinSimilarity", similarity, 0.6}, {"TakeScore", take, scoreTaken}} {
		if !(*f.value >= 0 && *f.value <= 1) {
			return fmt.Errorf("resolve: %s.%s is %v: it lies between 0 and 1", of, f.name, *f.value)
		}
		if *f.value == 0 {
			*f.value = f.usual
		}
	}
	return nil
}

// Replace makes list the catalogue's entities, as [NewCatalog] does. Where it fails, they stay what they were.
// Vectors of names that stay are not computed again.
func (c *Catalog) Replace(list []Entity) error {
	next, err := c.read(list)
	if err != nil {
		return err
	}
	var old *meaning
	if last := c.now.Load(); last != nil {
		old = last.meaning
	}
	texts := make([]string, len(next.list))
	for i := range next.list {
		texts[i] = clipName(next.list[i].Name)
	}
	next.meaning = newMeaning(c.opt.Embedder, c.opt.Batch, texts, old)
	c.now.Store(next)
	return nil
}

// Prepare computes the vectors of all names now. Without it, the first Resolve that needs them does.
func (c *Catalog) Prepare(ctx context.Context) error {
	if m := c.now.Load().meaning; m != nil {
		if err := m.ready(ctx); err != nil {
			return fmt.Errorf("resolve: the vectors of names: %w", err)
		}
	}
	return nil
}

// Kinds returns the kinds of the catalogue's entities, sorted.
func (c *Catalog) Kinds() []string {
	seen := map[string]bool{}
	for _, e := range c.now.Load().list {
		if e.Kind != "" {
			seen[e.Kind] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// read makes an index of entities.
func (c *Catalog) read(list []Entity) (*entities, error) {
	es := &entities{at: make(map[identity]int32, len(list)), list: make([]Entity, 0, len(list))}
	for i, e := range list {
		if fold(clipName(e.Name)) == "" {
			return nil, fmt.Errorf("resolve: entity %d (kind %s, id %s) has the name %s: it needs a letter or a digit",
				i, shown(e.Kind), shown(e.ID), shown(e.Name))
		}
		e.Aliases, e.Attributes = slices.Clone(e.Aliases), maps.Clone(e.Attributes)
		key := identityOf(e.Kind, e.ID, e.Name)
		if at, ok := es.at[key]; ok {
			same := &es.list[at]
			for _, n := range append([]string{e.Name}, e.Aliases...) {
				if n != same.Name && !slices.Contains(same.Aliases, n) {
					same.Aliases = append(same.Aliases, n)
				}
			}
			continue
		}
		es.at[key] = int32(len(es.list))
		es.list = append(es.list, e)
	}
	items := make([]item, len(es.list))
	said := map[string][]string{} // of each kind: its words
	for i, e := range es.list {
		words, ok := said[e.Kind]
		if !ok {
			words = c.wordsOf(e.Kind)
			said[e.Kind] = words
		}
		names := make([]naming, 1, 1+len(e.Aliases))
		names[0] = naming{text: clipName(e.Name)}
		for _, a := range e.Aliases {
			names = append(names, naming{text: clipName(a), alias: true})
		}
		items[i] = item{kind: kindKey(e.Kind), names: names, generic: words, implied: words}
	}
	es.index = newIndex(items, manner{})
	return es, nil
}

// wordsOf returns what a kind is called.
func (c *Catalog) wordsOf(kind string) []string {
	if kind == "" {
		return nil
	}
	words := []string{kind}
	for known, others := range c.opt.Kinds {
		if kindKey(known) == kindKey(kind) {
			words = append(words, others...)
		}
	}
	slices.Sort(words)
	return words
}

// kindKey returns a kind as kinds are compared.
func kindKey(kind string) string {
	words := strings.Fields(fold(split(clipName(kind))))
	for i, w := range words {
		words[i] = plural(w)
	}
	return strings.Join(words, " ")
}

func clipName(s string) string {
	if len(s) <= maxNameBytes {
		return s
	}
	return strings.ToValidUTF8(s[:maxNameBytes], "")
}
