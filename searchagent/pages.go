package searchagent

import (
	"context"
	"errors"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/esquery"
)

// pages reads all that the last step found, by page, and tells each page as it comes.
// Where that breaks off, what there is stands, and the answer says so.
func (a *agent) pages(ctx context.Context, s state) (state, error) {
	i := s.paged()
	if i < 0 {
		return s, nil
	}
	st := &s.Steps[i]
	if st.Query.Rows >= a.opt.MaxResults {
		return s, nil
	}
	allowed, err := a.access(ctx)
	if err != nil {
		return s, err
	}
	r, problems := a.check(allowed, &s, st)
	if len(problems) > 0 { // it ran a moment ago: only a state that was changed gets here
		st.RestWhy = say(problems)
		return s, nil
	}
	all, err := a.read(ctx, st, r.search)
	var failure *esquery.EngineError
	switch {
	case ctx.Err() != nil:
		return s, ctx.Err()
	case errors.As(err, &failure):
		st.RestWhy = string(failure.Kind)
	case errors.Is(err, qed.ErrBudget):
		st.RestWhy = err.Error()
	case err != nil:
		return s, err
	}
	st.Rest = err != nil || all.Truncated
	if len(all.Rows) <= st.Query.Rows {
		return s, nil
	}
	all.Truncated = st.Rest
	st.Query.Rows = len(all.Rows)
	if st.Total == int64(st.Query.Rows) {
		st.Query.Total = 0
	}
	return s, st.keep(ctx, all)
}

// read reads pages into a table, and returns what it read beside an error.
func (a *agent) read(ctx context.Context, st *step, search *esquery.Search) (*qed.Table, error) {
	all := &qed.Table{Columns: st.Table.Columns, Truncated: st.Total > int64(a.opt.MaxResults)}
	fields := make([]string, len(all.Columns))
	for i, c := range all.Columns {
		fields[i] = c.Name
	}
	number := 0
	err := a.reader.pages(ctx, search, st.Query.Rows, func(docs []document) {
		page := rows(docs, fields)
		all.Rows = append(all.Rows, page.Rows...)
		number++
		qed.Emit(ctx, qed.Page{Number: number, Table: *page})
	})
	return all, err
}

// pages reads what a search finds by page, up to the reader's limit. The first documents,
// so many as were read before, are spent already.
func (rd *reader) pages(ctx context.Context, search *esquery.Search, before int, take func([]document)) error {
	taken := 0
	for result, err := range rd.engine.Pages(ctx, search, &esquery.PageOptions{Size: rd.page, Max: rd.most}) {
		switch {
		case err != nil:
			return err
		case result == nil:
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
			if err := qed.Spend(ctx, qed.Limits{Rows: min(taken-before, len(docs))}); err != nil {
				return err
			}
		}
		take(docs)
	}
	return nil
}
