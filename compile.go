package qed

import (
	"context"
	"errors"
	"slices"
)

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

	// Version is the version of what the nodes do. Change it if new nodes would
	// misread a state that old nodes saved. The names of the nodes, the edges and
	// the type of the state are part of the graph's fingerprint, so a change of
	// these needs no new Version.
	Version string

	// Migrate converts a checkpoint of another version or fingerprint of the graph,
	// so that its run can be resumed. Nil means that resuming such a run fails with
	// [ErrGraphChanged]. A new turn of the thread then begins with the messages of
	// the conversation and the zero S.
	Migrate func(context.Context, Checkpoint) (Checkpoint, error)
}

// A Runner runs a compiled [Graph]. It is safe for concurrent use.
type Runner[S any] struct {
	name     string
	steps    []step[S] // the first is Start
	maxSteps int
	wrapUp   int // the index of a step; 0 if there is none

	fingerprint, version string
	migrate              func(context.Context, Checkpoint) (Checkpoint, error)
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
// A later change of the graph does not change the Runner.
func (g *Graph[S]) Compile(opt *CompileOptions) (*Runner[S], error) {
	if opt == nil {
		opt = &CompileOptions{}
	}
	c := compiler[S]{&Graph[S]{g.name, g.nodes, g.byName, slices.Clone(g.problems)}}
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
	r := &Runner[S]{name: c.name, maxSteps: opt.MaxSteps, version: opt.Version, migrate: opt.Migrate}
	if r.maxSteps == 0 {
		r.maxSteps = 100
	}
	r.steps = c.steps()
	r.fingerprint = r.makeFingerprint(opt.Version)
	for i := range r.steps {
		s := &r.steps[i]
		if s.name == opt.WrapUp {
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
