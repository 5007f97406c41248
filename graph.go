package qed

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
)

// Start and End are where every run of a [Graph] begins and ends. They are names for [Graph.Edge] and [Graph.Route], and no
// node can have them.
const (
	Start = "start"
	End   = "end"
)

// A Graph is a plan of steps on a state S: nodes that change it, and edges and routes that say which node is next.
// Build it once, at start-up, then [Graph.Compile] it; mistakes made on the way are reported there, all at once.
//
// S is the caller's own type, mostly a struct. It must survive JSON: see [Graph.Compile].
// A Graph is not safe for concurrent use. A [Runner] is.
type Graph[S any] struct {
	name     string
	nodes    []*node[S] // in the order of their declaration
	byName   map[string]*node[S]
	problems []error
}

// A node is a step, or Start, which has no fn.
type node[S any] struct {
	name     string
	address  string // the name as addresses have it
	fn       func(context.Context, S) (S, error)
	opt      NodeOptions
	branches []string // of a fan-out

	// What comes next: next alone, or what pick says, which is one of targets.
	next    string
	pick    func(S) string
	targets []string
}

// NodeOptions say what happens when a node fails or takes long. Nil and the zero value mean one attempt without a limit.
type NodeOptions struct {
	// Attempts is how often the node is tried at most. 0 means once. Every attempt gets a copy of S as it was before the first.
	Attempts int

	// Timeout limits each attempt: its context is done then, and the node is waited for, so it has to watch its context.
	// 0 means no limit.
	Timeout time.Duration

	// RetryIf says whether an error is worth another attempt. Nil means that every error but a panic is.
	// When the run's own context is done, nothing is tried again.
	RetryIf func(error) bool

	// Backoff is the pause before the second attempt. It doubles with every further one, up to a minute. 0 means no pause.
	Backoff time.Duration
}

// NewGraph returns a graph without nodes. Its name is for errors and diagrams.
func NewGraph[S any](name string) *Graph[S] {
	g := &Graph[S]{name: name, byName: map[string]*node[S]{}}
	if err := checkName(name); err != nil {
		g.problem("the graph's name %w", err)
	}
	start := &node[S]{name: Start}
	g.nodes, g.byName[Start] = []*node[S]{start}, start
	return g
}

// Node adds a step. It gets the state and returns what it becomes; when it fails, what it returns beside the error is dropped.
// It must watch its context, as a run waits for its nodes.
func (g *Graph[S]) Node(name string, fn func(context.Context, S) (S, error), opt *NodeOptions) {
	if fn == nil {
		g.problem("node %q has no function", name)
	}
	n := &node[S]{name: name, fn: fn}
	if opt != nil {
		n.opt = *opt
	}
	if n.opt.Attempts < 0 || n.opt.Timeout < 0 || n.opt.Backoff < 0 {
		g.problem("node %q has a negative option", name)
	}
	g.add(n)
}

func (g *Graph[S]) add(n *node[S]) {
	if err := checkName(n.name); err != nil {
		g.problem("the name of node %q %w", n.name, err)
	}
	switch {
	case n.name == Start || n.name == End:
		g.problem("a node cannot be called %q, which is where a run begins or ends", n.name)
		return
	case g.byName[n.name] != nil:
		g.problem("there are two nodes called %q", n.name)
		return
	}
	n.address = escape(n.name)
	g.nodes = append(g.nodes, n)
	g.byName[n.name] = n
}

// Edge says that to comes after from. A node has one edge or one route.
func (g *Graph[S]) Edge(from, to string) {
	if n := g.leave(from); n != nil {
		n.next = to
	}
}

// Route has pick choose what comes after from, by the state, among the nodes named in to. It must not change the state.
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

// leave returns the node from, which must exist and lead nowhere yet.
func (g *Graph[S]) leave(from string) *node[S] {
	n := g.byName[from]
	switch {
	case n == nil:
		g.problem("an edge begins at %q, which is no node; add nodes before their edges", from)
	case n.next != "" || n.targets != nil:
		g.problem("node %q has two ways on: use Route to choose one, FanOut to do both", from)
		return nil
	}
	return n
}

func (g *Graph[S]) problem(format string, args ...any) {
	g.problems = append(g.problems, fmt.Errorf("qed: graph %s: "+format, append([]any{g.name}, args...)...))
}

// checkName says what is wrong with the name of a graph, a node or a branch. Names make up paths and errors.
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
