package qed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/internal/lru"
	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/internal/runlog"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// DurableOptions configure a [Durable] agent. Nil and zero fields mean the
// defaults.
type DurableOptions struct {
	// Memory selects the part of the conversation that the agent receives as
	// the History of its turns. Nil means the last 20 messages. A turn that
	// already has a History keeps it.
	Memory *Memory

	// ParseReplies parses the text of a turn that comes while questions are
	// open: it reports whether the text answers them, and how. Nil means
	// [question.Parser] without a model: a choice by its number, text or id, and
	// the words of an approval, are replies. Everything else is a new request.
	// See [DurableOptions.WithReplyModel].
	ParseReplies func(ctx context.Context, open []question.Question, text string) (question.Parsed, error)

	// MaxQuestions limits the questions of a run, including those that are
	// asked again. 0 means 10. A further [Interrupt] returns an error that
	// matches [ErrTooManyQuestions].
	MaxQuestions int

	// Lease is the time after which a run that records nothing is treated as
	// crashed, so that its thread accepts a turn again. A run records at least a
	// heartbeat every half of the lease. 0 means 30 seconds. The lease should be
	// long compared with the differences between the servers' clocks. It has no
	// effect on how long a run waits for the store: see [Durable].
	Lease time.Duration

	// KeepRuns is the number of most recent runs whose details are kept:
	// states, calls and questions, also those of a [WithNamespace]. Details are
	// needed to inspect, to fork, and to not repeat a call of an older run.
	// Messages, summaries, and values that were saved ([Save]) or remembered
	// are always kept. 0 keeps the details of all runs.
	KeepRuns int

	// HandlesAbort means that the agent itself answers a message that is read
	// as [question.IntentAbort]. Otherwise such a turn is answered without the
	// agent.
	HandlesAbort bool

	// CannotInterrupt is why the agent may not interrupt its runs with
	// questions: the text of the [ErrCannotInterrupt] that [Interrupt] returns.
	// Empty means that the agent may.
	CannotInterrupt string
}

func (o *DurableOptions) lease() time.Duration { return cmp.Or(max(o.Lease, 0), 30*time.Second) }

func (o *DurableOptions) maxQuestions() int { return cmp.Or(max(o.MaxQuestions, 0), 10) }

// WithReplyModel returns a copy of o in which ParseReplies, if it is nil, is
// [question.Parser] with model, whose tokens are spent of the budget. A nil o
// means the defaults.
func (o *DurableOptions) WithReplyModel(model llm.Model, s llm.Settings) *DurableOptions {
	own := option.Of(o)
	if own.ParseReplies == nil && model != nil {
		own.ParseReplies = question.Parser(DurableModel(model), s)
	}
	return &own
}

