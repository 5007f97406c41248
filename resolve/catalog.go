package resolve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
)

// Resolve says which entities a term could mean, among those of a kind, or of any where kind is
// empty. One of another kind is never taken, though it may be suggested. A kind that no entity has is
// one of the Problems, which names the kinds there are, unless there is a Finder, who may know it.
//
// A term that is no name is an error that matches [ErrTerm]. Other errors are those of the Finder,
// and of a context that is done.
func (c *Catalog) Resolve(ctx context.Context, term, kind string) (Resolution[Entity], error) {
	res := Resolution[Entity]{Term: term, Kind: kind}
	text, err := checkTerm(term)
	if err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return res, err
	}
	now := c.now.Load()
	key := kindKey(kind)
	if known, ok := c.kinds[key]; ok {
		key = known
	}
	if key != "" && !now.index.kinds[key] && c.opt.Finder == nil {
		res.Problems = append(res.Problems, c.noKind(kind))
	}
	hits := now.index.search(text, key, maxHits)
	var found []Entity // beyond the catalogue's own, with the numbers that follow
	if c.opt.Finder != nil {
		var others []hit
		if found, others, err = c.find(ctx, &res, now, text, kind, key); err != nil {
			return res, err
		}
		for i := range others {
			others[i].item += int32(len(now.list))
		}
		hits = byScore(slices.Concat(hits, others))
	}
	used := c.used(ctx, &res, now, found, text, key, &hits)
	status, some, more := decide(hits, c.opt.TakeScore, c.opt.MaxCandidates)
	if status != Resolved && now.meaning != nil {
		if hits, err = c.meant(ctx, &res, now, text, key, hits); err != nil {
			return res, err
		}
		status, some, more = decide(hits, c.opt.TakeScore, c.opt.MaxCandidates)
	}
	slices.SortStableFunc(some, func(a, b hit) int { return usedFirst(used, a) - usedFirst(used, b) })
	res.Status, res.More = status, more
	res.Candidates = make([]Candidate[Entity], len(some))
	for i, h := range some {
		e := now.list
		if at := int(h.item) - len(e); at >= 0 {
			e, h.item = found, int32(at)
		}
		res.Candidates[i] = Candidate[Entity]{Value: e[h.item].clone(), Score: h.score, How: h.how, As: h.as}
	}
	return res, nil
}

const maxHits = 20

// noKind says that no entity has a kind.
func (c *Catalog) noKind(kind string) string {
	text := "there is no kind " + shown(kind)
	if kinds := c.Kinds(); len(kinds) > 0 {
		text += "; the kinds are " + listed(kinds, maxShown)
	}
	return text
}

func usedFirst(used map[int32]bool, h hit) int {
	if used[h.item] {
		return 0
	}
	return 1
}

func (e Entity) clone() Entity {
	e.Aliases, e.Attributes = slices.Clone(e.Aliases), maps.Clone(e.Attributes)
	return e
}

// find asks the Finder, and compares what it found.
func (c *Catalog) find(ctx context.Context, res *Resolution[Entity], now *entities, text, kind, key string) ([]Entity, []hit, error) {
	found, err := c.opt.Finder.Find(ctx, text, kind)
	if err != nil {
		return nil, nil, fmt.Errorf("resolve: CatalogOptions.Finder: %w", err)
	}
	found = found[:min(len(found), maxFound)]
	nameless := 0
	found = slices.DeleteFunc(slices.Clone(found), func(e Entity) bool {
		if fold(clipName(e.Name)) == "" {
			nameless++
			return true
		}
		_, known := now.at[identityOf(e.Kind, e.ID, e.Name)]
		return known
	})
	if nameless > 0 {
		res.Problems = append(res.Problems, fmt.Sprintf("%d of what was found have no name, and are left out", nameless))
	}
	own, err := c.read(found)
	if err != nil {
		return nil, nil, fmt.Errorf("CatalogOptions.Finder: %w", err)
	}
	hits := own.index.search(text, key, maxHits)
	for i := range own.list {
		if !slices.ContainsFunc(hits, func(h hit) bool { return h.item == int32(i) }) {
			hits = append(hits, hit{item: int32(i), score: scoreIdle, how: Found, as: own.list[i].Name})
		}
	}
	return own.list, hits, nil
}

