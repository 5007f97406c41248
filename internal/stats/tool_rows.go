package stats

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/internal/numeric"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/usertext"
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

// sentence is the first sentence of a result's text.
func (b *basis) sentence() string {
	text := "Based on " + countOf(b.RowCount, "row") + "."
	switch {
	case b.Total > 0 && b.Truncated:
		text = fmt.Sprintf("Based on %s that were drawn at random from the first %s only; there are more. %s",
			countOf(b.RowCount, "row"), countOf(b.Total, "row"), "Figures of all rows can differ.")
	case b.Total > 0:
		text = fmt.Sprintf("Based on %s that were drawn at random from all %s.", countOf(b.RowCount, "row"), countOf(b.Total, "row"))
	case b.Truncated:
		text = "Based on the first " + countOf(b.RowCount, "row") + " only; there are more. " +
			"They are no random sample: figures of all rows can differ."
	}
	if b.Partial != "" {
		text += " Rows may be missing: " + strconv.Quote(b.Partial) + "."
	}
	return text
}

// texts are why saved rows cover a part of the data only. A chart of them says so to the
// user. The sentences of results are for the model, which puts them into words.
type texts struct {
	Drawn string // {n} rows were drawn from {total}
	First string // there are more than {n} rows

	Thousands string // the sign between the thousands of a number
}

var textTable = usertext.Of[texts]("stats")

// missing is why rows that are computed from these cover a part of the data only,
// and empty if they cover all of it.
func (b *basis) missing(ctx context.Context) string {
	t := textTable.In(ctx, qed.Info(ctx).Language)
	number := func(n int) string { return usertext.Number(int64(n), t.Thousands) }
	var parts []string
	switch {
	case b.Total > 0:
		parts = append(parts, usertext.Fill(t.Drawn, "n", number(b.RowCount), "total", number(b.Total)))
	case b.Truncated:
		parts = append(parts, usertext.Fill(t.First, "n", number(b.RowCount)))
	}
	if b.Partial != "" {
		parts = append(parts, b.Partial)
	}
	return strings.Join(parts, "; ")
}
