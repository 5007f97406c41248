package qed

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/store"
)

var (
	// ErrMaxSteps is returned if a run visits more nodes than
	// [CompileOptions].MaxSteps.
	ErrMaxSteps = errors.New("qed: too many steps")

	// ErrNoAnswer is returned by [Ask] if the events of an agent end without
	// [Completed] and without an error.
	ErrNoAnswer = errors.New("qed: the agent ended without an answer")

	// ErrEmptyTurn is returned if a turn has no text. If its thread has no run to
	// resume, the error matches [ErrQuestionClosed] too.
	ErrEmptyTurn = errors.New("qed: the turn has no text")

	// ErrMessageTooLong is returned if the text of a turn and its replies together are
	// longer than the limit, which is 32 KiB. [WithMaxMessage] sets another one.
	ErrMessageTooLong = errors.New("qed: the message is too long")

	// ErrToolAbandoned is returned if a tool does not return within its time limit
	// and [RegistryOptions].Grace. The tool may still be running.
	ErrToolAbandoned = errors.New("qed: the tool did not return and was abandoned")

	// errReaderStopped is the cause of a run's context when the reader of its events has left.
	errReaderStopped = fmt.Errorf("qed: nobody reads the events of the run any more: %w", context.Canceled)

	errGoexit = errors.New("qed: a function ended its goroutine instead of returning")
)

// A NodeError is the error of a node of a graph.
type NodeError struct {
	Graph   string // the name of the node's graph; empty for an item of [Each] outside a graph
	Path    string // the node or branch, from the outermost graph inwards, such as "sql/execute"
	Attempt int    // from 1; 0 if the node did not run
	Err     error
}

// Error returns the graph, the path and the error.
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
	Value any    // the value of the panic
	Stack []byte // the stack of the goroutine: see [debug.Stack]
}

// Error returns the value of the panic, without the stack.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Unwrap returns Value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// recoverInto makes a panic an error. It must be deferred directly.
func recoverInto(err *error) {
	if v := recover(); v != nil {
		*err = &PanicError{Value: v, Stack: debug.Stack()}
	}
}

// spoken returns err after a call of its Error method. If that panics, as with a
// nil pointer, it does so here, where the panic is recovered.
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

// cancelled returns nil if ctx is not done, or else an error that matches the error
// of ctx and its cause.
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

// withCause adds the cause of ctx to err, if ctx is done and err does not match it.
func withCause(ctx context.Context, err error) error {
	done := cancelled(ctx)
	if done == nil || errors.Is(err, ctx.Err()) && errors.Is(err, context.Cause(ctx)) {
		return err
	}
	return fmt.Errorf("%w: %w", done, err)
}

// isFinal reports whether err is the error of a call that another attempt would not
// make again.
func isFinal(err error) bool {
	call, ok := errors.AsType[*CallError](err)
	return ok && call.final
}

// codes has the codes of [Failed]. An error that matches several gets the first.
var codes = []struct {
	err  error
	code string
}{
	{errTurnRunning, "turn_running"},
	{ErrBusy, "busy"},
	{ErrWrongUser, "wrong_user"},
	{store.ErrConflict, "conflict"},
	{errAnswered, "question_answered"},
	{ErrEmptyTurn, "empty_turn"},
	{ErrQuestionClosed, "question_closed"},
	{ErrTurnReused, "turn_reused"},
	{ErrTurnGivenUp, "turn_given_up"},
	{ErrInvalidTurnID, "invalid_turn_id"},
	{ErrInvalidReply, "invalid_reply"},
	{ErrUnresolved, "unresolved"},
	{ErrGraphChanged, "graph_changed"},
	{ErrNondeterministic, "nondeterministic"},
	{budget.ErrExceeded, "budget"},
	{llm.ErrRateLimit, "model_rate_limit"},
	{llm.ErrUnavailable, "model_unavailable"},
	{llm.ErrTruncated, "model_truncated"},
	{llm.ErrAuth, "model_auth"},
	{llm.ErrQuota, "model_quota"},
	{llm.ErrContextLength, "model_context_length"},
	{llm.ErrRefusal, "model_refusal"},
	{llm.ErrBadRequest, "model_bad_request"},
	{llm.ErrInvalidOutput, "model_invalid_output"},
	{llm.ErrProtocol, "model_protocol"},
	{store.ErrInvalidThread, "invalid_thread"},
	{store.ErrCorrupt, "corrupt"},
	{ErrMessageTooLong, "message_too_long"},
	{context.Canceled, "canceled"},
	{llm.ErrTimeout, "model_timeout"},
	{context.DeadlineExceeded, "timeout"},
}

func codeOf(err error) string {
	for _, c := range codes {
		if errors.Is(err, c.err) {
			return c.code
		}
	}
	return ""
}

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
