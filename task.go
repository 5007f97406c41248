package qed

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"

	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
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

	// NoInterrupt is why the task may not interrupt the run. Empty means that it
	// may. The approval of a tool's call ([RegistryOptions]) is asked for in
	// either case.
	NoInterrupt string

	// Intermediate says that the text of the task is not the text of the answer:
	// a [Token] of [ChannelFinal] becomes one of [ChannelTool].
	Intermediate bool
}

// maxProblem is how many bytes of an error a TaskFinished has.
const maxProblem = 2000

// RunTask runs do as a task of a plan. It emits [TaskStarted] and
// [TaskFinished], records the calls of do in the task's namespace, and contains
// an interruption: if do interrupts the run, RunTask returns an [*Interruption]
// and the caller can run other tasks, and end the turn with [AwaitReplies]. do
// returns the number of rows that it found.
//
// The other errors are those of do. [EndsTurn] reports which of them are not the
// task's own.
func RunTask(ctx context.Context, t Task, do func(context.Context) (rows int, err error)) error {
	sc := scopeOf(ctx)
	own := sc.enter(ctx, t.Key, nil)
	if sc.place != nil {
		if t.Namespace != "" {
			own.place = sc.place.scoped(t.Namespace)
		} else {
			own.place = sc.place.child(escape(t.Key))
		}
		own.place.branch = true
		own.place.approvals = sc.place.mute
		if t.NoInterrupt != "" {
			own.place.mute = t.NoInterrupt
		}
	}
	frame := *own.frame
	own.frame = &frame
	if !t.Began.IsZero() {
		frame.now = t.Began
	}
	frame.nested = t.Intermediate || frame.nested
	frame.task = &t

	began := time.Now()
	Emit(own, TaskStarted{Key: t.Key, Description: t.Description})
	rows, err := runTask(own, do)
	finished := TaskFinished{Key: t.Key, Millis: time.Since(began).Milliseconds()}
	var interrupted *Interruption
	switch {
	case err == nil:
		finished.Rows = rows
	case errors.Is(err, ErrInterrupted) && own.place != nil && own.place.questions() != nil:
		interrupted = &Interruption{Questions: own.place.questions()}
		finished.Interrupted = true
		err = interrupted
	case EndsTurn(own, err):
		return err
	default:
		finished.Error = prompt.Clip(err.Error(), maxProblem)
	}
	Emit(own, finished)
	return err
}

func runTask(sc *scope, do func(context.Context) (int, error)) (rows int, err error) {
	defer recoverInto(&err)
	rows, err = do(sc)
	if sc.place != nil {
		err = sc.place.settle(err)
	}
	return rows, spoken(err)
}

// EndsTurn reports whether an error ends the turn, and not only the task or the
// call that returned it: ctx is done, or the budget of ctx is used up.
func EndsTurn(ctx context.Context, err error) bool {
	return ctx.Err() != nil || budget.Exceeded(ctx, err)
}

// An Interruption is the error of a task that interrupted the run. It matches
// [ErrInterrupted].
type Interruption struct {
	Questions []question.Question
}

// Error returns the questions.
func (e *Interruption) Error() string {
	texts := make([]string, len(e.Questions))
	for i, q := range e.Questions {
		texts[i] = q.String()
	}
	return strings.Join(texts, "\n")
}

// Is reports whether target is [ErrInterrupted].
func (e *Interruption) Is(target error) bool { return target == ErrInterrupted }

// AwaitReplies interrupts the run if one of the given namespaces has questions
// without a reply. It then returns an error that matches [ErrInterrupted], which
// the caller must return; otherwise it returns nil. The namespaces are those of
// [Task], relative to ctx.
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

// AtMostOnceCalls reports whether an at-most-once call was begun in the
// namespace of ctx, in this turn or an earlier one of the thread. A call that
// interrupted the run before it did its work does not count. complete is false
// if older calls may have been removed from the thread
// ([DurableOptions].KeepRuns).
func AtMostOnceCalls(ctx context.Context) (begun, complete bool, err error) {
	place := scopeOf(ctx).place
	if place == nil {
		return false, true, nil
	}
	j := place.log
	j.mu.Lock()
	defer j.mu.Unlock()
	open := map[string]bool{}
	r := store.Range{From: j.floor + 1, Kinds: []store.Kind{store.Called, store.Returned}, Under: place.here()}
	err = j.scan(r, func(rec store.Record) error {
		var returned returnedData
		switch {
		case rec.Kind == store.Called:
			open[rec.Address] = true
		case rec.Decode(&returned) == nil && returned.Stopped:
			delete(open, rec.Address)
		}
		return nil
	})
	return len(open) > 0, j.opt.KeepRuns <= 0, err
}

// NewID returns an identifier that no other call of NewID returns. In a durable
// run the same call returns the same one when the run is resumed.
func NewID(ctx context.Context) string {
	if place := scopeOf(ctx).place; place != nil {
		return place.child(":id").id("i")
	}
	return rand.Text()
}

// GaveUp reports whether the user ended a question of the thread with
// [IntentAbort] since the run that recorded the state with which the turn
// begins. It is for the begin function of [NewAgent]: a planner drops the plan of
// that state then. An agent around it may have answered the abort, so the planner
// itself did not see it.
func GaveUp(ctx context.Context) bool {
	place := scopeOf(ctx).place
	if place == nil || place.stateRun == 0 {
		return false
	}
	j := place.log
	j.mu.Lock()
	defer j.mu.Unlock()
	gaveUp := false
	r := store.Range{From: place.stateRun + 1, To: j.run - 1, Kinds: []store.Kind{store.Began}}
	if r.From > r.To {
		return false
	}
	// A run that cannot be read is treated as one that gave up nothing.
	_ = j.scan(r, func(rec store.Record) error {
		gaveUp = gaveUp || aborted(&rec)
		return nil
	})
	return gaveUp
}

// A RunInfo is what a context is part of.
type RunInfo struct {
	Turn      Turn      // the turn that is being answered; zero outside an agent
	Durable   bool      // the calls are recorded: see [Durable]
	Nested    bool      // the context is in a [Tool] with Nested, or in an intermediate [Task]
	Namespace string    // the namespace and the branches that contain the context; empty outside of them
	Usage     llm.Usage // what the models of the durable run cost so far
}

// Info returns what ctx is part of.
func Info(ctx context.Context) RunInfo {
	sc := scopeOf(ctx)
	info := RunInfo{Nested: sc.nested}
	if sc.turn != nil {
		info.Turn = sc.turn.Turn
	}
	p := sc.place
	if p == nil {
		return info
	}
	info.Durable = true
	switch {
	case p.scope != nil:
		info.Namespace = p.scope.address
	case p.besideOthers():
		info.Namespace = sc.path
	}
	p.log.mu.Lock()
	defer p.log.mu.Unlock()
	info.Usage = p.log.usage
	return info
}
