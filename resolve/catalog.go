package resolve

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/internal/textmatch"
	"github.com/qedkit/qed/llm"
)

// CatalogOptions are the options of [NewCatalog]. A nil CatalogOptions and zero
// fields mean the defaults.
type CatalogOptions struct {
	// KindAliases are other words for kinds: {"vessel": {"ship", "boat"}}. The
	// words for a kind do not distinguish its names: "port" in the name of a port
	// carries no information.
	KindAliases map[string][]string

	// Finder looks up entities that are not in the catalog. Nil means that there
	// are none. If it fails, Resolve fails: without it, a name of two entities
	// would look unique.
	Finder Finder

	// Embedder finds names by their meaning. Such candidates are never Resolved:
	// the user or a model has to choose. If the Embedder fails, the Resolution
	// reports a problem. Nil means that meaning is not used.
	Embedder llm.Embedder
}

// A Catalog finds entities by their names. It is safe for concurrent use.
//
//   - A term of two to five capital letters, such as LAX, is a code: it only
//     matches exact names and aliases.
//   - Numbers, Roman numerals, decimals and words with digits only match
//     themselves.
//   - The same words in another order, abbreviations, and typing errors that can
//     hardly be another word are certain: Rotterdma, Miamii. Words that may be
//     another name are not: Homburg for Hamburg, Williams for William.
//   - Signs count like letters: A+ is neither A nor A-, and -1 is not 1.
//   - If names differ only in case, accents or punctuation, the one that is
//     spelled like the term is meant.
type Catalog struct {
	opt         CatalogOptions
	kindAliases map[string]string // key of the alias -> key of the kind
	current     atomic.Pointer[entities]
	embeddings  *embeddings // nil without an Embedder
}

// entities are the entities of a catalog until the next Replace.
type entities struct {
	list  []Entity
	names []string // of list, cut to the length that is compared
	index *index
	at    map[identity]int32
}

// NewCatalog returns a catalog with a copy of list, which may be empty if there
// is a Finder. Entities with the same Kind and ID are one entity, and so are
// entities with the same Kind and Name without an ID. The names of all but the
// first become its aliases. A name needs a letter or a digit.
func NewCatalog(list []Entity, opt *CatalogOptions) (*Catalog, error) {
	c := &Catalog{kindAliases: map[string]string{}, opt: option.Of(opt)}
	o := &c.opt
	c.embeddings = newEmbeddings(o.Embedder)
	for _, kind := range slices.Sorted(maps.Keys(o.KindAliases)) {
		for _, alias := range o.KindAliases[kind] {
			key := kindKey(alias)
			if taken, ok := c.kindAliases[key]; ok && taken != kindKey(kind) {
				return nil, fmt.Errorf("resolve: CatalogOptions.KindAliases has %s for two kinds", shown(alias))
			}
			c.kindAliases[key] = kindKey(kind)
		}
	}
	return c, c.Replace(list)
}

const (
	embedBatch    = 64  // texts embedded in one call
	minSimilarity = 0.6 // the least cosine of a name that is found by its meaning
	maxCandidates = 5   // of a Resolution
)

// Replace replaces the catalog's entities by a copy of list, as [NewCatalog] does.
// If it returns an error, the catalog is unchanged. Vectors of names that stay are
// not computed again.
func (c *Catalog) Replace(list []Entity) error {
	next, err := c.read(list)
	if err != nil {
		return err
	}
	c.current.Store(next)
	if c.embeddings != nil {
		c.embeddings.keep(lists.Set(next.names, func(name string) string { return name }))
	}
	return nil
}

// Prepare computes the vectors of all names. Without it, the first Resolve that
// needs the vectors computes them. Without an Embedder it does nothing.
func (c *Catalog) Prepare(ctx context.Context) error {
	if c.embeddings != nil {
		if err := c.embeddings.compute(ctx, c.current.Load().names); err != nil {
			return fmt.Errorf("resolve: the vectors of names: %w", err)
		}
	}
	return nil
}

// kinds returns the kinds of the catalog's entities, sorted.
func (c *Catalog) kinds() []string {
	seen := map[string]bool{}
	for _, e := range c.current.Load().list {
		if e.Kind != "" {
			seen[e.Kind] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// read copies entities and builds their index.
func (c *Catalog) read(list []Entity) (*entities, error) {
	es := &entities{at: make(map[identity]int32, len(list)), list: make([]Entity, 0, len(list))}
	for i, e := range list {
		if textmatch.Fold(clipName(e.Name)) == "" {
			return nil, fmt.Errorf("resolve: entity %d (kind %s, id %s) has the name %s: it needs a letter or a digit",
				i, shown(e.Kind), shown(e.ID), shown(e.Name))
		}
		e = e.clone()
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
	ofKind := map[string][]string{}
	for i, e := range es.list {
		kindWords, ok := ofKind[e.Kind]
		if !ok {
			kindWords = c.wordsOf(e.Kind)
			ofKind[e.Kind] = kindWords
		}
		names := make([]itemName, 1, 1+len(e.Aliases))
		names[0] = itemName{text: clipName(e.Name)}
		for _, a := range e.Aliases {
			names = append(names, itemName{text: clipName(a), alias: true})
		}
		items[i] = item{kind: kindKey(e.Kind), names: names, generic: kindWords, implied: kindWords}
	}
	es.names = lists.Map(es.list, func(e Entity) string { return clipName(e.Name) })
	es.index = newIndex(items, nameStyle{})
	return es, nil
}

// wordsOf returns a kind and its aliases.
func (c *Catalog) wordsOf(kind string) []string {
	if kind == "" {
		return nil
	}
	list := []string{kind}
	for known, aliases := range c.opt.KindAliases {
		if kindKey(known) == kindKey(kind) {
			list = append(list, aliases...)
		}
	}
	slices.Sort(list)
	return list
}
