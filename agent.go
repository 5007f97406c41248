package qed

import (
	"context"
	"errors"
	"iter"

	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/store"
)

// An Agent answers one turn of a conversation.
//
// Run gives what happens on the way. The sequence ends after [Completed], which has the answer, or with an error,
// and nothing follows either; the event beside an error is [Failed]. It is to be ranged over once, by one goroutine.
// Leaving the range cancels the turn and waits for it, so nothing of it goes on in the background.
//
// An Agent is safe for concurrent use: every turn stands alone. Write one as an [AgentFunc], or as a [Graph] with [NewAgent].
type Agent interface {
	Run(ctx context.Context, turn Turn) iter.Seq2[Event, error]
}

// A Turn is one message of a user, and who sent it.
type Turn struct {
	Thread string `json:"conversation_id,omitempty"` // the conversation's id
	User   string `json:"user_id,omitempty"`         // who asks; what he may see is not told by it, but by the context of a run
	Tenant string `json:"company_id,omitempty"`      // likewise
	Text   string `json:"message"`

	// Intent is how Text was understood when it ended open questions without
	// answering them: [IntentModification], [IntentNewRequest] or [IntentAbort].
	// IntentReason says why. [Durable] sets both.
	Intent       Intent `json:"intent,omitempty"`
	IntentReason string `json:"intent_reason,omitempty"`

	// Replies answer questions that an earlier turn ended with; Text is then only what the user said, for the conversation. With neither Text nor
	// Replies a turn goes on with a run that stopped. See [Durable].
	Replies []Reply `json:"replies,omitempty"`

	// History is what was said before, oldest first.
	History []llm.Message `json:"history,omitempty"`
}

// AgentFunc is a function as an [Agent]. It tells what it does with [Emit], and its panic becomes a [*PanicError].
type AgentFunc func(ctx context.Context, turn Turn) (Answer, error)

// Run runs the turn on a goroutine of its own, and yields on the caller's alone.
func (f AgentFunc) Run(ctx context.Context, turn Turn) iter.Seq2[Event, error] {
	return stream(ctx, turn, f)
}

// Ask waits for a's answer.
//
// Within the run of another agent or graph, what a tells is told there, under the path of the node that asks.
// Elsewhere nobody listens, and a Token costs next to nothing.
func Ask(ctx context.Context, a Agent, turn Turn) (Answer, error) {
	if ours, ok := a.(interface {
		ask(context.Context, Turn) (Answer, error)
	}); ok {
		return ours.ask(ctx, turn)
	}
	sc := scopeOf(ctx)
	for event, err := range a.Run(ctx, turn) {
		if err != nil {
			return Answer{}, err
		}
		if done, ok := event.Data.(Completed); ok {
			return done.Answer, nil
		}
		sc.forward(event)
	}
	return Answer{}, ErrNoAnswer
}

func (f AgentFunc) ask(ctx context.Context, turn Turn) (Answer, error) {
	return answer(scopeOf(ctx).asked(ctx, turn), f)
}

// answer has f answer the turn of sc.
func answer(sc *scope, f AgentFunc) (a Answer, err error) {
	defer recoverInto(&err)
	a, err = f(sc, sc.turn.Turn)
	return a, spoken(err)
}

// AgentOptions say how a graph is an agent. Nil and the zero value mean the defaults.
type AgentOptions[S any] struct {
	// OnError makes an answer of a run that failed, mostly a partial one, from the state that [Runner.Run] returned and the
	// error. Nil means that the turn ends with the error. It is not called when the turn's context is done, the user is asked, another
	// process went on with the thread, or a call must be settled ([ErrUnresolved]).
	OnError func(context.Context, S, error) (Answer, error)

	// Restart says that a turn whose replies answer questions begins at the graph's first node too, with the state as the turn
	// before left it. It is for a graph that looks at every message itself. What is to be found again, the questions above all, must
	// then be in a [WithNamespace]. Without it, such a turn goes on in the node that asked.
	RestartOnReply bool
}

