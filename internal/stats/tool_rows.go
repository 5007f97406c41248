package stats

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/internal/numeric"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/query"
)

// A basis describes the rows that a result was computed from.
type basis struct {
	RowCount  int         `json:"row_count"`           // that were analysed
	Total     int         `json:"total,omitempty"`     // from which those were drawn at random
	Truncated bool        `json:"truncated,omitempty"` // there are more rows
	Partial   string      `json:"partial,omitempty"`   // why rows may be missing, if not for their number
	Queries   []qed.Query `json:"queries,omitempty"`   // that were run again to read all rows
}

const (
	maxPartialBytes = 300

	maxScanned     = 5_000_000 // rows
	maxSample      = 100_000   // of them that are kept
	maxSampleBytes = 64 << 20
)

// rowsFor are the rows of a call.
type rowsFor struct {
	basis
	table *qed.Table
	exact []*exact // figures of all rows, by column, where table is a sample
}

// tableOf returns the rows of a call. If not all rows of the query were saved, and one
// of the sources can read them again, it reads all, and draws a sample of many rows.
func tableOf(ctx context.Context, rows *finding.RowsRef, sources []query.Source) (*rowsFor, error) {
	if rows.Truncated {
		all, err := scan(ctx, rows, sources)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err == nil:
			return all, nil
		case !errors.Is(err, qed.ErrNotFound):
			qed.Emit(ctx, qed.Warning{Code: "rows_incomplete", Message: "not all rows of the query could be read again: " +
				prompt.Clip(err.Error(), maxPartialBytes)})
		}
	}
	t, err := rows.Table(ctx)
	if err != nil {
		return nil, err
	}
	return &rowsFor{table: t, basis: basis{
		RowCount:  len(t.Rows),
		Truncated: rows.Truncated || t.Truncated,
		Partial:   prompt.Clip(strings.TrimSpace(rows.Partial), maxPartialBytes),
	}}, nil
}

// scan reads all rows of the query of rows.
func scan(ctx context.Context, rows *finding.RowsRef, sources []query.Source) (*rowsFor, error) {
	drawn := numeric.NewReservoir(maxSample, maxSampleBytes)
	out := new(rowsFor)
	var failed error
	found, err := query.Scan(ctx, sources, rows, func(columns []qed.Column, cells []any) bool {
		if drawn.Total == maxScanned {
			out.Truncated = true
			return false
		}
		if out.exact == nil {
			out.exact = newExact(columns)
		}
		for i, e := range out.exact {
			if failed = e.add(cells[i]); failed != nil {
				return false
			}
		}
		drawn.Add(cells)
		return true
	})
	if err = cmp.Or(err, failed); err != nil {
		return nil, err
	}
	out.table = &qed.Table{Columns: found.Table.Columns, Rows: drawn.Rows}
	out.RowCount = len(drawn.Rows)
	if drawn.Total > out.RowCount {
		out.Total = drawn.Total
	} else {
		out.exact = nil
	}
	out.Partial = prompt.Clip(strings.TrimSpace(found.Partial), maxPartialBytes)
	out.Queries = []qed.Query{found.Query}
	return out, nil
}
