package research

import (
	"context"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/rag"
)

// A searchInput identifies a recorded search. What the user may read is not part of
// it, because that can change until the run is resumed.
type searchInput struct {
	Query     string   `json:"query"`
	K         int      `json:"k"`
	Documents []string `json:"documents,omitempty"`
	Database  string   `json:"database,omitempty"`
}

// searched is a recorded search. A failed one is recorded too: a resumed run then
// does the same as the one before.
type searched struct {
	Hits    []rag.Hit `json:"hits,omitempty"`
	Problem string    `json:"problem,omitempty"`
}

// search returns the best passages for a query, or why there are none. The filter
// of q is applied next to the rights of the user and the collections of the request.
func (a *agent) search(ctx context.Context, r Request, q rag.Query) (hits []rag.Hit, problem string, err error) {
	scope := q.Filter.Documents
	allowed, err := a.allowed(ctx, r)
	if err != nil {
		return nil, "", err
	}
	q.Filter = both(allowed, q.Filter)
	searcher := a.searcher
	if r.Database != "" {
		searcher = a.opt.Databases[r.Database]
	}
	began := time.Now()
	in := searchInput{q.Text, q.K, scope, r.Database}
	found, err := qed.Step(ctx, "search", in, func(ctx context.Context) (searched, error) {
		hits, err := searcher.Search(ctx, q)
		switch {
		case ctx.Err() != nil:
			return searched{}, context.Cause(ctx)
		case err != nil:
			return searched{Problem: prompt.Clip(err.Error(), maxNote)}, nil
		}
		var relevant []rag.Hit
		for _, h := range hits[:min(q.K, len(hits))] {
			if h.Score > 0 {
				h.Score = min(h.Score, math.MaxFloat64) // infinity has no JSON
				h.Chunk.Text = prompt.Clip(h.Chunk.Text, maxPassage)
				relevant = append(relevant, h)
			}
		}
		return searched{Hits: relevant}, nil
	})
	if err != nil {
		return nil, "", err
	}
	event := qed.Retrieved{Query: q.Text, Millis: time.Since(began).Milliseconds()}
	for _, h := range found.Hits {
		if !q.Filter.Matches(h.Chunk) {
			return nil, "", fmt.Errorf("%w: it is in %s", ErrForbidden, h.Chunk.Document)
		}
		event.Citations = append(event.Citations, h.Chunk.Citation())
	}
	qed.Emit(ctx, event)
	return found.Hits, found.Problem, nil
}

// allowed returns the filter of the user's rights and the collections of the
// request.
func (a *agent) allowed(ctx context.Context, r Request) (rag.Filter, error) {
	var f rag.Filter
	if a.opt.Filter != nil {
		var err error
		if f, err = a.opt.Filter(ctx); err != nil {
			return f, err
		}
	}
	if r.Collections != nil {
		f = both(f, rag.Filter{Metadata: map[string][]string{collectionKey: r.Collections}})
	}
	return f, nil
}

// both returns a filter that matches what both filters match.
func both(a, b rag.Filter) rag.Filter {
	out := rag.Filter{Documents: common(a.Documents, b.Documents), Metadata: maps.Clone(a.Metadata)}
	for key, values := range b.Metadata {
		if out.Metadata == nil {
			out.Metadata = map[string][]string{}
		}
		out.Metadata[key] = common(out.Metadata[key], values)
	}
	return out
}

// common returns the texts that are in both lists. A nil list has all texts.
func common(a, b []string) []string {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	out := []string{}
	out = append(out, lists.Filter(a, func(text string) bool { return slices.Contains(b, text) })...)
	return out
}

// id identifies a chunk within a database.
func id(c rag.Chunk) string { return c.Document + "\x00" + strconv.Itoa(c.Number) }

// webFound is a recorded web search.
type webFound struct {
	Results []WebResult `json:"results,omitempty"`
	Problem string      `json:"problem,omitempty"`
}

// searchWeb returns pages of the web as passages, or why there are none.
func (a *agent) searchWeb(ctx context.Context, query string) (hits []rag.Hit, problem string, err error) {
	found, err := qed.Step(ctx, "search_web", query, func(ctx context.Context) (webFound, error) {
		results, err := a.opt.Web(ctx, query, maxWebResults)
		switch {
		case ctx.Err() != nil:
			return webFound{}, context.Cause(ctx)
		case err != nil:
			return webFound{Problem: prompt.Clip(err.Error(), maxNote)}, nil
		}
		var usable []WebResult
		for _, r := range results[:min(maxWebResults, len(results))] {
			r.Text = prompt.Clip(strings.TrimSpace(r.Text), maxPassage)
			u, err := url.Parse(r.URL) // shown as a link
			if r.Text != "" && err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && len(r.URL) <= maxQuery {
				usable = append(usable, r)
			}
		}
		return webFound{Results: usable}, nil
	})
	for _, r := range found.Results {
		c := rag.Chunk{Document: r.URL, Number: 1, Text: r.Text}
		if title := tidy(r.Title, maxNote); title != "" {
			c.Headings = []string{title}
		}
		hits = append(hits, rag.Hit{Chunk: c, Score: 1})
	}
	return hits, found.Problem, err
}

// checkRights returns an error if a finding may not be read any more.
func (a *agent) checkRights(ctx context.Context, s *state) error {
	f, err := a.allowed(ctx, s.Request)
	if err != nil {
		return err
	}
	for i := range s.Findings {
		if c := &s.Findings[i].Chunk; !s.Findings[i].Web && !f.Matches(*c) {
			return fmt.Errorf("%w: it is in %s", ErrForbidden, c.Document)
		}
	}
	return nil
}