// byScore sorts hits by their score; those of the same stay in their order.
func byScore(hits []hit) []hit {
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	return hits
}

// used adds to hits what the user meant with the term before, and returns all that he used.
func (c *Catalog) used(
	ctx context.Context, res *Resolution[Entity], now *entities, found []Entity, text, key string, hits *[]hit,
) map[int32]bool {
	if c.opt.Used == nil {
		return nil
	}
	before, err := c.opt.Used(ctx)
	if err != nil {
		res.Problems = append(res.Problems, "what the user spoke of before is not known")
		return nil
	}
	at := func(u qed.Entity) (int32, bool) {
		if i, ok := now.at[identityOf(u.Kind, u.ID, u.Name)]; ok {
			return i, true
		}
		for i, e := range found {
			if identityOf(e.Kind, e.ID, e.Name) == identityOf(u.Kind, u.ID, u.Name) {
				return int32(len(now.list) + i), true
			}
		}
		return 0, false
	}
	all, meant := map[int32]bool{}, map[int32]bool{}
	want := fold(text)
	for _, u := range before {
		i, ok := at(u)
		if !ok || key != "" && kindKey(u.Kind) != key {
			continue
		}
		all[i] = true
		if fold(u.Said) == want {
			meant[i] = true
		}
	}
	if len(meant) == 0 {
		return all
	}
	*hits = withOwn(*hits, meant, text)
	return all
}

// withOwn adds to hits what the user meant with the term before. That breaks ties, and goes before what is only
// like the term, but not before what stands literally in it. Where he meant several, none is taken: they are
// asked for, beside what else is called so.
func withOwn(hits []hit, meant map[int32]bool, text string) []hit {
	var rest []hit
	equal, most := map[int32]written{}, folded // of all that are called so
	for _, h := range hits {
		most = max(most, h.written)
		if !meant[h.item] {
			rest = append(rest, h)
		} else if h.sure {
			equal[h.item] = h.written
		}
	}
	var own []hit
	for _, i := range slices.Sorted(maps.Keys(meant)) {
		h := hit{item: i, score: 1, how: Own, as: text, sure: true, written: equal[i]}
		if _, called := equal[i]; len(meant) > 1 {
			h.written = most
		} else if called && h.written == most {
			for j := range rest {
				rest[j].sure = false
			}
		}
		own = append(own, h)
	}
	return byScore(slices.Concat(own, rest))
}

// meant adds to hits what has a like meaning.
func (c *Catalog) meant(ctx context.Context, res *Resolution[Entity], now *entities, text, key string, hits []hit) ([]hit, error) {
	near, err := now.meaning.near(ctx, text, c.opt.MinSimilarity, c.opt.MaxCandidates, func(i int) bool {
		return key == "" || !now.index.kinds[key] || now.index.items[i].kind == key
	})
	name := func(i int) string { return now.list[i].Name }
	return withMeaning(ctx, &res.Problems, hits, near, err, c.opt.MinSimilarity, name)
}

// withMeaning adds neighbours to hits. An embedder that fails is a problem, and no error.
func withMeaning(
	ctx context.Context, problems *[]string, hits []hit, near []neighbour, err error, least float64, name func(int) string,
) ([]hit, error) {
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		why := "the embedder failed"
		if failed, ok := errors.AsType[*llm.Error](err); ok {
			why += ": " + string(failed.Kind)
		}
		*problems = append(*problems, "names were not compared by their meaning: "+why)
		return hits, nil
	}
	for _, n := range near {
		score := scoreNear + (scoreTaken-0.01-scoreNear)*(min(n.cosine, 1)-least)/max(1-least, 1e-9)
		at := slices.IndexFunc(hits, func(h hit) bool { return h.item == int32(n.at) })
		switch {
		case at < 0:
			hits = append(hits, hit{item: int32(n.at), score: score, how: Meaning, as: name(n.at)})
		case hits[at].score < min(score, scoreStrong): // else it counts for its words
			hits[at].score, hits[at].how = score, Meaning
		}
	}
	return byScore(hits), nil
}
