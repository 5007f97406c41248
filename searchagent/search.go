package searchagent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/internal/drafts"
	"github.com/qedkit/qed/internal/usertext"
	"github.com/qedkit/qed/query"
	"github.com/qedkit/qed/refusal"
)

// search checks and runs the searches that the model wrote. A failure that another
// search may avoid becomes a problem of the task. Other failures (no connection, a
// cancelled turn) end the turn.
func (a *agent) search(ctx context.Context, s state) (state, error) {
	err := s.each(ctx, searching, func(ctx context.Context, t task) (task, error) {
		return a.searchTask(ctx, &s, t)
	})
	s.divide()
	return s, err
}

// divide replaces each task whose search of an alias was refused, because its indices
// read a field differently, by a task for each of these indices. A task that looks for
// one document stays: one of the others would find nothing.
func (s *state) divide() {
	for i := range s.Tasks {
		t := &s.Tasks[i]
		at := slices.IndexFunc(t.Draft.Problems, func(p refusal.Problem) bool {
			return p.Code == esquery.ErrIndicesDiffer && len(p.Candidates) > 1
		})
		if t.Phase != drafting || t.One || at < 0 || len(s.Tasks)+len(t.Draft.Problems[at].Candidates)-1 > maxTasks {
			continue
		}
		whole, indices := *t, t.Draft.Problems[at].Candidates
		t.Index, t.Description, t.Draft = indices[0], whole.Description+" ("+indices[0]+")", drafts.Draft{}
		for n, index := range indices[1:] {
			part := task{Key: fmt.Sprint(whole.Key, "_", n+2), Description: whole.Description + " (" + index + ")", Index: index, After: whole.After}
			for s.task(part.Key) != nil {
				part.Key += "_"
			}
			for k := range s.Tasks {
				if slices.Contains(s.Tasks[k].After, whole.Key) {
					s.Tasks[k].After = append(slices.Clone(s.Tasks[k].After), part.Key)
				}
			}
			s.Tasks = slices.Insert(s.Tasks, i+1+n, part)
		}
	}
}

func (a *agent) searchTask(ctx context.Context, s *state, t task) (task, error) {
	allowed, err := a.access(ctx)
	if err != nil {
		return t, err
	}
	r, problems := a.check(allowed, s, &t)
	if len(problems) > 0 {
		return t, a.refuse(ctx, &t, problems)
	}
	if r.fixes != "" {
		t.Draft.GiveUp(t.Draft.Query, r.fixes)
	}
	got, err := a.result(ctx, allowed, r)
	if failure, ok := errors.AsType[*esquery.EngineError](err); ok && ctx.Err() == nil {
		switch {
		case faulty(failure) && t.Fault != "":
			return t, err // another search did not avoid it
		case faulty(failure):
			t.Fault = rejection(failure).Message
			return t, a.refuse(ctx, &t, []refusal.Problem{rejection(failure)})
		case correctable(failure):
			return t, a.refuse(ctx, &t, []refusal.Problem{rejection(failure)})
		}
	}
	if err != nil {
		return t, err
	}
	err = a.found(ctx, &t, r, got)
	return t, err
}

// check checks the body in a state. It is called wherever a search runs, so that a
// changed state cannot run a body that was not checked.
func (a *agent) check(allowed *access, s *state, t *task) (runnable, []refusal.Problem) {
	if t.One && s.needed(t.Key) {
		return prepare(allowed.validator, t.Index, t.Draft.Query, max(a.opt.PageSize, maxChoices), true)
	}
	return prepare(allowed.validator, t.Index, t.Draft.Query, a.opt.PageSize, false)
}

// refuse records what is wrong with the body. The body is written again or given
// up.
func (a *agent) refuse(ctx context.Context, t *task, problems []refusal.Problem) error {
	t.Draft.Refuse(ctx, problems)
	if t.Draft.Refused <= a.opt.MaxCorrections {
		t.Phase = drafting
		return nil
	}
	return t.giveUp(ctx, "no search was found that may run: %s", t.Draft.Reason())
}

