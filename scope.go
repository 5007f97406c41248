package qed

import (
	"cmp"
	"context"
	"sync"
	"time"
)

// A scope is the context of a part of a run. It has the path and the address of
// that part, and what the part is in.
type scope struct {
	context.Context
	path string // as in Event
	*frame
	place *place // nil outside a durable run
}

// A frame has what all parts of a graph, or of an agent that is not a graph, share.
type frame struct {
	graph  string    // its name; empty outside a graph
	events *queue    // nil if nobody reads the events
	turn   *liveTurn // nil outside an agent
	call   string    // the id of the call of a tool around; see Event.Call
	nested bool      // the text is not the answer of the turn: see Tool.Nested
	whole  bool      // the agent that is asked next is all of a durable run
	spent  error     // see [BudgetExceeded]
	now    time.Time // see [Now]; zero: the time of the run
	task   *Task     // the one of [RunTask] around; nil if there is none

	spending *spending // of the turn or the task; nil outside of both
}

// A liveTurn is a turn that is being answered.
type liveTurn struct {
	Turn
	whole bool      // the agent that answers it is all of a durable run
	outer bool      // it is not part of another turn
	began time.Time // see [Now]
	spending

	readLanguage sync.Once
	language     string // of the texts for the user: see scope.language
}

type scopeKey struct{}

func (s *scope) Value(key any) any {
	if key == (scopeKey{}) {
		return s
	}
	return s.Context.Value(key)
}

// outside is the scope of a context that belongs to no run.
var outside = &scope{frame: &frame{}}

// scopeOf returns the scope of ctx.
func scopeOf(ctx context.Context) *scope {
	if s, ok := ctx.(*scope); ok {
		return s
	}
	if s, ok := ctx.Value(scopeKey{}).(*scope); ok {
		return s
	}
	return outside
}

// agentScope returns the scope of an agent that answers a turn of its own within s.
func (s *scope) agentScope(ctx context.Context, turn *Turn, events *queue) *scope {
	var a struct { // one allocation
		scope scope
		frame frame
		turn  liveTurn
	}
	a.turn.Turn, a.turn.whole, a.turn.outer, a.turn.began = *turn, s.whole, s.turn == nil, clock(ctx)()
	if s.turn != nil && !s.whole {
		if turn.Language == "" { // its text may be written by a model
			a.turn.language = s.language()
		}
		if turn.Calendar == nil {
			a.turn.Calendar = s.turn.Calendar
		}
	}
	a.frame = frame{
		events: events, turn: &a.turn, call: s.call, nested: s.nested, now: s.now, spending: &a.turn.spending,
	}
	a.scope = scope{ctx, s.path, &a.frame, s.place}
	return &a.scope
}

// inGraph returns the scope of a graph that runs in s.
func (s *scope) inGraph(ctx context.Context, graph string) *scope {
	var g struct { // one allocation
		scope scope
		frame frame
	}
	g.frame = *s.frame
	g.frame.graph = graph
	g.scope = scope{ctx, s.path, &g.frame, nil}
	if s.place != nil {
		g.scope.place = s.place.child(escape(graph))
	}
	return &g.scope
}

// enter returns the scope of a part of s, with its own place. ctx may be s itself.
func (s *scope) enter(ctx context.Context, name string, p *place) *scope {
	return &scope{ctx, s.join(name), s.frame, p}
}

// parallel returns the scope of a part of s that runs at the same time as other
// parts, with its own address.
func (s *scope) parallel(ctx context.Context, name, address string) *scope {
	part := s.enter(ctx, name, nil)
	if s.place != nil {
		part.place = s.place.part(shorten(address))
		part.place.branch = true
	}
	return part
}

// WithPath returns ctx as the context of a named part of an agent: its events have
// name in their path, and its calls are recorded apart from those of other parts.
func WithPath(ctx context.Context, name string) context.Context {
	s := scopeOf(ctx)
	if s.place == nil {
		return s.enter(ctx, name, nil)
	}
	return s.enter(ctx, name, s.place.child(escape(name)))
}

// join returns the path of a part of s.
func (s *scope) join(path string) string {
	switch {
	case s.path == "":
		return path
	case path == "":
		return s.path
	}
	return s.path + "/" + path
}

// Emit sends d to the reader of the events of ctx's run. It may be called from
// any goroutine, under any lock, and after the run. Emit does nothing if nobody
// reads the events, or if ctx does not come from a run, as [context.Background]
// does not.
//
// Only the runtime emits [Completed] and [Failed]: Emit ignores them, a [Token]
// without text, and data that is not one of the structs of this package, such as a
// pointer to one.
//
// If 64 events are unread, Emit waits for the reader. So return a connection to
// its pool before you emit what was read from it, and emit nothing under a lock
// that the reader takes.
func Emit(ctx context.Context, d EventData) {
	scopeOf(ctx).forward(Event{Data: d})
}

// emit emits d, which is not a [Token], as an event of a part of s. It returns the
// time of the event; zero if nobody reads the events.
func (s *scope) emit(path string, d EventData) time.Time {
	if s.events == nil {
		return time.Time{}
	}
	now := s.events.now()
	s.send(&Event{Path: path, Time: now, Data: d})
	return now
}

// forward emits the event of a part of s, if it is one that [Emit] accepts.
func (s *scope) forward(event Event) {
	if s.events == nil || !isOurs(event.Data) {
		return
	}
	switch d := event.Data.(type) {
	case Completed, Failed:
		return
	case Token:
		if d.Content == "" && !d.Discard {
			return
		}
		if s.nested && d.Channel == ChannelFinal {
			d.Channel = ChannelTool // the text of a tool is not the answer of the turn
			event.Data = d
		}
	}
	if event.Time.IsZero() {
		event.Time = s.events.now()
	}
	s.send(&event)
}

// send passes the event of a part of s to the reader.
func (s *scope) send(event *Event) {
	event.Path, event.Call = s.join(event.Path), cmp.Or(event.Call, s.call)
	s.events.add(event)
}
