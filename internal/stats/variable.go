package stats

import (
	"fmt"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/column"
	"github.com/qedkit/qed/internal/numeric"
	"github.com/qedkit/qed/refusal"
)

// A Kind is what the cells of a column are.
type Kind string

const (
	Empty    Kind = "empty" // all cells are missing
	Numbers  Kind = "numbers"
	Texts    Kind = "texts" // and mixed cells
	Times    Kind = "times"
	Booleans Kind = "booleans"
)

// A variable is a column that was read.
type variable struct{ *column.Column }

// read reads the column at index i of t; want is as in [column.Read].
func read(t *qed.Table, i int, want column.Kind) (*variable, error) {
	c, err := column.Read(t, i, want)
	if err != nil {
		return nil, fmt.Errorf("stats: %w", err)
	}
	return &variable{c}, nil
}

// numbered reads a column that must have numbers.
func numbered(t *qed.Table, name string) (*variable, error) { return readAs(t, name, column.Numbers) }

// timed reads a column that must have times.
func timed(t *qed.Table, name string) (*variable, error) { return readAs(t, name, column.Times) }

func readAs(t *qed.Table, name string, want column.Kind) (*variable, error) {
	i, err := find(t, name)
	if err != nil {
		return nil, err
	}
	v, err := read(t, i, want)
	if err != nil {
		return nil, err
	}
	if v.Kind != want && v.Kind != column.Empty {
		return nil, refuse(refusal.Problem{
			Code: ErrFieldType, Name: clip(name),
			Message: fmt.Sprintf("column %s has %s, not %s", quoted(name), v.Kind, want),
		})
	}
	return v, nil
}

// allEqual is the reason that what, such as "all values", cannot be analysed.
func (v *variable) allEqual(what string) string {
	if v.Large() > 1 || !numeric.IsConstant(v.Numbers) {
		return what + " are the same in their first 12 digits, and the rest may be rounded"
	}
	return what + " are the same"
}