// result runs a search, or returns the document of a cached lookup.
func (a *agent) result(ctx context.Context, allowed *access, r runnable) (*hits, error) {
	key := lookupKey{allowed.owner, r.search.Index(), string(r.search.Body())}
	if r.lookup {
		if doc, ok := a.lookups.Get(key); ok {
			return &hits{docs: []document{doc}, total: 1, exact: true, cached: true}, nil
		}
	}
	most, err := budget.RowsLeft(ctx, -1)
	if err != nil {
		return nil, err
	}
	qed.Emit(ctx, qed.QueryRewritten{Query: string(r.search.Shown())})
	got, err := a.reader.run(ctx, r, most)
	if err != nil {
		return nil, err
	}
	if r.lookup && got.partial == "" && got.total == 1 && len(got.docs) == 1 &&
		len(key.body)+len(got.docs[0].Source) <= maxLookup {
		a.lookups.Add(key, got.docs[0])
	}
	return got, nil
}

// A lookupKey is a search as it ran, with its filter, and the caller.
type lookupKey struct{ owner, index, body string }

// maxLookup limits one cached lookup, in bytes.
const maxLookup = 64 << 10

// found records what a search found, and sets the next phase of the task.
func (a *agent) found(ctx context.Context, t *task, r runnable, got *hits) error {
	if t.Query.Executed != "" {
		t.Draft.GiveUp(t.Query.Written, "it ran, and found nothing") // stays part of the proof
	}
	t.Total, t.Exact, t.Sized = max(got.total, int64(len(got.docs))), got.exact, r.sized
	rows, more := got.rows()
	t.Query = qed.Query{
		Language: query.Elasticsearch,
		Task:     t.Key,
		Index:    t.Index,
		Written:  t.Draft.Query,
		Executed: string(r.search.Shown()),
		Rows:     rows,
		Millis:   got.millis,
		Cached:   got.cached,
	}
	if more && got.figures == nil {
		t.Query.Total = t.Total
	}
	if !got.cached {
		qed.Emit(ctx, qed.QueryExecuted{Query: t.Query.Executed, Rows: rows, Truncated: more, Millis: got.millis})
	}
	if got.partial != "" {
		t.note(got.partial)
		if t.Total == 0 {
			t.Told = t.step(a.reader.texts(ctx).StepNothing)
			t.fail(ctx, "nothing was found, and the search was not complete")
			return nil
		}
	}
	if t.Total == 0 {
		t.Phase = explaining
		return nil
	}
	t.Rest = r.paging && t.Total > int64(len(got.docs))
	if err := a.hold(ctx, t, r, got); err != nil {
		return err
	}
	if r.lookup && len(got.docs) > 1 {
		t.Phase = choosing
		return nil
	}
	t.finish(ctx)
	return nil
}

// hold stores in the task what was found. Large results are saved with the run.
func (a *agent) hold(ctx context.Context, t *task, r runnable, got *hits) error {
	most, least := a.opt.MaxDocumentBytes, 1
	if r.lookup { // the user may choose any of them
		most, least = maxHeldChoices, maxChoices
	}
	if err := t.Found.keep(ctx, got.docs, most, least); err != nil {
		return err
	}
	table := got.figures
	switch {
	case table != nil:
		t.Figures = true
		t.Rough = got.inexact
		if table.Truncated && len(table.Rows) == a.opt.MaxRows {
			texts := a.reader.texts(ctx)
			t.note(usertext.Fill(texts.FirstRows, "shown", texts.number(int64(len(table.Rows)))))
		}
	case len(got.docs) > 0:
		table = a.reader.table(t.Index, got.docs, columns(got.docs, t.Show, maxColumns))
		table.Truncated = t.Total > int64(len(got.docs))
	default:
		table = counted(t.Total)
	}
	return t.keep(ctx, table)
}
