package sqlagent

import (
	"context"
	"errors"

	"github.com/qedkit/qed/llm"
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

var errModelTimeout = errors.New("sqlagent: the model did not reply within Options.ModelTimeout")

// modelError gives a call that ran into the agent's own time limit the kind of
// a timeout: the turn's context is still good, the model was too slow.
func modelError(ctx context.Context, err error) error {
	if err != nil && errors.Is(context.Cause(ctx), errModelTimeout) {
		return &llm.Error{Kind: llm.ErrTimeout, Message: errModelTimeout.Error(), Err: err}
	}
	return err
}
