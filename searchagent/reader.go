package searchagent

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/usertext"
	"github.com/qedkit/qed/refusal"
)

// reader runs searches, for the agent and for a source.
type reader struct {
	engine Engine
	page   int // documents per page
	most   int // documents in all pages, and rows of figures

	fieldType func(index, path string) string // types of columns
}

// hits is what a search found, without hidden fields.
type hits struct {
	docs    []document
	total   int64
	exact   bool
	figures *qed.Table // the aggregations; may be nil
	inexact string     // which figures are not exact, and why; may be empty
	partial string     // why something is missing; may be empty
	cached  bool
	millis  int64
}

// rows returns the number of rows as a table, and whether there are more.
func (h *hits) rows() (n int, more bool) {
	switch {
	case h.figures != nil:
		return len(h.figures.Rows), h.figures.Truncated
	case len(h.docs) == 0 && h.total > 0:
		return 1, false // only their number
	}
	return len(h.docs), h.total > int64(len(h.docs))
}

// run runs a search and spends its rows. It returns at most most documents, or all if
// most is negative.
func (rd *reader) run(ctx context.Context, r runnable, most int) (*hits, error) {
	began, texts := time.Now(), rd.texts(ctx)
	result, err := rd.engine.Search(ctx, r.search)
	got := &hits{millis: time.Since(began).Milliseconds()}
	if failure, ok := errors.AsType[*esquery.EngineError](err); ok && failure.Kind == esquery.ErrPartial &&
		failure.Partial != nil && failure.Partial.Total.Value > 0 {
		result, err = failure.Partial, nil
		got.partial = texts.PartMissing
	}
	switch {
	case err != nil:
		return nil, err
	case result == nil:
		return nil, errNoResult
	case result.TimedOut:
		got.partial = texts.StoppedEarly
	case result.Partial():
		got.partial = texts.PartMissing
	case result.TerminatedEarly:
		got.partial = texts.StoppedEarly
	}
	got.total, got.exact = result.Total.Value, result.Total.Exact
	if got.docs, err = documents(r.search, result.Hits); err != nil {
		return nil, err
	}
	if r.figures {
		if got.figures, got.inexact, err = bucketTable(r.search, result.Aggregations, rd.most, rd.fieldType); err != nil {
			return nil, err
		}
	}
	if most >= 0 && len(got.docs) > most && !r.lookup { // a lookup needs all of them
		got.docs = got.docs[:most]
		got.partial = texts.LimitRows
	}
	unindexed, err := rd.unindexed(ctx, r.search)
	if err != nil {
		return nil, err
	}
	got.partial = strings.TrimSpace(got.partial + " " + unindexed)
	if err := budget.Spend(ctx, budget.Limits{Rows: len(got.docs)}); err != nil {
		return nil, err
	}
	return got, nil
}

// unindexed returns a note on values that the search cannot find, or "" if there are none.
func (rd *reader) unindexed(ctx context.Context, s *esquery.Search) (string, error) {
	u := s.Unindexed()
	if u == nil {
		return "", nil
	}
	n, err := rd.engine.Count(ctx, u.Search)
	if err != nil || n == 0 {
		return "", err
	}
	texts := rd.texts(ctx)
	return usertext.Fill(texts.LongValues, "n", texts.number(n), "fields", strings.Join(u.Fields, ", "), "limit", strconv.Itoa(u.Limit)), nil
}

// correctable reports whether another search may avoid the error. Without a response
// of the engine it may not.
func correctable(e *esquery.EngineError) bool {
	switch e.Kind {
	case esquery.ErrBadRequest, esquery.ErrTooLarge:
		return true
	case esquery.ErrTimeout:
		return e.Status != 0
	case esquery.ErrPartial:
		return e.Partial != nil && e.Partial.TimedOut
	}
	return false
}

// faulty reports whether the engine itself failed with the search.
func faulty(e *esquery.EngineError) bool {
	return e.Kind == esquery.ErrUnavailable && e.Status == http.StatusInternalServerError
}

// rejection returns the error of an engine as a problem of the search.
func rejection(e *esquery.EngineError) refusal.Problem {
	p := refusal.Problem{
		Code:    refusal.Code(strings.ReplaceAll(string(e.Kind), " ", "_")),
		Message: prompt.Clip(e.Reason, maxReason),
	}
	p.Message = cmp.Or(p.Message, "the engine could not run the search: "+string(e.Kind))
	return p
}
