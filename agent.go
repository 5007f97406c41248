package qed

import (
	"context"
	"iter"

	"github.com/qedkit/qed/llm"
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
	Thread  string `json:"conversation_id,omitempty"` // the conversation's id
	User    string `json:"user_id,omitempty"`         // who asks; what he may see is not told by it, but by the context of a run
	Company string `json:"company_id,omitempty"`      // likewise
	Text    string `json:"message"`

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
	a, err = f(sc, *sc.turn)
	return a, spoken(err)
}

// AgentOptions say how a graph is an agent. Nil and the zero value mean the defaults.
type AgentOptions[S any] struct {
	// OnError makes an answer of a run that failed, mostly a partial one, from the state that [Runner.Run] returned and the
	// error. Nil means that the turn ends with the error. It is not called when the turn's context is done.
	OnError func(S, error) (Answer, error)
}

// NewAgent makes an agent of a graph: begin makes the state of a turn from the zero S, r runs it, and answer reads the answer from what it
// became. All of them are called by several goroutines at once.
func NewAgent[S any](r *Runner[S], begin func(S, Turn) (S, error), answer func(S) (Answer, error), opt *AgentOptions[S]) Agent {
	if opt == nil {
		opt = &AgentOptions[S]{}
	}
	onError := opt.OnError
	return AgentFunc(func(ctx context.Context, turn Turn) (Answer, error) {
		var s S
		s, err := begin(s, turn)
		if err != nil {
			return Answer{}, err
		}
		s, err = r.Run(ctx, s)
		switch {
		case err == nil:
			return answer(s)
		case onError == nil || ctx.Err() != nil:
			return Answer{}, err
		}
		return onError(s, err)
	})
}
