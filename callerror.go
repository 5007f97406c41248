package qed

import (
	"errors"
	"time"

	"github.com/qedkit/qed/llm"
)

// A CallError is a failed call of a durable run. It is the same when the call fails and when the run goes on later.
type CallError struct {
	Name    string // the call's
	Message string
	Err     error // an [*llm.Error] where a model failed, [ErrCannotInterrupt] where nobody can be asked, else nil

	address string
	final   bool // to make the call again is no use
}

// Error says which call failed, and how.
func (e *CallError) Error() string { return e.Name + ": " + e.Message }

// Unwrap returns Err.
func (e *CallError) Unwrap() error { return e.Err }

// SafeToRetry wraps the error of a call that failed before it did anything, such as a connection that was refused: what [StepOnce] and a tool that
// must not be repeated return it for may be tried again, by the node's next attempt or in a turn that goes on.
func SafeToRetry(err error) error {
	if err == nil {
		return nil
	}
	return &notDoneError{err}
}

type notDoneError struct{ error }

func (e *notDoneError) Unwrap() error { return e.error }

// An unmarked error is one without its mark of [SafeToRetry]: that was about a call, and is not about those around it.
type unmarked struct{ error }

func (e unmarked) Is(target error) bool { return errors.Is(e.error, target) }

func (e unmarked) As(target any) bool {
	if _, mark := target.(**notDoneError); mark {
		return false
	}
	return errors.As(e.error, target)
}

// A failure is the error of a call.
type failure struct {
	Message string        `json:"message"`
	NoAsker bool          `json:"no_asker,omitempty"` // it asked where nobody can be asked
	Model   *modelFailure `json:"model,omitempty"`    // where a model failed
}

// A modelFailure is an [llm.Error] that can be kept.
type modelFailure struct {
	Kind     llm.ErrorKind `json:"kind"`
	Provider string        `json:"provider,omitempty"`
	Status   int           `json:"status,omitempty"`
	Message  string        `json:"message,omitempty"`
	Partial  *llm.Response `json:"partial,omitempty"`
	Wait     time.Duration `json:"wait,omitempty"` // RetryAfter, in nanoseconds
}

// failureOf makes of err what can be kept of it.
func failureOf(err error) *failure {
	f := &failure{Message: err.Error(), NoAsker: errors.Is(err, ErrCannotInterrupt)}
	if e, ok := errors.AsType[*llm.Error](err); ok {
		f.Model = &modelFailure{e.Kind, e.Provider, e.Status, e.Message, e.Partial, e.RetryAfter}
	}
	return f
}

// callError makes of f the error that the call returns, when it failed and ever after.
func (f *failure) callError(name, address string, final bool) *CallError {
	e := &CallError{Name: name, Message: f.Message, address: address, final: final}
	if f.NoAsker {
		e.Err = ErrCannotInterrupt
	}
	if m := f.Model; m != nil {
		e.Err = &llm.Error{Kind: m.Kind, Provider: m.Provider, Status: m.Status, Message: m.Message, Partial: m.Partial, RetryAfter: m.Wait}
	}
	return e
}
