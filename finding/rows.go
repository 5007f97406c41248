package finding

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/qedkit/qed"
)

// A RowsRef refers to the rows of a query, which are saved in the thread. States,
// plans and prompts have only the columns and the first rows. A tool that works on
// rows has a RowsRef in its arguments, and gets the rows with [RowsRef.Table].
type RowsRef struct {
	// Handle is for [qed.Load]. Empty means that Sample has all rows.
	Handle    string    `json:"handle,omitempty"`
	Count     int       `json:"count"`
	Truncated bool      `json:"truncated,omitempty"` // the query has more rows than were saved
	Partial   string    `json:"partial,omitempty"`   // why rows are missing, if not because of a limit
	Sample    qed.Table `json:"sample"`              // the columns and the first rows

	// Origin is for [RowsRef.LoadOrigin]. Empty means that the query cannot be run again.
	Origin string `json:"origin,omitempty"`
}

const (
	sampleRows = 5 // in the sample of rows that are saved

	maxSample = 8 << 10  // bytes of the sample of rows that are saved
	maxAll    = 32 << 10 // bytes of the sample of rows that are not saved
)

// SaveRows saves the rows of t with [qed.Save]. If they are too large, it saves
// the first rows and sets Truncated. Outside a durable run, and if the store
// fails, the Sample has as many rows as fit into the result of a tool. A nil t is
// an error.
func SaveRows(ctx context.Context, t *qed.Table) (*RowsRef, error) {
	if t == nil {
		return nil, errors.New("finding: SaveRows: the table is nil")
	}
	kept := *t
	handle, err := qed.Save(ctx, kept)
	for errors.Is(err, qed.ErrTooLarge) && len(kept.Rows) > 1 {
		kept.Rows, kept.Truncated = kept.Rows[:len(kept.Rows)/2], true
		handle, err = qed.Save(ctx, kept)
	}
	if err != nil {
		return nil, err
	}
	sample, most := kept, maxAll
	if handle != "" {
		most = maxSample
		if len(sample.Rows) > sampleRows {
			sample.Rows, sample.Truncated = sample.Rows[:sampleRows], true
		}
	}
	for len(sample.Rows) > 0 {
		text, err := json.Marshal(sample)
		if err != nil {
			return nil, fmt.Errorf("finding: SaveRows: the rows have no JSON: %w", err)
		}
		if len(text) <= most {
			break
		}
		sample.Rows, sample.Truncated = sample.Rows[:len(sample.Rows)/2], true
	}
	if handle == "" {
		kept = sample
	}
	return &RowsRef{Handle: handle, Count: len(kept.Rows), Truncated: kept.Truncated, Sample: sample}, nil
}

// An Origin is the query that rows come from.
type Origin struct {
	Source string          `json:"source"` // its name
	Query  json.RawMessage `json:"query"`
}

// SaveOrigin saves the query of the rows with [qed.Save], so that a tool which needs
// more rows than were saved can run it again. The reference has only a handle: no
// model can replace the query by another one. Outside a durable run, if the store
// fails, and if the query is too large, nothing is saved.
func (r *RowsRef) SaveOrigin(ctx context.Context, o Origin) (err error) {
	r.Origin, err = qed.Save(ctx, o)
	if errors.Is(err, qed.ErrTooLarge) {
		return nil
	}
	return err
}

// LoadOrigin returns the query that [RowsRef.SaveOrigin] saved. If there is none, the
// error matches [qed.ErrNotFound].
func (r *RowsRef) LoadOrigin(ctx context.Context) (Origin, error) {
	if r.Origin == "" {
		return Origin{}, fmt.Errorf("%w: the reference to rows has no origin", qed.ErrNotFound)
	}
	return qed.Load[Origin](ctx, r.Origin)
}

// String returns how many rows there are, such as "142 rows found".
func (r *RowsRef) String() string {
	if r.Count == 1 {
		return "1 row found"
	}
	return fmt.Sprintf("%d rows found", r.Count)
}

// Table returns all rows that were saved. If they were removed since, the error
// matches [qed.ErrNotFound].
func (r *RowsRef) Table(ctx context.Context) (*qed.Table, error) {
	if r == nil {
		return nil, fmt.Errorf("%w: the reference to rows is nil", qed.ErrNotFound)
	}
	if r.Handle == "" {
		if len(r.Sample.Rows) < r.Count {
			return nil, fmt.Errorf("%w: the reference has no handle, and its sample has only %d of %d rows",
				qed.ErrNotFound, len(r.Sample.Rows), r.Count)
		}
		t := r.Sample.Clone()
		return &t, nil
	}
	t, err := qed.Load[qed.Table](ctx, r.Handle)
	if err != nil {
		return nil, err
	}
	return &t, nil
}
