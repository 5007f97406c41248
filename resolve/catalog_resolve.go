package resolve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/qedkit/qed/internal/textmatch"
	"github.com/qedkit/qed/llm"
)

// Resolve returns the entities that a term could mean, among those of a kind, or
// of all kinds if kind is empty. An entity of another kind may be a candidate but
// is never Resolved. If no entity has the kind, Problems lists the known kinds,
// unless there is a Finder, which may know it.
//
// The error matches [ErrInvalidTerm] if the term cannot be a name. Other errors
// are those of the Finder and of a context that is done.
func (c *Catalog) Resolve(ctx context.Context, term, kind string) (Resolution[Entity], error) {
	res := Resolution[Entity]{Term: term, Kind: kind}
	text, err := checkTerm(term)
	if err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return res, err
	}
	s := &entitySearch{
		Catalog: c, entities: c.current.Load(), text: text, kind: c.keyOf(kind), problems: &res.Problems,
	}
	if s.kind != "" && !s.index.kinds[s.kind] && c.opt.Finder == nil {
		res.Problems = append(res.Problems, c.unknownKind(kind))
	}
	hits := s.index.search(text, s.kind, maxHits)
	if c.opt.Finder != nil {
		others, err := s.find(ctx, kind)
		if err != nil {
			return res, err
		}
		hits = byScore(slices.Concat(hits, others))
	}
	status, candidates, more := decide(hits)
	if status != Resolved && s.embeddings != nil {
		if hits, err = s.addSimilar(ctx, hits); err != nil {
			return res, err
		}
		status, candidates, more = decide(hits)
	}
	res.Status, res.More = status, more
	res.Candidates = make([]Candidate[Entity], len(candidates))
	for i, h := range candidates {
		e := s.entity(h.item).clone()
		res.Candidates[i] = Candidate[Entity]{Value: e, Score: h.score, Match: h.match, MatchedName: h.name}
	}
	return res, nil
}

const maxHits = 20

// keyOf returns the key of a kind that is given by its name or an alias.
func (c *Catalog) keyOf(kind string) string {
	key := kindKey(kind)
	if known, ok := c.kindAliases[key]; ok {
		return known
	}
	return key
}

// unknownKind returns the problem that no entity has a kind.
func (c *Catalog) unknownKind(kind string) string {
	text := "there is no kind " + shown(kind)
	if kinds := c.kinds(); len(kinds) > 0 {
		text += "; the kinds are " + listed(kinds, maxShown)
	}
	return text
}

// An entitySearch is one call of Catalog.Resolve.
type entitySearch struct {
	*Catalog
	*entities
	found      []Entity // by the Finder; their items follow those of the catalog
	text, kind string
	problems   *[]string // of the Resolution
}

func (s *entitySearch) entity(item int32) Entity {
	if at := int(item) - len(s.list); at >= 0 {
		return s.found[at]
	}
	return s.list[item]
}

// find returns the hits of the Finder. kind is as the caller wrote it.
func (s *entitySearch) find(ctx context.Context, kind string) ([]hit, error) {
	found, err := s.opt.Finder.Find(ctx, s.text, kind)
	if err != nil {
		return nil, fmt.Errorf("resolve: CatalogOptions.Finder: %w", err)
	}
	found = found[:min(len(found), maxFound)]
	nameless := 0
	found = slices.DeleteFunc(slices.Clone(found), func(e Entity) bool {
		if textmatch.Fold(clipName(e.Name)) == "" {
			nameless++
			return true
		}
		_, known := s.at[identityOf(e.Kind, e.ID, e.Name)]
		return known
	})
	if nameless > 0 {
		*s.problems = append(*s.problems, fmt.Sprintf("%d entities of the Finder have no name and are left out", nameless))
	}
	own, err := s.read(found)
	if err != nil {
		return nil, fmt.Errorf("CatalogOptions.Finder: %w", err)
	}
	s.found = own.list
	hits := own.index.search(s.text, s.kind, maxHits)
	for i := range own.list {
		if !slices.ContainsFunc(hits, func(h hit) bool { return h.item == int32(i) }) {
			hits = append(hits, hit{item: int32(i), score: scoreWeak, match: matchFinder, name: own.list[i].Name})
		}
	}
	for i := range hits {
		hits[i].item += int32(len(s.list))
	}
	return hits, nil
}

// byScore sorts hits by their score. Hits with the same score keep their order.
func byScore(hits []hit) []hit {
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	return hits
}

// addSimilar adds the entities with a similar meaning to hits.
func (s *entitySearch) addSimilar(ctx context.Context, hits []hit) ([]hit, error) {
	near, err := s.embeddings.nearest(ctx, s.names, s.text, minSimilarity, maxCandidates, func(i int) bool {
		return s.kind == "" || !s.index.kinds[s.kind] || s.index.items[i].kind == s.kind
	})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		*s.problems = append(*s.problems, embedderFailed(err))
		return hits, nil
	}
	name := func(i int) string { return s.list[i].Name }
	return withNeighbours(hits, near, minSimilarity, name), nil
}

// embedderFailed returns the problem that an embedder failed. It names the kind of
// the error, and not its text, which may contain secrets.
func embedderFailed(err error) string {
	text := "names were not compared by their meaning: the embedder failed"
	if failed, ok := errors.AsType[*llm.Error](err); ok {
		text += ": " + string(failed.Kind)
	}
	return text
}

// withNeighbours adds neighbours to hits. Their scores are between scoreNear and
// scoreTaken. least is the least cosine.
func withNeighbours(hits []hit, near []neighbour, least float64, name func(int) string) []hit {
	for _, n := range near {
		score := scoreNear + (scoreTaken-0.01-scoreNear)*(min(n.cosine, 1)-least)/max(1-least, 1e-9)
		at := slices.IndexFunc(hits, func(h hit) bool { return h.item == int32(n.at) })
		switch {
		case at < 0:
			hits = append(hits, hit{item: int32(n.at), score: score, match: matchSemantic, name: name(n.at)})
		case hits[at].score < min(score, scoreStrong): // else its words are the better match
			hits[at].score, hits[at].match = score, matchSemantic
		}
	}
	return byScore(hits)
}
