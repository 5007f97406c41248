package qed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// An Agent answers one turn of a conversation.
//
// Run returns the events of the turn. The last one is [Completed], which has the
// answer, or [Failed], which comes together with a non-nil error. The sequence
// must be ranged over once, by one goroutine. Leaving the range cancels the turn
// and waits for it, so that nothing continues in the background.
//
// An Agent is safe for concurrent use: turns share nothing. Make one from a
// function with [AgentFunc], or from a [Graph] with [NewAgent].
type Agent interface {
	Run(ctx context.Context, turn Turn) iter.Seq2[Event, error]
}

// A Turn is one message of a user to an [Agent].
//
// Its JSON form is what a client may send: Thread, ID, Shown, Text, Language and Replies. It
// has no other fields, so decoding the body of a request never sets whose turn it
// is or what was said before. The host sets User, Tenant, Calendar and History.
type Turn struct {
	Thread string `json:"conversation_id,omitempty"` // the id of the conversation

	// ID is the client's id of the turn, with at most 256 bytes. In a [Durable]
	// agent, turns of a thread with the same ID are the same turn, in every process
	// that has the store: it is answered once, however often it is sent. Empty means
	// a new turn each time.
	ID string `json:"turn_id,omitempty"`

	// Shown are the ids of the messages of the user that the client shows, oldest
	// first. The last one is the id of this message. The conversation of a [Durable]
	// agent follows the client: if the thread has a turn with the id of this message,
	// which was edited or is to be answered again, this turn replaces that one and all
	// turns after it. It also replaces the turns after the newest earlier one of Shown,
	// which the client does not show. Replaced turns stay in the log, and are not part of
	// the conversation: neither [History] and [Messages] nor later turns see them. Empty
	// means that the turn follows the last one.
	Shown []string `json:"shown,omitempty"`

	// User is the id of the user, and Tenant that of the company. Access rights do
	// not follow from them: they come from the context of the run.
	User   string `json:"-"`
	Tenant string `json:"-"`

	Text string `json:"message"`

	// Language is the language of the texts that are written for the user, such
	// as "de" or "de-AT". Empty means the language of the user's messages. See
	// [WithTexts].
	Language string `json:"language,omitempty"`

	// Calendar has the time zone, the first day of the week and the fiscal year. If
	// it is nil, the turn has the calendar of the turn that it is part of, or else
	// that of [WithCalendar], or else the zero Calendar. A resumed run keeps the one
	// that it began with. See [Dates].
	Calendar *dates.Calendar `json:"-"`

	// Intent is how Text was understood when it ended open questions without
	// answering them: [question.IntentModification],
	// [question.IntentNewRequest] or [question.IntentAbort]. IntentReason says
	// why. [Durable] sets both.
	Intent       question.Intent `json:"-"`
	IntentReason string          `json:"-"`

	// Replies answer questions with which an earlier turn ended. Text is then what
	// the user said, for the conversation only. A turn without Text and Replies
	// resumes a run that stopped. See [Durable].
	Replies []question.Reply `json:"replies,omitempty"`

	// History has the messages before this one, oldest first. A durable run records
	// it: of the images and files that are in it, the newest with together at most
	// 1 MiB are kept, and older ones become notes such as [image]. Set [llm.Part.URL]
	// for more.
	History []llm.Message `json:"-"`
}

// WithMaxMessage returns an agent like a that accepts messages of at most the given
// number of bytes: the text of a turn and its replies together. Without it, every
// agent made with [AgentFunc] accepts 32 KiB, as all agents of this module are. The
// error of a longer message matches [ErrMessageTooLong]. Turns that agents give to
// each other are not limited. Make it the outermost agent, around [Durable].
func WithMaxMessage(a Agent, bytes int) Agent { return maxMessageAgent{a, bytes} }

type maxMessageAgent struct {
	agent Agent
	bytes int
}

func (a maxMessageAgent) Run(ctx context.Context, turn Turn) iter.Seq2[Event, error] {
	return a.agent.Run(context.WithValue(ctx, maxMessageKey{}, a.bytes), turn)
}

