package sqlagent

import (
	"errors"
)

var (
	// ErrNoTables is the error of [New] where no table of the policy can be shown
	// to a model.
	ErrNoTables = errors.New("the policy lists no table that can be shown to a model")
	// ErrMismatch is the error of [New] where the guard and the database do not
	// belong together: another dialect, or tables that the schema does not have.
	ErrMismatch = errors.New("the guard does not fit the database")
)

var errNoTable = errors.New("sqlagent: the Database returned neither a table nor an error")
