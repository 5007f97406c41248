package resolve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/qedkit/qed/finding"
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
	hits, past := s.addPast(ctx, hits)
	status, candidates, more := decide(hits, c.opt.ResolveThreshold, maxCandidates)
	if status != Resolved && s.embeddings != nil {
		if hits, err = s.addSimilar(ctx, hits); err != nil {
			return res, err
		}
		status, candidates, more = decide(hits, c.opt.ResolveThreshold, maxCandidates)
	}
	slices.SortStableFunc(candidates, func(a, b hit) int { return pastFirst(past, a) - pastFirst(past, b) })
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
	if kinds := c.Kinds(); len(kinds) > 0 {
		text += "; the kinds are " + listed(kinds, maxShown)
	}
	return text
}

// pastFirst is 0 for the hits in past and 1 for others.
func pastFirst(past map[int32]bool, h hit) int {
	if past[h.item] {
		return 0
	}
	return 1
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
			hits = append(hits, hit{item: int32(i), score: scoreWeak, match: MatchFinder, name: own.list[i].Name})
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

// addPast adds to hits what the user meant by the term before. It also returns
// the items of all past entities.
func (s *entitySearch) addPast(ctx context.Context, hits []hit) ([]hit, map[int32]bool) {
	if s.opt.PastEntities == nil {
		return hits, nil
	}
	entities, err := s.opt.PastEntities(ctx)
	if err != nil {
		*s.problems = append(*s.problems, "the user's past entities could not be read")
		return hits, nil
	}
	past, meant := map[int32]bool{}, map[int32]bool{}
	for _, e := range entities {
		i, ok := s.itemOf(e)
		if !ok || s.kind != "" && kindKey(e.Kind) != s.kind {
			continue
		}
		past[i] = true
		if textmatch.Fold(e.Said) == textmatch.Fold(s.text) {
			meant[i] = true
		}
	}
	if len(meant) > 0 {
		hits = withMeant(hits, meant, s.text)
	}
	return hits, past
}

// itemOf returns the item of a past entity. It reports false if the entity is not
// in the data any more.
func (s *entitySearch) itemOf(e finding.Entity) (int32, bool) {
	id := identityOf(e.Kind, e.ID, e.Name)
	if i, ok := s.at[id]; ok {
		return i, true
	}
	i := slices.IndexFunc(s.found, func(f Entity) bool { return identityOf(f.Kind, f.ID, f.Name) == id })
	return int32(len(s.list) + i), i >= 0
}

// withMeant adds to hits the items that the user meant by the term before. They
// win ties and come before similar names, but not before a name that is spelled
// exactly like the term. If there are several, none of them is Resolved: the user
// has to choose among them and other items of that name.
func withMeant(hits []hit, meant map[int32]bool, text string) []hit {
	var rest []hit
	exact, best := map[int32]spelling{}, folded // best of all hits
	for _, h := range hits {
		best = max(best, h.spelling)
		if !meant[h.item] {
			rest = append(rest, h)
		} else if h.exact {
			exact[h.item] = h.spelling
		}
	}
	var own []hit
	for _, i := range slices.Sorted(maps.Keys(meant)) {
		h := hit{item: i, score: 1, match: MatchPast, name: text, exact: true, spelling: exact[i]}
		if _, ok := exact[i]; len(meant) > 1 {
			h.spelling = best
		} else if ok && h.spelling == best {
			for j := range rest {
				rest[j].exact = false
			}
		}
		own = append(own, h)
	}
	return byScore(slices.Concat(own, rest))
}

// addSimilar adds the entities with a similar meaning to hits.
func (s *entitySearch) addSimilar(ctx context.Context, hits []hit) ([]hit, error) {
	near, err := s.embeddings.nearest(ctx, s.text, minSimilarity, maxCandidates, func(i int) bool {
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
			hits = append(hits, hit{item: int32(n.at), score: score, match: MatchSemantic, name: name(n.at)})
		case hits[at].score < min(score, scoreStrong): // else its words are the better match
			hits[at].score, hits[at].match = score, MatchSemantic
		}
	}
	return byScore(hits)
}
