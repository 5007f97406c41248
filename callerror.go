package qed

import (
	"errors"
	"time"

	"github.com/qedkit/qed/llm"
)

// A CallError is the error of a recorded call of a durable run. A resumed run gets
// an equal error.
type CallError struct {
	Name    string // the call's
	Message string
	Err     error // an [*llm.Error] if a model failed, [ErrCannotInterrupt], or nil

	address string
	final   bool // the call must not be made again
}

// Error returns the name of the call and its message.
func (e *CallError) Error() string { return e.Name + ": " + e.Message }

// Unwrap returns Err.
func (e *CallError) Unwrap() error { return e.Err }

// SafeToRetry marks the error of a call that failed before it had any effect, such
// as a refused connection. An at-most-once call that returns it, by [StepOnce] or
// as a tool, may be made again by the node's next attempt or by a resumed run.
func SafeToRetry(err error) error {
	if err == nil {
		return nil
	}
	return &notDoneError{err}
}

type notDoneError struct{ error }

func (e *notDoneError) Unwrap() error { return e.error }

// An unmarked error hides the mark of [SafeToRetry]. The mark is about one call,
// not about the calls around it.
type unmarked struct{ error }

func (e unmarked) Is(target error) bool { return errors.Is(e.error, target) }

func (e unmarked) As(target any) bool {
	if _, mark := target.(**notDoneError); mark {
		return false
	}
	return errors.As(e.error, target)
}

// A failure is the error of a call as it is recorded.
type failure struct {
	Message string        `json:"message"`
	NoAsker bool          `json:"no_asker,omitempty"` // it matches ErrCannotInterrupt
	Model   *modelFailure `json:"model,omitempty"`    // set if a model failed
}

// A modelFailure is an [llm.Error] as it is recorded.
type modelFailure struct {
	Kind     llm.ErrorKind `json:"kind"`
	Provider string        `json:"provider,omitempty"`
	Status   int           `json:"status,omitempty"`
	Message  string        `json:"message,omitempty"`
	Partial  *llm.Response `json:"partial,omitempty"`
	Wait     time.Duration `json:"wait,omitempty"` // RetryAfter, in nanoseconds
}

func failureOf(err error) *failure {
	f := &failure{Message: err.Error(), NoAsker: errors.Is(err, ErrCannotInterrupt)}
	if e, ok := errors.AsType[*llm.Error](err); ok {
		f.Model = &modelFailure{
			Kind: e.Kind, Provider: e.Provider, Status: e.Status, Message: e.Message,
			Partial: e.Partial, Wait: e.RetryAfter,
		}
	}
	return f
}

// callError returns f as the error of its call.
func (f *failure) callError(name, address string, final bool) *CallError {
	e := &CallError{Name: name, Message: f.Message, address: address, final: final}
	if f.NoAsker {
		e.Err = ErrCannotInterrupt
	}
	if m := f.Model; m != nil {
		e.Err = &llm.Error{
			Kind: m.Kind, Provider: m.Provider, Status: m.Status, Message: m.Message,
			Partial: m.Partial, RetryAfter: m.Wait,
		}
	}
	return e
}
