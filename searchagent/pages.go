package searchagent

import (
	"context"
	"errors"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/internal/drafts"
	"github.com/qedkit/qed/internal/lists"
)

// pages reads the remaining pages of the last task, and emits each page. If reading
// fails, the answer contains what was read, and says so.
func (a *agent) pages(ctx context.Context, s state) (state, error) {
	i := s.paged()
	if i < 0 {
		return s, nil
	}
	t := &s.Tasks[i]
	if t.Query.Rows >= a.opt.MaxRows {
		return s, nil
	}
	allowed, err := a.access(ctx)
	if err != nil {
		return s, err
	}
	r, problems := a.check(allowed, &s, t)
	if len(problems) > 0 { // it ran before, so only a changed state gets here
		t.RestWhy = drafts.Reason(problems)
		return s, nil
	}
	all, err := a.read(ctx, t, r.search)
	var failure *esquery.EngineError
	switch {
	case ctx.Err() != nil:
		return s, ctx.Err()
	case errors.As(err, &failure):
		t.RestWhy = string(failure.Kind)
		t.note(a.reader.texts(ctx).PageFailed)
	case errors.Is(err, budget.ErrExceeded):
		t.RestWhy = "the budget is used up"
		t.note(a.reader.texts(ctx).LimitRows)
	case err != nil:
		return s, err
	}
	t.Rest = err != nil || all.Truncated
	if len(all.Rows) <= t.Query.Rows {
		return s, nil
	}
	all.Truncated = t.Rest
	t.Query.Rows = len(all.Rows)
	if t.Total == int64(t.Query.Rows) {
		t.Query.Total = 0
	}
	return s, t.keep(ctx, all)
}

// read reads pages into a table. It returns what it read together with an error.
func (a *agent) read(ctx context.Context, t *task, search *esquery.Search) (*qed.Table, error) {
	all := &qed.Table{Columns: t.Table.Columns, Truncated: t.Total > int64(a.opt.MaxRows)}
	fields := lists.Map(all.Columns, func(c qed.Column) string { return c.Name })
	number := 0
	err := a.reader.pages(ctx, search, t.Query.Rows, func(docs []document) {
		page := a.reader.table(t.Index, docs, fields)
		all.Rows = append(all.Rows, page.Rows...)
		number++
		qed.Emit(ctx, qed.Page{Number: number, Table: *page})
	})
	return all, err
}

// pages reads the pages of a search, up to the reader's limit. The budget was spent
// before for the first documents.
func (rd *reader) pages(ctx context.Context, search *esquery.Search, before int, take func([]document)) error {
	taken := 0
	for result, err := range rd.engine.Pages(ctx, search, &esquery.PageOptions{Size: rd.page, Max: rd.most}) {
		if err != nil {
			return err
		}
		if result == nil {
			return errNoResult
		}
		docs, err := documents(search, result.Hits)
		if err != nil {
			return err
		}
		if docs = docs[:min(len(docs), rd.most-taken)]; len(docs) == 0 {
			break
		}
		if taken += len(docs); taken > before {
			if err := budget.Spend(ctx, budget.Limits{Rows: min(taken-before, len(docs))}); err != nil {
				return err
			}
		}
		take(docs)
	}
	return nil
}