// Durable returns an agent whose conversations are saved in a store. Every
// [Turn] needs a Thread. If a turn has none, or st is nil, the turn is answered
// and nothing is saved.
//
// A turn with a Text begins a run. The run is recorded as it happens: the
// messages, the state of each graph after each node, the results of calls
// ([Step], [StepOnce], [DurableModel], the tools of a [Registry]), and
// questions to the user ([Interrupt]).
//
// A run that was interrupted, failed, was cancelled or whose process died can
// be resumed in any process that has the same agent and the same store: with a
// turn that has Replies, or with a turn that has neither Replies nor a Text.
// The same code then runs again, and recorded calls are not made again. A turn
// with a Text gives up an unfinished run and begins a new one. But if questions
// are open, [DurableOptions].ParseReplies first parses the Text, which may
// answer them. A text that does not answer an open approval leaves it open: the
// turn ends with the same questions, and [question.Question.Problem] says so.
//
//   - A turn that has the ID of an earlier turn of its thread is that turn. If it has
//     ended, the answer is the one that it got ([Answer].Repeated). If it has failed, or
//     its process has died, it is resumed. If it runs, the error is a [*BusyError] with
//     Repeated. The error matches [ErrTurnReused] if the Text or the Replies are others,
//     and [ErrTurnGivenUp] if a later turn began before it ended. An ID is saved with
//     its turn: a turn that could not be saved is not known.
//   - Replies that a thread has already are the turn that made them, with or without an
//     ID. Another reply to the same question is an [*AnsweredError].
//   - One turn runs on a thread at a time. Another one fails with [ErrBusy].
//   - The store decides how long a thread is kept. The stores of this module keep
//     it for ever, unless an option says otherwise.
//   - Each User of each Tenant has threads of their own, so two of them may use the
//     same id. [store.ForUser] returns the threads of one, for [Inspect], [History] and
//     the like.
//   - If the store fails during a run, the turn does not fail. The agent emits a
//     [Warning] and continues without recording, but refuses at-most-once calls
//     with [ErrNotRecorded]. The missing records are kept in memory, up to 8 MiB,
//     and appended with the end of the run if the store works again by then.
//     [Answer.Saved] reports whether a turn is saved. A turn that resumes a run
//     fails if the store fails before the run is resumed.
//   - The states of graphs and the results of calls that may be repeated are
//     saved in the background, within a few milliseconds if the store is not
//     busy. They are saved before an at-most-once call is made, before a
//     question is asked, before the run reads its thread, and before the turn
//     returns. If the process dies before they are saved, the resumed run does
//     that work again.
//   - An operation on the store may take 5 seconds, and a read 5 seconds for
//     each record. When the context of a turn is done and the agent a has
//     returned, the turn returns within 5 seconds, whatever the store does. When an
//     operation did not end in time, as with an SQLite file that another process has
//     locked, the others wait a second at most, until one succeeds. A
//     call of a store that ignores its context is abandoned: its goroutine lasts
//     until the store returns. While there are 16 such goroutines, the agent
//     does not call the store.
//   - If a record of a thread cannot be read ([store.ErrCorrupt]), a turn with a
//     Text emits a [Warning] and starts the thread again, without the earlier
//     messages. A turn that resumes a run fails.
//
// What the run spends is recorded as well, so the budgets of a turn's context
// ([budget.With]) count what the whole run really did, and count it once. When
// a run is resumed, they count what it spent before. A call that is found in
// the log is not counted again. The time of a budget is that of the turn. A run
// whose budget is used up continues when it is resumed with a higher limit. If
// a process died, it is not known what it spent after its last recorded call.
//
// Within a run of another durable agent, a is part of that run, and st is not
// used.
//
// The agents of this module have an option Store. Use it for them, because it passes
// on what they need; use Durable for agents of your own.
func Durable(a Agent, st store.Store, opt *DurableOptions) Agent {
	d := &durable{agent: a, store: st, opt: option.Of(opt)}
	if d.opt.ParseReplies == nil {
		d.opt.ParseReplies = question.Parser(nil, llm.Settings{})
	}
	d.unended = lru.New[threadName, unendedRun](maxUnended, d.opt.lease())
	return AgentFunc(d.answer)
}

type durable struct {
	agent   Agent
	store   store.Store
	opt     DurableOptions
	calls   runlog.Calls                       // of store
	unended *lru.Cache[threadName, unendedRun] // runs of this process whose end could not be recorded
}

var (
	// ErrBusy reports that a turn is running on the thread. The error is a
	// [*BusyError].
	ErrBusy = errors.New("qed: a turn is running on the thread")

	// ErrWrongUser reports that the records of the thread name another user, or that
	// the User or the Tenant of the turn cannot be an id: it is not valid UTF-8, or
	// longer than [store.Header] allows.
	ErrWrongUser = errors.New("qed: the thread belongs to another user")

	// ErrQuestionClosed reports that a reply answers no open question, or that
	// there is no run to resume.
	ErrQuestionClosed = errors.New("qed: there is no open question")

	// ErrInvalidReply reports a reply that is not JSON, or is the second one to a
	// question.
	ErrInvalidReply = errors.New("qed: the reply cannot be used")

	// ErrNotRecorded reports that an at-most-once call was refused because the
	// store fails: the call could not be recorded.
	ErrNotRecorded = errors.New("qed: the call was refused because it cannot be recorded")
)

// A BusyError is the error of a turn on a thread where another turn is running. It
// matches [ErrBusy].
type BusyError struct {
	Thread string

	// RetryAt is when another process can resume the run if its process has died:
	// when its lease ends. A run that is alive extends its lease, and usually ends
	// earlier.
	RetryAt time.Time

	// Repeated says that the running turn is the one that was sent: send it again
	// later to get its answer. See [Turn].ID.
	Repeated bool
}

// Error returns the thread and RetryAt.
func (e *BusyError) Error() string {
	running := ErrBusy
	if e.Repeated {
		running = errTurnRunning
	}
	return fmt.Sprintf("%v: %s; if its process died, another process can resume it at %s",
		running, e.Thread, e.RetryAt.Format(time.RFC3339))
}

