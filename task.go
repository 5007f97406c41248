package qed

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
)

// A Task is a piece of a plan that [RunTask] runs.
type Task struct {
	Key         string // names the task in its plan, and in the path of its events
	Description string

	// Namespace is where the calls of the task are recorded: see
	// [WithNamespace]. A task that runs again in the same namespace finds them.
	// Empty means the namespace around it.
	Namespace string

	// Began is what [Now] returns in the task. Zero means the time of the run.
	Began time.Time

	// CannotInterrupt is why the task may not interrupt the run: the text of the
	// [ErrCannotInterrupt] that [Interrupt] returns. Empty means that it may. The
	// approval of a tool's call ([RegistryOptions]) is asked for in either case.
	CannotInterrupt string

	// Intermediate says that the text of the task is not the text of the
	// answer: a [Token] of [ChannelFinal] becomes one of [ChannelTool].
	Intermediate bool
}

// maxProblem is how many bytes of an error a TaskFinished has.
const maxProblem = 2000

// RunTask runs do as a task of a plan: it emits [TaskStarted] and
// [TaskFinished], and records the calls of do in the task's namespace. do
// returns the number of rows that it found.
//
// If the task fails or interrupts the run, the outcome says so, and the caller
// can run other tasks. After the last task, the caller calls [AwaitReplies],
// which ends the turn if there are questions. RunTask returns an
// error only if the turn must end, because ctx is done or its budget is used
// up.
func RunTask(
	ctx context.Context, t Task, do func(context.Context) (rows int, err error),
) (TaskOutcome, error) {
	sc := scopeOf(ctx)
	own := sc.enter(ctx, t.Key, nil)
	if sc.place != nil {
		if t.Namespace != "" {
			own.place = sc.place.scoped(t.Namespace)
		} else {
			own.place = sc.place.child(escape(t.Key))
		}
		own.place.branch = true
		own.place.cannotApprove = sc.place.cannotInterrupt
		if t.CannotInterrupt != "" {
			own.place.cannotInterrupt = t.CannotInterrupt
		}
	}
	frame := *own.frame
	own.frame = &frame
	if !t.Began.IsZero() {
		frame.now = t.Began
	}
	frame.nested, frame.spending = t.Intermediate || frame.nested, new(spending)
	frame.task = &t

	began := time.Now()
	Emit(own, TaskStarted{Key: t.Key, Description: t.Description})
	rows := 0
	err := own.invoke(func(ctx context.Context) (err error) {
		rows, err = do(ctx)
		return err
	})
	finished := TaskFinished{Key: t.Key, Millis: time.Since(began).Milliseconds()}

	outcome := TaskOutcome{Usage: frame.spending.total()}
	sc.spending.add(outcome.Usage)
	if errors.Is(err, ErrInterrupted) && own.place != nil {
		outcome.Questions = own.place.questions()
	}
	switch {
	case err == nil:
		finished.Rows = rows
	case outcome.Questions != nil:
		finished.Interrupted = true
	case own.Err() != nil || budget.Exceeded(own, err):
		return outcome, err
	default:
		outcome.Err = err
		finished.Error = prompt.Clip(err.Error(), maxProblem)
	}
	Emit(own, finished)
	return outcome, nil
}

// A TaskOutcome is how a task ended: it completed if there are neither an error nor questions.
type TaskOutcome struct {
	Err       error               // why the task failed
	Questions []question.Question // with which the task interrupted the run
	Usage     llm.Usage           // of the models of the task
}

// AwaitReplies interrupts the run if one of the given namespaces has questions
// without a reply. It does not block: it returns an error that matches
// [ErrInterrupted], which the caller must return, or nil if there is no such
// question. The namespaces are those of [Task], relative to ctx.
func AwaitReplies(ctx context.Context, namespaces ...string) error {
	place := scopeOf(ctx).place
	if place == nil {
		return nil
	}
	open := false
	for _, name := range namespaces {
		open = place.scoped(name).await() || open
	}
	if !open {
		return nil
	}
	place.ask()
	return ErrInterrupted
}

// await makes the run wait for the questions at p or below. It reports whether
// there are any.
func (p *place) await() bool {
	p.log.mu.Lock()
	defer p.log.mu.Unlock()
	found := false
	for i := range p.log.open {
		if q := &p.log.open[i]; strings.HasPrefix(q.address, p.address+"/") {
			q.hit, found = true, true
		}
	}
	return found
}

// questions returns those at p or below that the run waits for.
func (p *place) questions() []question.Question {
	p.log.mu.Lock()
	defer p.log.mu.Unlock()
	var open []question.Question
	for _, q := range p.log.open {
		if q.hit && strings.HasPrefix(q.address, p.address+"/") {
			open = append(open, q.Question)
		}
	}
	return open
}
