package qed

import "context"

// A scope is the context of a part of a run. It says where that part is, and what it is part of.
type scope struct {
	context.Context
	path string // as in Event
	*frame
}

// A frame is what the parts of a graph have in common, or of an agent that is no graph.
type frame struct {
	graph  string // its name; empty outside of one
	events *queue // nil when nobody listens
	turn   *Turn  // nil outside an agent

	// tool says that all this is in an agent that another one calls as a tool.
	tool bool
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
	return agentScope(ctx, s.path, turn, s.events, s.tool)
}

// agentScope returns the scope of an agent. It is made in one piece, as there is one for every question.
func agentScope(ctx context.Context, path string, turn Turn, events *queue, tool bool) *scope {
	a := &struct {
		scope scope
		frame frame
		turn  Turn
	}{turn: turn}
	a.frame = frame{events: events, turn: &a.turn, tool: tool}
	a.scope = scope{ctx, path, &a.frame}
	return &a.scope
}

// A graphScope is the scope of a graph, with room for those of its parts. It belongs to the goroutine that runs the graph.
type graphScope struct {
	scope
	own  frame
	room []scope
}

// of returns s as the scope of a graph that is run there.
func (s *scope) of(graph string) *graphScope {
	g := &graphScope{own: *s.frame}
	g.own.graph = graph
	g.scope = scope{s.Context, s.path, &g.own}
	return g
}

// part returns the scope of a part of the graph. They are made several at a time, at most as many as the graph has steps.
func (g *graphScope) part(ctx context.Context, name string, most int) *scope {
	if len(g.room) == cap(g.room) {
		g.room = make([]scope, 0, max(1, min(most, 16)))
	}
	g.room = append(g.room, scope{ctx, g.join(name), g.frame})
	return &g.room[len(g.room)-1]
}

// enter returns the scope of a part of s. Its context is ctx, which may be s itself.
func (s *scope) enter(ctx context.Context, name string) *scope {
	return &scope{ctx, s.join(name), s.frame}
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
func Emit[D Data](ctx context.Context, d D) {
	if s := scopeOf(ctx); s.events != nil {
		s.forward(Event{"", d})
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
