package resolve

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/qedkit/qed/internal/textmatch"
)

// A FieldCatalog finds fields by their names and aliases. It is safe for concurrent use.
//
// Names are split as identifiers: arrivalDate, ARRIVAL_DATE and
// shipment.arrival-date all contain the words of "arrival date". If several such
// fields match, the one that is spelled like the term is meant. A term may leave
// out the unit of a value ("delay" for delay_hours), and may have words that
// follow from the field's type, such as "date".
type FieldCatalog struct {
	current atomic.Pointer[fields]
}

// fields are the fields of a catalog until the next Replace.
type fields struct {
	list  []Field
	index *index
}

// NewFieldCatalog returns a catalog with a copy of list. The names of a source's
// fields must be different, and need a letter or a digit.
func NewFieldCatalog(list []Field) (*FieldCatalog, error) {
	c := &FieldCatalog{}
	return c, c.Replace(list)
}

// Replace replaces the catalog's fields by a copy of list, as [NewFieldCatalog]
// does. If it returns an error, the catalog is unchanged.
func (c *FieldCatalog) Replace(list []Field) error {
	next := &fields{list: slices.Clone(list)}
	items := make([]item, len(list))
	seen := map[[2]string]bool{}
	for i := range next.list {
		f := &next.list[i]
		f.Aliases = slices.Clone(f.Aliases)
		key := [2]string{f.Source, f.Name}
		switch {
		case textmatch.Fold(textmatch.Spaced(clipName(f.Name))) == "":
			return fmt.Errorf("resolve: field %d of source %s has the name %s: it needs a letter or a digit",
				i, shown(f.Source), shown(f.Name))
		case seen[key]:
			return fmt.Errorf("resolve: source %s has the field %s twice", shown(f.Source), shown(f.Name))
		}
		seen[key] = true
		items[i] = f.item()
	}
	next.index = newIndex(items, nameStyle{identifiers: true})
	c.current.Store(next)
	return nil
}

// fields returns the fields of a source in their order, or all fields if source
// is empty.
func (c *FieldCatalog) fields(source string) []Field {
	var list []Field
	for _, f := range c.current.Load().list {
		if source == "" || f.Source == source {
			f.Aliases = slices.Clone(f.Aliases)
			list = append(list, f)
		}
	}
	return list
}

// sources returns the sources of the catalog's fields, sorted.
func (c *FieldCatalog) sources() []string {
	var names []string
	for _, f := range c.current.Load().list {
		if f.Source != "" {
			names = append(names, f.Source)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Resolve returns the fields that a term could mean, among those of a source, or
// of all sources if source is empty.
//
// The error matches [ErrInvalidTerm] if the term cannot be a name, and
// [ErrUnknownSource] if the source has no fields. The only other error is that of
// a context that is done.
func (c *FieldCatalog) Resolve(ctx context.Context, term, source string) (Resolution[Field], error) {
	res := Resolution[Field]{Term: term, Kind: source}
	text, err := checkTerm(term)
	if err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return res, err
	}
	now := c.current.Load()
	if source != "" && !now.index.kinds[source] {
		return res, fmt.Errorf("resolve: %w %s: the sources are %s",
			ErrUnknownSource, shown(source), listed(c.sources(), maxShown))
	}
	hits := now.index.search(text, source, maxHits)
	hits = slices.DeleteFunc(hits, func(h hit) bool { return source != "" && now.list[h.item].Source != source })
	status, candidates, more := decide(hits)
	res.Status, res.More = status, more
	res.Candidates = make([]Candidate[Field], len(candidates))
	for i, h := range candidates {
		f := now.list[h.item]
		f.Aliases = slices.Clone(f.Aliases)
		res.Candidates[i] = Candidate[Field]{Value: f, Score: h.score, Match: h.match, MatchedName: h.name}
	}
	return res, nil
}
