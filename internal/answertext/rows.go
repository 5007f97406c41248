package answertext

import (
	"context"
	"errors"

	"github.com/qedkit/qed"
)

// keptSample is how many rows a state has of a table whose rows are saved.
const keptSample = 5

// SaveRows saves the rows of a table with the run if there are many, so that a state
// does not carry all of them from node to node. It returns the table for the state,
// which then has the first rows only, and the handle of all rows. The handle is
// empty if the table has all rows.
func SaveRows(ctx context.Context, table *qed.Table) (kept *qed.Table, handle string, err error) {
	if len(table.Rows) <= keptSample {
		return table, "", nil
	}
	handle, err = qed.Save(ctx, *table)
	switch {
	case errors.Is(err, qed.ErrTooLarge):
		return table, "", nil
	case err != nil || handle == "":
		return table, "", err
	}
	return &qed.Table{Columns: table.Columns, Rows: table.Rows[:keptSample], Truncated: true}, handle, nil
}

// LoadRows returns the table of which [SaveRows] returned kept and handle.
func LoadRows(ctx context.Context, kept *qed.Table, handle string) (*qed.Table, error) {
	if handle == "" {
		return kept, nil
	}
	table, err := qed.Load[qed.Table](ctx, handle)
	return &table, err
}
