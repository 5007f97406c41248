package searchagent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/refusal"
)

// runnable is a search that may run.
type runnable struct {
	search  *esquery.Search
	mended  string // what the validator put right in it; empty: nothing
	lookup  bool   // one document is looked for, which later steps need
	sized   bool   // the model wrote how many documents it wants
	figures bool   // it has aggregations
	paging  bool   // all that it finds is wanted, and can be read by page
}

// prepare makes of a body what may run. size is how many documents are read where the
// body does not say; of a lookup, whatever it says.
func prepare(v *esquery.Validator, index, written string, size int, lookup bool) (runnable, []refusal.Problem) {
	report := v.Check(index, []byte(written))
	if _, err := report.Search(); err != nil {
		return runnable{}, report.Problems
	}
	var body map[string]json.RawMessage // of a body that passed, so that no key is there twice
	if len(strings.TrimSpace(written)) > 0 {
		if err := json.Unmarshal([]byte(written), &body); err != nil {
			return runnable{}, []refusal.Problem{{Code: esquery.ErrInvalidJSON, Message: "this is no JSON object"}}
		}
	}
	has := func(key string) bool { _, ok := body[key]; return ok }
	r := runnable{figures: has("aggs") || has("aggregations"), sized: has("size")}
	r.lookup = lookup && !r.figures
	r.paging = !r.sized && !r.lookup && !r.figures && !slices.ContainsFunc(unpaged, has)
	if report.Verdict == esquery.Fixed {
		r.mended = mended(report.Problems)
	}
	if body == nil {
		body = map[string]json.RawMessage{}
	}
	switch {
	case r.lookup:
		for _, key := range hiding {
			delete(body, key)
		}
		body["size"] = number(size)
	case r.figures && !r.sized:
		body["size"] = number(0)
	case !r.sized:
		body["size"] = number(size)
	}
	body["track_total_hits"] = json.RawMessage("true") // or nothing found could not be told from not counted
	text, err := marshal(body)
	if err != nil {
		return runnable{}, []refusal.Problem{{Code: esquery.ErrInvalidJSON, Message: "this is no JSON object"}}
	}
	report = v.Check(index, text)
	r.search, err = report.Search()
	if err != nil {
		return runnable{}, report.Problems
	}
	if !r.figures {
		return r, nil
	}
	if name := hidden(definitions(r.search), false); name != "" {
		return runnable{}, []refusal.Problem{{
			Code: esquery.ErrMalformed,
			Message: "an aggregation within another one cannot be called " + name +
				": buckets have a member of that name, which it would hide; give it another name",
		}}
	}
	return r, nil
}

// Of a search with one of unpaged, the pages after the first cannot be told from it. One
// with one of hiding finds fewer documents than there are: which of several is meant is
// for the user to say.
var (
	unpaged = []string{"from", "collapse", "search_after", "knn", "retriever", "rescore"}
	hiding  = []string{"from", "collapse", "search_after", "terminate_after"}
)

// mended says what was put right in a body.
func mended(problems []refusal.Problem) string {
	var lines []string
	for _, p := range problems {
		lines = append(lines, say([]refusal.Problem{p})+" (mended: "+p.Fix+")")
	}
	return strings.Join(lines, "; ")
}

func number(n int) json.RawMessage { return strconv.AppendInt(nil, int64(n), 10) }

// marshal writes v as JSON in which < stays as it is, for an engine.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// reader runs searches, for the agent and for a source.
type reader struct {
	engine Engine
	page   int // how many documents a page has
	most   int // how many are read by page in all, and how many rows of figures
}

// hits are what a search found, without what is hidden.
type hits struct {
	docs    []document
	total   int64
	exact   bool
	figures *qed.Table // of aggregations; nil: there are none
	rough   string     // which figures are not exact, and why; empty: all are
	partial string     // why they are not all that there is; empty: they are
	cached  bool
	millis  int64
}

// rows is how many rows they are as a table, and whether there are more.
func (h *hits) rows() (n int, more bool) {
	switch {
	case h.figures != nil:
		return len(h.figures.Rows), h.figures.Truncated
	case len(h.docs) == 0 && h.total > 0:
		return 1, false // their number alone
	}
	return len(h.docs), h.total > int64(len(h.docs))
}

// run runs a search, and spends its rows, of which there may be most; negative: any
// number.
func (rd *reader) run(ctx context.Context, r runnable, most int) (*hits, error) {
	begun := time.Now()
	result, err := rd.engine.Search(ctx, r.search)
	got := &hits{millis: time.Since(begun).Milliseconds()}
	if failure := (*esquery.EngineError)(nil); errors.As(err, &failure) && failure.Kind == esquery.ErrPartial && failure.Partial != nil &&
		failure.Partial.Total.Value > 0 {
		result, err = failure.Partial, nil
		got.partial = "a part of the index could not be searched"
	}
	switch {
	case err != nil:
		return nil, err
	case result == nil:
		return nil, errNoResult
	case result.TimedOut:
		got.partial = "the search took too long and was broken off"
	case result.Partial():
		got.partial = "a part of the index could not be searched"
	case result.TerminatedEarly:
		got.partial = "the search ended at its terminate_after"
	}
	got.total, got.exact = result.Total.Value, result.Total.Exact
	if got.docs, err = documents(r.search, result.Hits); err != nil {
		return nil, err
	}
	if r.figures {
		if got.figures, got.rough, err = figures(r.search, result.Aggregations, rd.most); err != nil {
			return nil, err
		}
	}
	if most >= 0 && len(got.docs) > most && !r.lookup { // of a lookup they all matter
		got.docs = got.docs[:most]
		got.partial = "the budget allows no more documents"
	}
	if err := qed.Spend(ctx, qed.Limits{Rows: len(got.docs)}); err != nil {
		return nil, err
	}
	return got, nil
}

// curable reports whether the engine may run another search.
func curable(e *esquery.EngineError) bool {
	return e.Kind == esquery.ErrBadRequest || e.Kind == esquery.ErrTooLarge || e.Kind == esquery.ErrTimeout
}

// rejection is what an engine says against a search, as a problem of it.
func rejection(e *esquery.EngineError) refusal.Problem {
	p := refusal.Problem{Code: refusal.Code(strings.ReplaceAll(string(e.Kind), " ", "_")), Message: prompt.Clip(e.Reason, maxReason)}
	if p.Message == "" {
		p.Message = "the engine could not run it: " + string(e.Kind)
	}
	return p
}

// rowsLeft is how many documents a search may return; negative: any number.
func rowsLeft(ctx context.Context) (int, error) {
	left, ok := qed.Remaining(ctx)
	switch {
	case !ok || left.Rows == 0:
		return -1, nil
	case left.Rows < 0:
		return 0, qed.Spend(ctx, qed.Limits{Rows: 1})
	}
	return left.Rows, nil
}
