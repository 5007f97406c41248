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
)

// search checks and runs what the model wrote. What it can cure becomes a problem of
// the step; what it cannot (no connection, a cancelled turn) ends the turn.
func (a *agent) search(ctx context.Context, s state) (state, error) {
	err := s.each(ctx, searching, func(ctx context.Context, st step) (step, error) {
		return a.searchStep(ctx, &s, st)
	})
	return s, err
}

func (a *agent) searchStep(ctx context.Context, s *state, st step) (step, error) {
	allowed, err := a.access(ctx)
	if err != nil {
		return st, err
	}
	r, problems := a.check(allowed, s, &st)
	if len(problems) > 0 {
		st.Refused++
		st.refuse(ctx, problems, st.Refused <= a.opt.MaxRegenerations)
		return st, nil
	}
	if r.mended != "" {
		st.Query.Corrections = append(st.Query.Corrections, qed.Correction{Query: st.Body, Reason: r.mended})
	}
	got, err := a.result(ctx, allowed, r)
	var failure *esquery.EngineError
	if ctx.Err() == nil && errors.As(err, &failure) {
		switch failure.Kind {
		case esquery.ErrBadRequest, esquery.ErrTooLarge, esquery.ErrTimeout:
			st.Errors++
			problem := esquery.Problem{Code: esquery.Code(strings.ReplaceAll(string(failure.Kind), " ", "_")), Message: prompt.Clip(failure.Reason, maxReason)}
			if problem.Message == "" {
				problem.Message = "the engine could not run it: " + string(failure.Kind)
			}
			st.refuse(ctx, []esquery.Problem{problem}, st.Errors <= a.opt.MaxRetries)
			return st, nil
		case esquery.ErrNotFound:
			st.fail(ctx, "the index %s is not there any more", st.Index)
			return st, nil
		}
	}
	if err != nil {
		return st, err
	}
	err = a.found(ctx, &st, r, got)
	return st, err
}

// runnable is a search that may run.
type runnable struct {
	search  *esquery.Search
	mended  string // what the validator put right in it; empty: nothing
	lookup  bool   // one document is looked for, which later steps need
	sized   bool   // the model wrote how many documents it wants
	figures bool   // it has aggregations
	paging  bool   // all that it finds is wanted, and can be read by page
}