func (a maxMessageAgent) ask(ctx context.Context, turn Turn) (Answer, error) {
	return Ask(context.WithValue(ctx, maxMessageKey{}, a.bytes), a.agent, turn)
}

type maxMessageKey struct{}

// maxMessage is the default of [WithMaxMessage].
const maxMessage = 32 << 10

// checkMessage returns an error if the message of the turn of sc is too long.
func checkMessage(sc *scope) error {
	limit, ok := sc.Value(maxMessageKey{}).(int)
	if !ok {
		limit = maxMessage
	}
	n := len(sc.turn.Text) + lists.Sum(sc.turn.Replies, func(r question.Reply) int { return len(r.Value) })
	if n > limit {
		return fmt.Errorf("%w: it has %d bytes, and at most %d are allowed: see WithMaxMessage",
			ErrMessageTooLong, n, limit)
	}
	return nil
}

// AgentFunc is a function as an [Agent]. It emits events with [Emit]. Its panic
// becomes a [*PanicError].
type AgentFunc func(ctx context.Context, turn Turn) (Answer, error)

// Run calls f on another goroutine, and yields the events on the caller's.
func (f AgentFunc) Run(ctx context.Context, turn Turn) iter.Seq2[Event, error] {
	return stream(ctx, turn, f)
}

// Ask returns a's answer to the turn.
//
// In the run of another agent or graph, the events of a become events of that
// run, under the path of the node that asks. Elsewhere they are dropped.
func Ask(ctx context.Context, a Agent, turn Turn) (Answer, error) {
	if ours, ok := a.(interface {
		ask(context.Context, Turn) (Answer, error)
	}); ok {
		return ours.ask(ctx, turn)
	}
	return lastOf(ctx, a, turn)
}

// lastOf returns the answer of the agent's events, and passes the others on.
func lastOf(ctx context.Context, a Agent, turn Turn) (Answer, error) {
	sc := scopeOf(ctx)
	within := *sc.frame
	within.spending = new(spending)
	own := &scope{ctx, sc.path, &within, sc.place}
	defer func() { sc.spending.add(within.spending.total()) }()
	for event, err := range a.Run(own, turn) {
		if err != nil {
			return Answer{}, err
		}
		if done, ok := event.Data.(Completed); ok {
			own.raise(done.Answer.Usage)
			return done.Answer, nil
		}
		sc.forward(event)
	}
	return Answer{}, ErrNoAnswer
}

func (f AgentFunc) ask(ctx context.Context, turn Turn) (Answer, error) {
	sc := scopeOf(ctx)
	within := sc.agentScope(ctx, &turn, sc.events)
	defer func() { sc.spending.add(within.spending.total()) }()
	return answer(within, f)
}

// answer calls f with the turn of sc. A panic becomes an error.
func answer(sc *scope, f AgentFunc) (a Answer, err error) {
	defer recoverInto(&err)
	if sc.turn.outer {
		if err := checkMessage(sc); err != nil {
			return Answer{}, err
		}
	}
	if c := sc.turn.Calendar; c != nil {
		if err := c.Check(); err != nil {
			return Answer{}, fmt.Errorf("qed: Turn.Calendar: %w", err)
		}
	}
	a, err = f(sc, sc.turn.Turn)
	a.Usage = sc.raise(a.Usage)
	return a, spoken(err)
}

// AgentOptions are options of [NewAgent]. Nil and the zero value mean the defaults.
type AgentOptions[S any] struct {
	// OnError returns an answer for a run that failed, usually a partial one,
	// from the state and the error that [Runner.Run] returned. Nil means that the
	// turn fails with the error.
	//
	// It is not called if the context of the turn is done, or if the error matches
	// [ErrInterrupted], [ErrUnresolved] or [store.ErrConflict].
	OnError func(context.Context, S, error) (Answer, error)

	// RestartOnReply makes a turn with replies begin at the first node of the
	// graph, with the state at the end of the turn before. It is for a graph that
	// reads every message itself. Calls whose results such a turn needs again, the
	// questions above all, must then be made in a [WithNamespace]. Without it, such
	// a turn resumes in the node that asked.
	RestartOnReply bool
}

