package values

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/joinpath/privacy"
)

var (
	// ErrCaller is the error of a search for somebody whose values a Dictionary
	// does not have.
	ErrCaller = errors.New("the dictionary belongs to another caller")

	// ErrFormat is the error of [Load] for a file that no Dictionary was saved to,
	// or that was changed or saved by another version.
	ErrFormat = errors.New("not a dictionary of this version")
)

// A Caller is somebody on whose behalf values are read or searched. The zero Caller
// is nobody in particular: a host without tenants and users.
type Caller struct {
	Tenant string `json:"tenant,omitempty"`
	User   string `json:"user,omitempty"`
}

// CallerOf returns the caller of the turn that ctx belongs to. Outside of a turn it
// returns the zero Caller.
func CallerOf(ctx context.Context) Caller {
	turn := qed.Info(ctx).Turn
	return Caller{Tenant: turn.Tenant, User: turn.User}
}

// A Column has the distinct values of a column.
type Column struct {
	Table  string `json:"table"`
	Column string `json:"column"`

	// Read is when the values were read.
	Read time.Time `json:"read"`

	// Values are sorted. Values that are blank, longer than
	// 100 bytes, or have control characters are left out; Skipped is
	// how many of the last two kinds there were.
	Values  []string `json:"values,omitempty"`
	Skipped int      `json:"skipped,omitempty"`

	// Rows is how many rows have a value, as far as they were read. It is 0 if there are
	// Many values.
	Rows int64 `json:"rows,omitempty"`

	// Many reports that the column has more values than [Options.MaxValues]. It
	// has no Values then.
	Many bool `json:"many,omitempty"`

	// Partial reports that only the first rows were read: see [Options.MaxRows].
	Partial bool `json:"partial,omitempty"`
}

// A Problem is a part of a reading that failed.
type Problem struct {
	// Table and Column are what was read. They are empty if Read stopped before
	// it had read all columns; Message then says how many are missing.
	Table   string `json:"table,omitempty"`
	Column  string `json:"column,omitempty"`
	Message string `json:"message"`

	// Err is the error of the database, for errors.Is. It may be nil.
	Err error `json:"-"`
}

// A Dictionary has the values of columns. It does not change, and is safe for
// concurrent use. [Reader.Read] and [Load] return one.
type Dictionary struct {
	owner    Caller
	shared   bool
	columns  []Column
	leftOut  []privacy.LeftOut
	problems []Problem

	index *index
}

// Columns returns the columns, sorted by table and column. Do not modify them.
func (d *Dictionary) Columns() []Column { return d.columns }

// LeftOut returns the columns that were not read, because they look sensitive or the
// host hides them.
func (d *Dictionary) LeftOut() []privacy.LeftOut { return d.leftOut }

// Problems returns what could not be read. Values that an earlier reading had are
// kept; [Column.Read] shows their age.
func (d *Dictionary) Problems() []Problem { return d.problems }

// Owner returns whose values these are. shared reports that they are everybody's.
func (d *Dictionary) Owner() (owner Caller, shared bool) { return d.owner, d.shared }

// allow returns an error that matches [ErrCaller] if the caller may not see the
// values. Those of a tenant are for all its users, those of a user for that user
// alone.
func (d *Dictionary) allow(c Caller) error {
	switch {
	case d.shared, d.owner == c, d.owner.User == "" && d.owner.Tenant != "" && d.owner.Tenant == c.Tenant:
		return nil
	}
	return fmt.Errorf("values: %w: read a dictionary with Options.Owner for each tenant or user, "+
		"or with Options.Shared if all may see the same values", ErrCaller)
}

// earlier returns the column of d, which may be nil, with the name of t, or nil.
func (d *Dictionary) earlier(t Column) *Column {
	if d == nil {
		return nil
	}
	i, ok := slices.BinarySearchFunc(d.columns, t, byName)
	if !ok {
		return nil
	}
	return &d.columns[i]
}

func byName(a, b Column) int {
	return cmp.Or(strings.Compare(a.Table, b.Table), strings.Compare(a.Column, b.Column))
}