// check makes of the body in a state what may run. It is done anew wherever one runs,
// so that no state that was stored can put another body in its place.
func (a *agent) check(allowed *access, s *state, st *step) (runnable, []esquery.Problem) {
	report := allowed.validator.Check(st.Index, []byte(st.Body))
	if _, err := report.Search(); err != nil {
		return runnable{}, report.Problems
	}
	var body map[string]json.RawMessage // of a body that passed, so that no key is there twice
	if len(strings.TrimSpace(st.Body)) > 0 {
		if err := json.Unmarshal([]byte(st.Body), &body); err != nil {
			return runnable{}, []esquery.Problem{{Code: esquery.InvalidJSON, Message: "this is no JSON object"}}
		}
	}
	has := func(key string) bool { _, ok := body[key]; return ok }
	r := runnable{figures: has("aggs") || has("aggregations"), sized: has("size")}
	r.lookup = st.One && s.needed(st.Key) && !r.figures
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
		body["size"] = number(max(a.opt.MaxChoices, 2))
	case r.figures && !r.sized:
		body["size"] = number(0)
	case !r.sized:
		body["size"] = number(a.opt.Size)
	}
	body["track_total_hits"] = json.RawMessage("true") // or nothing found could not be told from not counted
	text, err := marshal(body)
	if err != nil {
		return runnable{}, []esquery.Problem{{Code: esquery.InvalidJSON, Message: "this is no JSON object"}}
	}
	report = allowed.validator.Check(st.Index, text)
	r.search, err = report.Search()
	if err != nil {
		return runnable{}, report.Problems
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
func mended(problems []esquery.Problem) string {
	var lines []string
	for _, p := range problems {
		lines = append(lines, say([]esquery.Problem{p})+" (mended: "+p.Fix+")")
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

// refuse records what is wrong with the body, which is written again or given up.
func (st *step) refuse(ctx context.Context, problems []esquery.Problem, again bool) {
	st.Problems = problems[:min(len(problems), maxProblems)]
	reason, first := say(st.Problems), st.Problems[0]
	qed.Emit(ctx, qed.QueryRefused{Query: st.Body, Code: string(first.Code), Name: first.Path, Message: reason, Candidates: first.Candidates})
	st.Query.Corrections = append(st.Query.Corrections, qed.Correction{Query: st.Body, Reason: reason})
	if again {
		st.Phase = writing
		return
	}
	st.giveUp(ctx, "no search that may run was found: %s", reason)
}

// say puts problems into a line.
func say(problems []esquery.Problem) string {
	var b strings.Builder
	for i, p := range problems {
		if i == maxSaid {
			b.WriteString("; and " + strconv.Itoa(len(problems)-i) + " more")
			break
		}
		if i > 0 {
			b.WriteString("; ")
		}
		if p.Path != "" {
			b.WriteString(p.Path + ": ")
		}
		b.WriteString(p.Message)
	}
	return b.String()
}

const maxSaid = 3

// hits are what a search found, without what is hidden.
type hits struct {
	docs    []document
	total   int64
	exact   bool
	figures *qed.Table // of aggregations; nil: there are none
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

// result runs a search, unless it is a lookup that was made before.
func (a *agent) result(ctx context.Context, allowed *access, r runnable) (*hits, error) {
	key := lookupKey{allowed.owner, r.search.Index(), string(r.search.Body())}
	if r.lookup {
		if doc, ok := a.lookups.get(key); ok {
			return &hits{docs: []document{doc}, total: 1, exact: true, cached: true}, nil
		}
	}
	most, err := rowsLeft(ctx)
	if err != nil {
		return nil, err
	}
	qed.Emit(ctx, qed.QueryRewritten{Query: string(r.search.Shown())})
	begun := time.Now()
	result, err := a.engine.Search(ctx, r.search)
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
		if got.figures, err = figures(r.search, result.Aggregations, a.opt.MaxResults); err != nil {
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
	if r.lookup && got.partial == "" && got.total == 1 && len(got.docs) == 1 {
		a.lookups.put(key, got.docs[0])
	}
	return got, nil
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

// found records what a search found, and says what is to be done with it.
func (a *agent) found(ctx context.Context, st *step, r runnable, got *hits) error {
	if st.Query.Executed != "" {
		// What ran before is given up for this, and stays part of the proof.
		st.Query.Corrections = append(st.Query.Corrections, qed.Correction{Query: st.Query.Written, Reason: "it ran, and found nothing"})
	}
	st.Total, st.Exact, st.Sized = max(got.total, int64(len(got.docs))), got.exact, r.sized
	rows, more := got.rows()
	st.Query = qed.Query{
		Language:    language,
		Step:        st.Key,
		Index:       st.Index,
		Written:     st.Body,
		Executed:    string(r.search.Shown()),
		Rows:        rows,
		Millis:      got.millis,
		Cached:      got.cached,
		Corrections: st.Query.Corrections,
	}
	if more && got.figures == nil {
		st.Query.Total = st.Total
	}
	if !got.cached {
		qed.Emit(ctx, qed.QueryExecuted{Query: st.Query.Executed, Rows: rows, Truncated: more, Millis: got.millis})
	}
	if got.partial != "" {
		st.note("%s", got.partial)
		if st.Total == 0 {
			st.fail(ctx, "%s, and the rest has nothing", got.partial)
			return nil
		}
	}
	if st.Total == 0 {
		st.Phase = explaining
		return nil
	}
	st.Rest = r.paging && st.Total > int64(len(got.docs))
	if err := a.hold(ctx, st, r, got); err != nil {
		return err
	}
	if r.lookup && len(got.docs) > 1 {
		st.Choices = choices(got.docs[:min(len(got.docs), a.opt.MaxChoices)])
		st.Phase = choosing
		return nil
	}
	st.finish(ctx)
	return nil
}

// hold puts what was found into the step, or beside the run's records where that is
// large.
func (a *agent) hold(ctx context.Context, st *step, r runnable, got *hits) error {
	most := a.opt.MaxDocumentBytes
	if r.lookup {
		most = 0 // any of them may be chosen
	}
	if err := st.Found.keep(ctx, got.docs, most); err != nil {
		return err
	}
	table := got.figures
	switch {
	case table != nil:
		st.Figures = true
		if table.Truncated && len(table.Rows) == a.opt.MaxResults {
			st.note("only the first %d rows of figures were read", len(table.Rows))
		}
	case len(got.docs) > 0:
		table = rows(got.docs, columns(got.docs, st.Show, a.opt.MaxColumns))
		table.Truncated = st.Total > int64(len(got.docs))
	default:
		table = &qed.Table{Columns: []qed.Column{{Name: "count"}}, Rows: [][]any{{st.Total}}}
	}
	return st.keep(ctx, table)
}
