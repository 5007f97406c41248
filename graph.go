package qed

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
)

// Start and End are where every run of a [Graph] begins and ends. They are names
// for [Graph.Edge] and [Graph.Route], and cannot be names of nodes.
const (
	Start = "start"
	End   = "end"
)

// A Graph describes the steps of an agent on a state S: nodes that change the
// state, and edges and routes that say which node is next. Build it once, at
// start-up, and then call [Graph.Compile], which reports all mistakes at once.
//
// S is a type of the caller, usually a struct. It must survive JSON: see
// [Graph.Compile]. A Graph is not safe for concurrent use; a [Runner] is.
type Graph[S any] struct {
	name     string
	nodes    []*node[S] // in the order of their declaration
	byName   map[string]*node[S]
	problems []error
}

// A node is a step of a graph, or Start, which has no function.
type node[S any] struct {
	name     string
	address  string // the name, escaped for addresses of records
	fn       func(context.Context, S) (S, error)
	opt      NodeOptions
	branches []string // of a fan-out

	// What comes next: either next, or the result of pick, which is one of targets.
	next    string
	pick    func(S) string
	targets []string
}

// NodeOptions say what happens when a node fails or takes long. Nil and the zero
// value mean one attempt without a time limit.
type NodeOptions struct {
	// Attempts is the maximum number of attempts. 0 means 1. Every attempt gets a
	// copy of the state from before the first one.
	Attempts int

	// Timeout limits each attempt by its context. The run waits for the node, so
	// the node must watch its context. 0 means no limit.
	Timeout time.Duration

	// RetryIf reports whether an error is worth another attempt. Nil means every
	// error except a panic. If the context of the run is done, there is no further
	// attempt.
	RetryIf func(error) bool

	// Backoff is the pause before the second attempt. It doubles with every further
	// attempt, up to a minute. 0 means no pause.
	Backoff time.Duration
}

// NewGraph returns a graph without nodes. Its name is used in errors, and in the
// addresses of recorded calls.
func NewGraph[S any](name string) *Graph[S] {
	g := &Graph[S]{name: name, byName: map[string]*node[S]{}}
	if err := checkName(name); err != nil {
		g.problem("the graph's name %w", err)
	}
	start := &node[S]{name: Start}
	g.nodes, g.byName[Start] = []*node[S]{start}, start
	return g
}

// Node adds a step: fn gets the state and returns the next state. A state that is
// returned with an error is dropped. fn must watch its context, because a run waits
// for its nodes.
func (g *Graph[S]) Node(name string, fn func(context.Context, S) (S, error), opt *NodeOptions) {
	if fn == nil {
		g.problem("node %q has no function", name)
	}
	n := &node[S]{name: name, fn: fn}
	if opt != nil {
		n.opt = *opt
	}
	if n.opt.Attempts < 0 || n.opt.Timeout < 0 || n.opt.Backoff < 0 {
		g.problem("node %q has a negative option in NodeOptions; use 0 for the default", name)
	}
	g.add(n)
}

func (g *Graph[S]) add(n *node[S]) {
	if err := checkName(n.name); err != nil {
		g.problem("the name of node %q %w", n.name, err)
	}
	switch {
	case n.name == Start || n.name == End:
		g.problem("a node cannot have the name %q, which is where a run begins or ends", n.name)
		return
	case g.byName[n.name] != nil:
		g.problem("there are two nodes named %q", n.name)
		return
	}
	n.address = escape(n.name)
	g.nodes = append(g.nodes, n)
	g.byName[n.name] = n
}

// Edge makes to the node that comes after from. A node has one edge or one route.
func (g *Graph[S]) Edge(from, to string) {
	if n := g.leave(from); n != nil {
		n.next = to
	}
}

// Route calls pick to choose what comes after from: it returns one of the names in
// to. It must not change the state. Each choice is emitted as an [EdgeTaken].
func (g *Graph[S]) Route(from string, pick func(S) string, to ...string) {
	if pick == nil {
		g.problem("the route from %q has no function", from)
	}
	if len(to) == 0 {
		g.problem("the route from %q has no targets", from)
	}
	if n := g.leave(from); n != nil {
		n.pick, n.targets = pick, append([]string{}, to...)
	}
}

// leave returns the node from. It must exist, and have no edge or route yet.
func (g *Graph[S]) leave(from string) *node[S] {
	n := g.byName[from]
	switch {
	case n == nil:
		g.problem("an edge begins at %q, which is not a node; add nodes before their edges", from)
	case n.next != "" || n.targets != nil:
		g.problem("node %q has two edges; use Route to choose one, or FanOut to do both", from)
		return nil
	}
	return n
}

func (g *Graph[S]) problem(format string, args ...any) {
	g.problems = append(g.problems, fmt.Errorf("qed: graph %s: "+format, append([]any{g.name}, args...)...))
}

// checkName returns what is wrong with the name of a graph, a node or a branch.
func checkName(name string) error {
	switch {
	case name == "":
		return errors.New("is empty")
	case strings.Contains(name, "/"):
		return errors.New("contains a slash, which separates the names of a path")
	case strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }):
		return errors.New("contains a character that cannot be printed")
	}
	return nil
}