// NewAgent returns an agent that runs a graph: begin returns the first state of a
// turn, r runs the graph on it, and answer returns the answer from the last state.
// All of them must be safe for concurrent use.
//
// If the agent is [Durable], begin gets the state at the end of the thread's last
// turn; otherwise, and in the first turn, it gets the zero S. A turn that resumes
// a run continues from the saved state, without begin.
func NewAgent[S any](
	r *Runner[S],
	begin func(context.Context, S, Turn) (S, error),
	answer func(context.Context, S) (Answer, error),
	opt *AgentOptions[S],
) Agent {
	opt = cmp.Or(opt, &AgentOptions[S]{})
	o := *opt
	return AgentFunc(func(ctx context.Context, turn Turn) (Answer, error) {
		at := r.places(ctx, turn, o.RestartOnReply)
		s, err := r.first(at, begin)
		if err != nil {
			return Answer{}, err
		}
		s, err = r.Run(at.run, s)
		if err == nil {
			return answer(at.answer, s)
		}
		if o.OnError == nil || ctx.Err() != nil || errors.Is(err, ErrInterrupted) ||
			errors.Is(err, store.ErrConflict) || errors.Is(err, ErrUnresolved) {
			return Answer{}, err
		}
		return o.OnError(at.answer, s, err)
	})
}

// agentPlaces has the contexts of the parts of an agent. In a durable run each
// part has its own place, because begin is skipped when the run is resumed.
type agentPlaces struct {
	begin, run, answer context.Context
	state              string // the address of the graph's state
	turn               Turn   // for begin
}

// places returns the contexts of the parts of an agent. With restart, a graph that
// waits for the replies of the turn gets them in its turn. A graph within a larger run
// may not wait for them: it may not have begun, or be over.
func (r *Runner[S]) places(ctx context.Context, turn Turn, restart bool) agentPlaces {
	sc := scopeOf(ctx)
	if sc.place == nil {
		return agentPlaces{begin: ctx, run: ctx, answer: ctx, turn: turn}
	}
	p, j, name := sc.place, sc.place.log, escape(r.name)
	begin, end := p.child(":begin"), p.child(":answer")
	at := agentPlaces{run: ctx, state: p.peek(name), turn: turn}
	if restart && j.replied > 0 && (sc.turn.whole || r.waits(ctx, p.part(at.state))) {
		at.turn.Text, at.turn.Replies = j.message.Text, j.message.Replies
		again := p.again(name, j.replied)
		begin.since, end.since = j.replied, j.replied
		at.run = sc.enter(ctx, "", again)
	}
	at.begin, at.answer = sc.enter(ctx, "", begin), sc.enter(ctx, "", end)
	return at
}

// waits reports whether the graph at p asked one of the questions that the run got
// replies to: the question was asked below p, and the graph had not ended.
func (r *Runner[S]) waits(ctx context.Context, p *place) bool {
	if !p.log.repliedWithin(scopeOf(ctx).path) {
		return false
	}
	rec, err := p.stateBefore()
	if err != nil || rec == nil {
		return err != nil
	}
	var s S
	at, _, err := r.restore(rec, &s)
	if err != nil {
		return true // the graph returns the error when it resumes
	}
	next, _, err := r.next(at, &s)
	return err != nil || next != end
}

// first returns the state with which a turn begins. In a resumed run it is the
// zero S, because [Runner.Run] reads the saved one.
func (r *Runner[S]) first(
	at agentPlaces, begin func(context.Context, S, Turn) (S, error),
) (S, error) {
	var s S
	sc := scopeOf(at.run)
	if sc.place == nil {
		return begin(at.begin, s, at.turn)
	}
	saved, err := sc.place.part(at.state).state()
	if err != nil || saved != nil {
		return s, err
	}
	if s, err = r.earlier(sc.place.log, at.state, &scopeOf(at.begin).place.stateRun); err != nil {
		return s, err
	}
	return begin(at.begin, s, at.turn)
}