// NewAgent makes an agent of a graph: begin makes the state of a turn, r runs it, and answer reads the answer from what it
// became. All of them are called by several goroutines at once.
//
// begin gets the state as the last turn of the thread left it, where the agent is [Durable], else the zero S. A turn that goes on with a run
// begins where that stopped, without begin.
func NewAgent[S any](r *Runner[S], begin func(context.Context, S, Turn) (S, error), answer func(context.Context, S) (Answer, error), opt *AgentOptions[S]) Agent {
	if opt == nil {
		opt = &AgentOptions[S]{}
	}
	o := *opt
	return AgentFunc(func(ctx context.Context, turn Turn) (Answer, error) {
		at := r.places(ctx, &turn, o.RestartOnReply)
		s, err := r.first(at, turn, begin)
		if err != nil {
			return Answer{}, err
		}
		s, err = r.Run(at.run, s)
		switch {
		case err == nil:
			return answer(at.answer, s)
		case o.OnError == nil || ctx.Err() != nil || errors.Is(err, ErrInterrupted) || errors.Is(err, store.ErrConflict) || errors.Is(err, ErrUnresolved):
			return Answer{}, err
		}
		return o.OnError(at.answer, s, err)
	})
}

// agentPlaces are the contexts in which the parts of an agent run. In a durable run each part has a place of its own, as begin is left
// out when the run goes on.
type agentPlaces struct {
	begin, run, answer context.Context
	state              string // the address of the graph's state
}

// places returns where the parts of an agent run. With restart, a turn with replies is the one that the graph sees, where the graph is at what
// was replied to: within a larger run it may not have begun before, or be over.
func (r *Runner[S]) places(ctx context.Context, turn *Turn, restart bool) agentPlaces {
	sc := scopeOf(ctx)
	if sc.place == nil {
		return agentPlaces{begin: ctx, run: ctx, answer: ctx}
	}
	p, j, name := sc.place, sc.place.log, escape(r.name)
	begin, end := p.child(":begin"), p.child(":answer")
	at := agentPlaces{run: ctx, state: p.peek(name)}
	if restart && j.replied > 0 && (sc.turn.whole || r.waits(ctx, p.part(at.state))) {
		turn.Text, turn.Replies = j.message.Text, j.message.Replies
		again := p.again(name, j.replied)
		begin.since, end.since = j.replied, j.replied
		at.run = sc.enter(ctx, "", again)
	}
	at.begin, at.answer = sc.enter(ctx, "", begin), sc.enter(ctx, "", end)
	return at
}

// waits reports whether the graph at p asked what the run was replied to: it had not come to its end, and the question was put within it.
func (r *Runner[S]) waits(ctx context.Context, p *place) bool {
	if !p.log.repliedWithin(scopeOf(ctx).path) {
		return false
	}
	rec, err := p.stateBefore()
	if err != nil || rec == nil {
		return err != nil
	}
	var s S
	at, _, err := r.restore(ctx, rec, &s)
	if err != nil {
		return true // whoever goes on there has the error
	}
	next, _, err := r.next(at, &s)
	return err != nil || next != end
}

// first returns the state that a turn begins with. In a durable run that goes on it is the zero S, as [Runner.Run] finds its own.
func (r *Runner[S]) first(at agentPlaces, turn Turn, begin func(context.Context, S, Turn) (S, error)) (S, error) {
	var s S
	sc := scopeOf(at.run)
	if sc.place == nil {
		return begin(at.begin, s, turn)
	}
	saved, err := sc.place.part(at.state).state()
	if err != nil || saved != nil {
		return s, err
	}
	if s, err = r.earlier(at.run, sc.place.log, at.state, &scopeOf(at.begin).place.stateRun); err != nil {
		return s, err
	}
	return begin(at.begin, s, turn)
}
