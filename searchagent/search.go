package searchagent

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/query"
	"github.com/qedkit/qed/refusal"
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
		switch {
		case curable(failure):
			st.Errors++
			st.refuse(ctx, []refusal.Problem{rejection(failure)}, st.Errors <= a.opt.MaxRetries)
			return st, nil
		case failure.Kind == esquery.ErrNotFound:
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

// check makes of the body in a state what may run. It is done anew wherever one runs,
// so that no state that was stored can put another body in its place.
func (a *agent) check(allowed *access, s *state, st *step) (runnable, []refusal.Problem) {
	if st.One && s.needed(st.Key) {
		return prepare(allowed.validator, st.Index, st.Body, max(a.opt.MaxChoices, 2), true)
	}
	return prepare(allowed.validator, st.Index, st.Body, a.opt.Size, false)
}

// refuse records what is wrong with the body, which is written again or given up.
func (st *step) refuse(ctx context.Context, problems []refusal.Problem, again bool) {
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
func say(problems []refusal.Problem) string {
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
	got, err := a.reader.run(ctx, r, most)
	if err != nil {
		return nil, err
	}
	if r.lookup && got.partial == "" && got.total == 1 && len(got.docs) == 1 {
		a.lookups.put(key, got.docs[0])
	}
	return got, nil
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
		Language:    query.Elasticsearch,
		Task:        st.Key,
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
		if got.rough != "" {
			st.note("%s", got.rough)
		}
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
