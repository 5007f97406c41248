package qed

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/qedkit/qed/store"
)

var (
	// ErrMaxSteps says that a graph took more steps than [CompileOptions] allow.
	ErrMaxSteps = errors.New("qed: too many steps")

	// ErrNoAnswer says that an agent's events ended without [Completed] and without an error.
	ErrNoAnswer = errors.New("qed: the agent ended without an answer")

	// ErrEmptyTurn says that a turn has no text.
	ErrEmptyTurn = errors.New("qed: the turn has no question")

	// ErrToolAbandoned says that a tool did not return when its time was over. What it does goes on unseen.
	ErrToolAbandoned = errors.New("qed: abandoned")

	// ErrReaderStopped is the cause, as [context.Cause] tells it, when the reader of a run's events has left.
	ErrReaderStopped = errors.New("qed: nobody reads the events any more")

	errGoexit = errors.New("qed: a function ended its goroutine instead of returning")
)

// A NodeError is how a run of a graph failed.
type NodeError struct {
	Graph   string // the name of the graph that the node is of; empty for an item of [Each] outside of one
	Path    string // the node or branch, from the outermost graph inwards, such as "sql/execute"
	Attempt int    // from 1; 0 when the node itself did not fail
	Err     error
}

// Error says where it failed, and how.
func (e *NodeError) Error() string {
	var b strings.Builder
	b.WriteString("qed: ")
	if e.Graph != "" {
		b.WriteString("graph " + e.Graph + ", ")
	}
	b.WriteString("node " + e.Path)
	if e.Attempt > 1 {
		fmt.Fprintf(&b, ", attempt %d", e.Attempt)
	}
	return b.String() + ": " + e.Err.Error()
}

// Unwrap returns Err.
func (e *NodeError) Unwrap() error { return e.Err }

// A PanicError is a panic of a node, a branch, a tool or an agent.
type PanicError struct {
	Value any    // what it panicked with
	Stack []byte // the goroutine's, as [debug.Stack] prints it
}

// Error says what it panicked with, without the stack.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Unwrap returns Value when that is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// recoverInto makes a panic an error. It is to be deferred itself.
func recoverInto(err *error) {
	if v := recover(); v != nil {
		*err = &PanicError{v, debug.Stack()}
	}
}

// spoken returns err once its text could be read. An error that cannot say what it is, mostly a nil pointer, so panics where
// that is recovered, and not later, where it is told.
func spoken(err error) error {
	if err != nil {
		_ = err.Error()
	}
	return err
}

// isPanic reports whether err is a panic, or wraps one.
func isPanic(err error) bool {
	_, ok := errors.AsType[*PanicError](err)
	return ok
}

// cancelled returns nil, or an error that matches both ctx's error and its cause.
func cancelled(ctx context.Context) error {
	err := ctx.Err()
	if err == nil {
		return nil
	}
	cause := context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}

// withCause adds to err why ctx is done, if it is and err does not say so.
func withCause(ctx context.Context, err error) error {
	done := cancelled(ctx)
	if done == nil || errors.Is(err, ctx.Err()) && errors.Is(err, context.Cause(ctx)) {
		return err
	}
	return fmt.Errorf("%w: %w", done, err)
}

// isFinal reports whether err is that of a call which a further attempt would not make again.
func isFinal(err error) bool {
	call, ok := errors.AsType[*CallError](err)
	return ok && call.final
}

// codes has the codes of [Failed], the more telling before what can come with them.
var codes = []struct {
	err  error
	code string
}{
	{ErrBusy, "busy"}, {ErrWrongUser, "wrong_user"}, {store.ErrConflict, "conflict"}, {ErrQuestionClosed, "question_closed"}, {ErrInvalidReply, "invalid_reply"},
	{ErrUnresolved, "unresolved"}, {ErrGraphChanged, "graph_changed"}, {ErrNondeterministic, "nondeterministic"}, {ErrBudget, "budget"}, {store.ErrInvalidThread, "invalid_thread"},
	{store.ErrCorrupt, "corrupt"}, {ErrEmptyTurn, "empty_turn"}, {context.Canceled, "canceled"}, {context.DeadlineExceeded, "timeout"},
}

func codeOf(err error) string {
	for _, c := range codes {
		if errors.Is(err, c.err) {
			return c.code
		}
	}
	return ""
}
