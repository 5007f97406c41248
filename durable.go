package qed

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/store"
)

// DurableOptions say how conversations are kept. Nil and zero fields mean the defaults.
type DurableOptions struct {
	// Memory says what the agent is told of the conversation, as the History of its turns. Nil means the last 20 messages.
	// A turn that comes with a History keeps it.
	Memory *Memory

	// Replies reads a message that comes while questions are open: whether it answers them, and how. Nil means [ParseReplies]
	// without a model: an option by its number, text or id, and the words of an approval, answer; all else is a new request.
	ParseReplies func(ctx context.Context, open []Question, turn Turn) (ParsedReplies, error)

	// MaxQuestions is how many questions a run may ask, those that are asked again included. 0 means 10.
	MaxQuestions int

	// Lease is after which time without a sign of life a run counts as crashed, so that its thread takes a turn again.
	// A run gives one every third of it. 0 means 30 seconds. It should be long beside the differences of the servers' clocks.
	Lease time.Duration

	// KeepRuns is of how many runs a thread keeps the details, which are needed to look back or to fork, but not to go on: states, calls and
	// questions. Those in a [WithNamespace] too: what it did in an older run may be done again. Of older runs the messages, the summaries and what was kept ([Save]) or remembered stay. 0 means of all.
	KeepRuns int

	// KeptBytes limits the JSON of what [Save] keeps at a time. 0 means 1 MiB.
	MaxSavedBytes int

	// HandlesAbort says that the agent itself answers a message that is read as
	// [IntentAbort]. Otherwise such a turn is answered without the agent.
	HandlesAbort bool

	// NoInterrupt is why the agent may not interrupt its runs with questions.
	// Empty means that it may.
	NoInterrupt string
}

func (o *DurableOptions) lease() time.Duration {
	if o.Lease <= 0 {
		return 30 * time.Second
	}
	return o.Lease
}

// ReadingBy returns a copy of o whose Replies, where they are nil, are [ParseReplies] with model. A nil o means the defaults.
func (o *DurableOptions) WithReplyModel(model llm.Model, s llm.Settings) *DurableOptions {
	var own DurableOptions
	if o != nil {
		own = *o
	}
	if own.ParseReplies == nil {
		own.ParseReplies = ParseReplies(model, s)
	}
	return &own
}

// Durable makes an agent whose conversations are kept in store. Every [Turn] needs a Thread; one without is answered, and
// nothing of it is kept, nor of any where store is nil.
//
// A turn with a Text begins a run. What the run does is recorded as it happens: what was said, the state of each graph after
// each node, what calls returned ([Step], [StepOnce], [DurableModel], a [Registry]'s tools), what the user was asked ([Interrupt]). When
// the run stops before it is over, because it asked, failed, was cancelled, or its process died, it can go on, in any process
// with the same agent and the same store: with a turn that has Replies, or, with neither Replies nor a Text, just so. Then the same
// code runs again, and what is recorded is not done again. A turn with a Text gives up a run that stopped, and begins a new one.
//
// One turn runs on a thread at a time: another is refused with [ErrBusy]. A thread belongs to the User and the Company of its
// first turn: others are refused with [ErrWrongUser].
//
// A store that fails does not fail the turn: it tells [SaveFailed], and goes on without being kept, but then refuses what must not be
// done twice ([ErrNotRecorded]). [Answer.Saved] says that a turn is kept. A thread that cannot be read is begun afresh, which [StateDiscarded] tells.
//
// Within a run of another durable agent, a is part of that run, and store is not used.
func Durable(a Agent, st store.Store, opt *DurableOptions) Agent {
	d := &durable{agent: a, store: st}
	if opt != nil {
		d.opt = *opt
	}
	if d.opt.ParseReplies == nil {
		d.opt.ParseReplies = ParseReplies(nil, llm.Settings{})
	}
	return AgentFunc(d.answer)
}

type durable struct {
	agent Agent
	store store.Store
	opt   DurableOptions

	// dangling has, by thread, the runs of this process whose end could not be recorded: nobody runs them.
	dangling sync.Map
}

// A deadRun is one of which this process knows that nobody runs it, as long as its log ends where it left it.
type deadRun struct {
	run  int64
	head int64 // the last record that is known to be there
	most int64 // the last that may be
}

var (
	// ErrBusy says that a turn is running on the thread.
	ErrBusy = errors.New("qed: a turn is running on the thread")

	// ErrWrongUser says that the thread is another user's.
	ErrWrongUser = errors.New("qed: the thread is another user's")

	// ErrQuestionClosed says that a reply answers no open question, or that there is no run to go on with.
	ErrQuestionClosed = errors.New("qed: nothing is open")

	// ErrInvalidReply says that a reply cannot be one: it is no JSON, too large, or the second to a question.
	ErrInvalidReply = errors.New("qed: the reply cannot be used")

	// ErrNotRecorded says that a call was refused because it must not be made twice and the store, which would tell, fails.
	ErrNotRecorded = errors.New("qed: refused, as it cannot be recorded")
)

func (d *durable) answer(ctx context.Context, turn Turn) (Answer, error) {
	sc := scopeOf(ctx)
	if sc.place != nil || turn.Thread == "" || d.store == nil {
		return Ask(ctx, d.agent, turn)
	}
	if err := store.CheckThread(turn.Thread); err != nil {
		return Answer{}, err
	}
	if !utf8.ValidString(turn.User) || !utf8.ValidString(turn.Tenant) {
		return Answer{}, fmt.Errorf("%w: the id of a user or a company is not valid UTF-8, so it cannot be told from others", ErrWrongUser)
	}
	turn.Intent, turn.IntentReason = "", ""
	turn.Text = asInJSON(turn.Text) // as it will be when the run goes on
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	j := newJournal(ctx, d.store, turn.Thread, &d.opt)
	j.cancel, j.tell, j.message = cancel, sc, turn
	if run, ok := d.dangling.LoadAndDelete(turn.Thread); ok {
		j.dead = run.(deadRun)
	}
	writing, stopWriting := context.WithCancel(context.WithoutCancel(ctx))
	reading, stopReading := context.WithCancel(ctx)
	j.writing, j.reading = writing, reading
	j.abort = func() { stopWriting(); stopReading() }
	defer j.abort()
	defer j.guard()()
	dropped, err := j.begin(turn)
	switch {
	case err != nil:
		return Answer{}, err
	case dropped:
		return j.finish(Answer{Text: "All right."}, nil)
	}
	root, top := &place{log: j, attempt: 1, mute: d.opt.NoInterrupt, approvals: d.opt.NoInterrupt}, *sc.frame
	top.whole = true
	a, err := Ask(&scope{ctx, sc.path, &top, root}, d.agent, j.turn)
	a, err = j.finish(a, root.settle(err))
	if j.run > 0 && j.lost != nil && !errors.Is(j.lost, store.ErrConflict) {
		d.dangling.Store(turn.Thread, deadRun{j.run, j.head, j.head + int64(len(j.unsure))})
	}
	return a, err
}
