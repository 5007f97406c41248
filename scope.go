package qed

import (
	"context"
	"sync"
	"time"
)

// A scope is the context of a part of a run. It says where that part is, and what it is part of.
type scope struct {
	context.Context
	path string // as in Event
	*frame
	place *place // nil outside a durable run
}

// A frame is what the parts of a graph have in common, or of an agent that is no graph.
type frame struct {
	graph  string    // its name; empty outside of one
	events *queue    // nil when nobody listens
	turn   *liveTurn // nil outside an agent

	// tool says that all this is in an agent that another one calls as a tool.
	tool bool

	// whole says that what is asked next is all that a durable run does.
	whole bool

	spent error // see [BudgetExceeded]

	now time.Time // see [Now]; zero: that of the run

	task *Task // the one of [RunTask] around; nil: there is none
}

// A liveTurn is a turn that is being answered.
type liveTurn struct {
	Turn
	once  sync.Once
	began time.Time // see [Now]
	whole bool      // the agent that answers it is all of a durable run
}

type scopeKey struct{}

func (s *scope) Value(key any) any {
	if key == (scopeKey{}) {
		return s
	}
	return s.Context.Value(key)
}

// nowhere is the scope of a context that belongs to no run.
var nowhere = &scope{frame: &frame{}}

func scopeOf(ctx context.Context) *scope {
	if s, ok := ctx.(*scope); ok {
		return s
	}
	if s, ok := ctx.Value(scopeKey{}).(*scope); ok {
		return s
	}
	return nowhere
}

// asked returns the scope of an agent that is asked within s: it is at the same place, for a turn of its own.
func (s *scope) asked(ctx context.Context, turn Turn) *scope {
	a := agentScope(ctx, s.path, turn, s.events, s.tool)
	a.now = s.now
	a.turn.whole = s.frame.whole
	return a
}

// start is when the agent's turn began, or was first asked when it did.
func (s *scope) start(clock func() time.Time) time.Time {
	s.turn.once.Do(func() { s.turn.began = clock() })
	return s.turn.began
}

// agentScope returns the scope of an agent. It is made in one piece, as there is one for every question.
func agentScope(ctx context.Context, path string, turn Turn, events *queue, tool bool) *scope {
	a := &struct {
		scope scope
		frame frame
		turn  liveTurn
	}{turn: liveTurn{Turn: turn}}
	a.frame = frame{events: events, turn: &a.turn, tool: tool}
	a.scope = scope{ctx, path, &a.frame, scopeOf(ctx).place}
	return &a.scope
}

// A graphScope is the scope of a graph, with room for those of its parts. It belongs to the goroutine that runs the graph.
type graphScope struct {
	scope
	own   frame
	room  []scope
	count int // how many nodes were visited

	places []place // of a durable run's visits, with room for more
}

// of returns s as the scope of a graph that is run there.
func (s *scope) of(graph string) *graphScope {
	g := &graphScope{own: *s.frame}
	g.own.graph = graph
	g.scope = scope{s.Context, s.path, &g.own, s.place}
	if s.place != nil {
		g.place = s.place.child(escape(graph))
	}
	return g
}

// part returns the scope of a part of the graph. They are made several at a time, at most as many as the graph has steps.
func (g *graphScope) part(ctx context.Context, name string, most int) *scope {
	if len(g.room) == cap(g.room) {
		g.room = make([]scope, 0, max(1, min(most, 16)))
	}
	g.room = append(g.room, scope{ctx, g.join(name), g.frame, g.place})
	return &g.room[len(g.room)-1]
}

// visited returns the place of a visit of a node, by the name in addresses: its number tells it from others, and the attempt does not.
func (g *graphScope) visited(node string, attempt int) *place {
	if len(g.places) == cap(g.places) {
		g.places = make([]place, 0, 8)
	}
	g.places = g.places[:len(g.places)+1]
	p := &g.places[len(g.places)-1]
	g.place.become(p, "")
	p.visit, p.number, p.attempt = node, g.count, attempt
	return p
}

// enter returns the scope of a part of s, with its own place. Its context is ctx, which may be s itself.
func (s *scope) enter(ctx context.Context, name string, p *place) *scope {
	return &scope{ctx, s.join(name), s.frame, p}
}

// beside returns the scope of a part of s that runs beside others, with an address of its own.
func (s *scope) beside(ctx context.Context, name, address string) *scope {
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

// join returns the path of what is called path within s.
func (s *scope) join(path string) string {
	switch {
	case s.path == "":
		return path
	case path == "":
		return s.path
	}
	return s.path + "/" + path
}

// Emit tells whoever listens to the run of ctx that d happened. It may be called from any goroutine, under any lock, and
// after the run; where nobody listens, or listens any more, it does nothing. A context that was not made from the run's, such
// as [context.Background], belongs to no run. [Completed] and [Failed] are the runtime's own: telling them does nothing.
// Nor does telling what only has the methods of a struct of this package, such as a pointer to one.
//
// A listener that is slower than the run holds it back: Emit waits while 64 events are unread. So give back a connection
// before telling what it read, and under a lock that the listener takes tell little.
func Emit[D EventData](ctx context.Context, d D) {
	if s := scopeOf(ctx); s.events != nil {
		s.forward(Event{"", d})
	}
}

// EmitText emits a piece of the answer's text as a [Token] of [ChannelFinal]. It
// does nothing if text is empty.
func EmitText(ctx context.Context, text string) {
	if text != "" {
		Emit(ctx, Token{Channel: ChannelFinal, Content: text})
	}
}

// forward tells an event of a part of s.
func (s *scope) forward(event Event) {
	if s.events == nil || !isOurs(event.Data) {
		return
	}
	switch d := event.Data.(type) {
	case Completed, Failed:
		return
	case Token:
		if s.tool && d.Channel == ChannelFinal {
			d.Channel = ChannelTool // it is not the final answer of the agent that listeners listen to
			event.Data = d
		}
	}
	event.Path = s.join(event.Path)
	s.events.add(event)
}
