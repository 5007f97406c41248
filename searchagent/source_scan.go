package searchagent

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/query"
	"github.com/qedkit/qed/refusal"
)

// Scan implements [query.Scanner]. It reads the documents in pages, as of one point in
// time. A search that cannot be read in pages, because it has a size or aggregations,
// is refused. The columns are those of the documents of the first page.
func (s *source) Scan(
	ctx context.Context, q json.RawMessage, row func(columns []qed.Column, cells []any) bool,
) (*query.Result, error) {
	body, r, err := s.check(ctx, q)
	if err != nil {
		return nil, err
	}
	if !r.paging {
		return nil, s.refused([]refusal.Problem{{
			Code:    esquery.ErrMalformed,
			Message: "the search cannot be read in pages: leave out size, from, aggregations and what picks documents",
		}})
	}
	unindexed, err := s.reader.unindexed(ctx, r.search)
	if err != nil {
		return nil, s.failed(ctx, err)
	}
	began, n, partial := time.Now(), 0, unindexed
	table := new(qed.Table)
	var fields []string
pages:
	for page, err := range s.reader.engine.Pages(ctx, r.search, &esquery.PageOptions{Size: s.reader.page}) {
		if err != nil {
			return nil, s.failed(ctx, err)
		}
		if page == nil {
			return nil, errNoResult
		}
		if page.TimedOut || page.Partial() {
			partial = strings.TrimSpace(s.reader.texts(ctx).PartMissing + " " + unindexed)
		}
		docs, err := documents(r.search, page.Hits)
		if err != nil {
			return nil, err
		}
		if fields == nil {
			fields = documentColumns(docs, body, maxSourceColumns)
		}
		rows := s.reader.table(s.index, docs, fields)
		table.Columns = rows.Columns
		for _, cells := range rows.Rows {
			if !row(table.Columns, cells) {
				break pages
			}
			n++
		}
	}
	return &query.Result{
		Table: table, Partial: partial,
		Query: qed.Query{
			Language: query.Elasticsearch, Index: s.index, Written: string(body), Executed: string(r.search.Shown()),
			Rows: n, Millis: time.Since(began).Milliseconds(),
		},
		HowToRetrieve: retrieval(s.index, body),
	}, nil
}