// Is reports whether target is [ErrBusy].
func (e *BusyError) Is(target error) bool {
	return target == ErrBusy || e.Repeated && target == errTurnRunning
}

// answer checks a turn and takes it.
func (d *durable) answer(ctx context.Context, turn Turn) (Answer, error) {
	sc := scopeOf(ctx)
	if sc.place != nil || turn.Thread == "" || d.store == nil {
		if sc.place == nil && turn.ID != "" {
			return Answer{}, fmt.Errorf("%w: it needs a Thread and a store, in which it is found again", ErrInvalidTurnID)
		}
		return Ask(ctx, d.agent, turn)
	}
	if err := store.CheckConversation(turn.Thread); err != nil {
		return Answer{}, err
	}
	if err := cmp.Or(checkTurnID(turn.ID), checkTurnID(messageID(turn))); err != nil {
		return Answer{}, err
	}
	if !utf8.ValidString(turn.User) || !utf8.ValidString(turn.Tenant) {
		return Answer{}, fmt.Errorf("%w: the id of the user or the tenant is not valid UTF-8", ErrWrongUser)
	}
	if err := store.CheckHeader(&store.Header{User: turn.User, Tenant: turn.Tenant}); err != nil {
		return Answer{}, fmt.Errorf("%w: %w", ErrWrongUser, err)
	}
	turn.Intent, turn.IntentReason = "", ""
	turn.Text = asInJSON(turn.Text) // a resumed run has to see the same text
	a, err := d.take(ctx, sc, turn, nil)
	if errors.Is(err, errChanged) {
		a, err = d.take(ctx, sc, turn, err)
	}
	return a, err
}

// errChanged reports that something else appended to the thread, or deleted it,
// since the turn read it.
var errChanged = errors.New("the thread changed")

// take takes a turn: it begins or resumes a run, calls the agent, and records how
// the run ended. before is nil, or why the turn did not begin before: it then
// begins only if the store deleted the thread meanwhile, or if it is found whether
// the turn that came first is the same.
func (d *durable) take(ctx context.Context, sc *scope, turn Turn, before error) (Answer, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	rs := newRunState(ctx, store.ForUser(d.store, turn.Tenant, turn.User), turn.Thread, &d.opt, &d.calls)
	thread := threadName{turn.Tenant, turn.User, turn.Thread}
	rs.cancel, rs.events, rs.message = cancel, sc, turn
	defer rs.log.Start()()
	if before != nil && !isRepeatable(&turn) {
		if last, err := rs.newest(store.Range{Limit: 1}); err != nil || last.Seq != 0 {
			return Answer{}, before
		}
	}
	unended, _ := d.unended.Get(thread)
	err := rs.begin(turn, unended)
	switch {
	case err != nil && !rs.begun:
		return Answer{}, err
	case rs.repeated != nil:
		return *rs.repeated, nil
	}
	defer func() {
		if lost := rs.log.Err(); rs.run > 0 && lost != nil && !errors.Is(lost, store.ErrConflict) {
			d.unended.Add(thread, rs.unended())
		}
	}()
	rs.spending.add(rs.spent.Usage)
	ctx, rs.meter = budget.WithRun(ctx, rs.key+" "+rs.thread, rs.spent.limits()) // a fork has the key of its original
	switch {
	case err != nil:
		return rs.finish(Answer{}, err)
	case rs.dropped:
		return rs.finish(Answer{Text: textTable.In(ctx, languageOf(rs.turn)).Aborted}, nil)
	}
	return d.run(ctx, sc, rs)
}

// run calls the agent, and records how the run ended.
func (d *durable) run(ctx context.Context, sc *scope, rs *runState) (Answer, error) {
	returned := false
	defer func() {
		if !returned { // the agent called runtime.Goexit
			rs.finish(Answer{}, errGoexit)
		}
	}()
	root := &place{log: rs, attempt: 1, cannotInterrupt: d.opt.CannotInterrupt, cannotApprove: d.opt.CannotInterrupt}
	top := *sc.frame
	top.whole = true
	a, err := Ask(&scope{ctx, sc.path, &top, root}, d.agent, rs.turn)
	returned = true
	return rs.finish(a, root.settle(err))
}
