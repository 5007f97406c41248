package qed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/qedkit/qed/internal/option"
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
	copy     func(to, from *S) error // see newCopier
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
	// copy of the state from before the first one. After a panic, or if the context of
	// the run is done, there is no further attempt. Use package retry in the node for
	// pauses.
	Attempts int

	// Timeout limits each attempt by its context. The run waits for the node, so
	// the node must watch its context. 0 means no limit.
	Timeout time.Duration
}

// NewGraph returns a graph without nodes. Its name is used in errors, and in the
// addresses of recorded calls.
func NewGraph[S any](name string) *Graph[S] {
	g := &Graph[S]{name: name, byName: map[string]*node[S]{}, copy: newCopier[S]()}
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
	n := &node[S]{name: name, fn: fn, opt: option.Of(opt)}
	if n.opt.Attempts < 0 || n.opt.Timeout < 0 {
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

// CompileOptions are options of [Graph.Compile]. Nil and the zero value mean the
// defaults.
type CompileOptions struct {
	// MaxSteps is how many nodes a run may visit. Every visit of a node counts. 0
	// means 100.
	MaxSteps int

	// WrapUp names the node that runs next when a node fails with
	// [budget.ErrExceeded], so that the turn still has an answer. It gets the state
	// from before the node that failed, and may spend what the budget reserves for
	// a final answer ([budget.ForFinalAnswer]). [BudgetExceeded] returns why it
	// runs. It needs no edge that leads to it. Empty means that the run fails.
	WrapUp string
}

// A Runner runs a compiled [Graph]. It is safe for concurrent use.
type Runner[S any] struct {
	name     string
	steps    []step[S] // the first is Start
	copy     func(to, from *S) error
	maxSteps int
	wrapUp   int // the index of a step; 0 if there is none

	fingerprint string
}

// A step is a node whose successors are indexes of Runner.steps.
type step[S any] struct {
	*node[S]
	next   int // if there is no route
	routes map[string]int
}

const end = -1

// Compile checks the graph and returns a Runner for it. Its error has all problems,
// joined:
//
//   - an edge or a route to a node that does not exist;
//   - a node that no run reaches, that leads nowhere, or from which no run reaches
//     [End];
//   - a fan-out without branches or without a merge function;
//   - a name that is missing or used twice;
//   - a state that would lose data in JSON. S must not contain unexported fields,
//     fields with the tag "-", interfaces, functions or channels, except in a type
//     that encodes and decodes its own JSON. So a state can always be saved, and
//     copied.
//
// A later change of the graph does not change the Runner. A run is resumed by a graph
// with the same name, nodes, edges and type of state: give the graph another name if
// new nodes would misread a state that old nodes saved.
func (g *Graph[S]) Compile(opt *CompileOptions) (*Runner[S], error) {
	opt = cmp.Or(opt, &CompileOptions{})
	c := compiler[S]{&Graph[S]{g.name, g.nodes, g.byName, g.copy, slices.Clone(g.problems)}}
	if opt.MaxSteps < 0 {
		c.problem("CompileOptions.MaxSteps is negative; use 0 for the default")
	}
	if len(c.nodes) == 1 {
		c.problem("it has no nodes; add them with Node")
	} else {
		c.checkSuccessors()
		c.checkReach(opt.WrapUp)
	}
	for _, err := range checkState[S]() {
		c.problem("the state %w", err)
	}
	if opt.WrapUp != "" && (c.byName[opt.WrapUp] == nil || opt.WrapUp == Start) {
		c.problem("CompileOptions.WrapUp is %q, which is not a node", opt.WrapUp)
	}
	if len(c.problems) > 0 {
		return nil, errors.Join(c.problems...)
	}
	r := &Runner[S]{name: c.name, copy: c.copy, maxSteps: opt.MaxSteps}
	r.maxSteps = cmp.Or(r.maxSteps, 100)
	r.steps = c.steps()
	r.fingerprint = r.makeFingerprint()
	for i := range r.steps {
		if r.steps[i].name == opt.WrapUp {
			r.wrapUp = i
		}
	}
	return r, nil
}

// A compiler collects the problems of one Compile. It does not change its graph.
type compiler[S any] struct{ *Graph[S] }

// successors returns the names of the nodes that may come after n.
func (n *node[S]) successors() []string {
	if n.next != "" {
		return []string{n.next}
	}
	return n.targets
}

func (c compiler[S]) checkSuccessors() {
	for _, n := range c.nodes {
		successors := n.successors()
		if len(successors) == 0 {
			c.problem("node %q leads nowhere; add an edge, to End if it is the last node", n.name)
		}
		for _, to := range successors {
			switch {
			case to == Start:
				c.problem("node %q leads back to Start; name the first node instead", n.name)
			case to != End && c.byName[to] == nil:
				c.problem("node %q leads to %q, which is not a node; add it with Node", n.name, to)
			}
		}
	}
}

// checkReach reports nodes that no run reaches, and nodes from which no run reaches End.
func (c compiler[S]) checkReach(wrapUp string) {
	reached := map[string]bool{Start: true, wrapUp: true}
	todo := []string{Start, wrapUp}
	for len(todo) > 0 {
		n := c.byName[todo[len(todo)-1]]
		todo = todo[:len(todo)-1]
		if n == nil {
			continue // End, or a name that checkSuccessors reports
		}
		for _, to := range n.successors() {
			if !reached[to] {
				reached[to] = true
				todo = append(todo, to)
			}
		}
	}
	ends := map[string]bool{End: true} // and the names that checkSuccessors reports
	isEnd := func(to string) bool { return ends[to] || c.byName[to] == nil }
	for grown := true; grown; {
		grown = false
		for _, n := range c.nodes {
			if !ends[n.name] && (len(n.successors()) == 0 || slices.ContainsFunc(n.successors(), isEnd)) {
				ends[n.name], grown = true, true
			}
		}
	}
	for _, n := range c.nodes {
		switch {
		case !reached[n.name]:
			c.problem("no run reaches node %q; add an edge to it, or remove it", n.name)
		case !ends[n.name]:
			c.problem("no run gets from node %q to End; add an edge out of its cycle", n.name)
		}
	}
}

func (c compiler[S]) steps() []step[S] {
	index := map[string]int{End: end}
	for i, n := range c.nodes {
		index[n.name] = i
	}
	steps := make([]step[S], len(c.nodes))
	for i, n := range c.nodes {
		fixed := *n
		steps[i] = step[S]{node: &fixed, next: end}
		if n.pick == nil {
			steps[i].next = index[n.next]
			continue
		}
		steps[i].routes = make(map[string]int, len(n.targets))
		for _, to := range n.targets {
			steps[i].routes[to] = index[to]
		}
	}
	return steps
}
