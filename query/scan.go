package query

import (
	"context"
	"slices"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/finding"
)

// Scan runs the query of rows again and reads all its rows: see [Scanner]. It returns
// [qed.ErrNotFound] if the query was not saved, or none of the sources has run it and
// can read all rows.
func Scan(
	ctx context.Context, sources []Source, rows *finding.RowsRef, row func(columns []qed.Column, cells []any) bool,
) (*Result, error) {
	from, err := rows.LoadOrigin(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(sources, func(s Source) bool { return s != nil && s.Name() == from.Source })
	if i < 0 {
		return nil, qed.ErrNotFound
	}
	scanner, ok := sources[i].(Scanner)
	if !ok {
		return nil, qed.ErrNotFound
	}
	found, err := scanner.Scan(ctx, from.Query, row)
	if err != nil {
		return nil, err
	}
	found.Query.Language = scanner.Language()
	return found, nil
}
