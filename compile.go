package qed

import (
	"context"
	"errors"
	"slices"
)

// CompileOptions are limits of a [Runner]. Nil and the zero value mean the defaults.
type CompileOptions struct {
	// MaxSteps is how many nodes a run may visit, counting every visit. 0 means 100.
	MaxSteps int

	// WrapUp is the node that a run goes to when a node fails because the budget is spent ([ErrBudget]), with the state as it was before that
	// node, so that the turn still has an answer. No edge need lead to it. It may use what the budget kept back for it, and [BudgetExceeded] tells it why it runs.
	// Empty means that the run fails.
	WrapUp string

	// Version is of what the nodes do, as far as a run that goes on has to know: change it when a state of the old ones would be misread. The
	// nodes' names, the ways and the type of the state need no mention: they are part of the graph's fingerprint.
	Version string

	// Migrate makes of where a run stopped, in a graph of another version or fingerprint, where it goes on in this one. Nil means that such a
	// run is refused with [ErrGraphChanged]. A new turn then begins, with the messages of the conversation, and from the zero S.
	Migrate func(context.Context, Checkpoint) (Checkpoint, error)
}

// A Runner runs a compiled [Graph]. It is safe for concurrent use: runs share nothing but it.
type Runner[S any] struct {
	name     string
	steps    []step[S] // the first is Start
	maxSteps int
	deepen   func(*S) error // see copier
	wrapUp   int            // a step; 0: none

	fingerprint, version string
	migrate              func(context.Context, Checkpoint) (Checkpoint, error)
}

// A step is a node whose successors are known by their place in Runner.steps.
type step[S any] struct {
	*node[S]
	next   int // when there is no route
	routes map[string]int
}

const end = -1

// Compile checks the graph and makes it ready to run. What is wrong with it is reported all at once, joined.
//
// It refuses a way to a node that does not exist, a node that no run reaches or that leads nowhere, a cycle without a way
// to [End], a fan-out without branches or without a merge, and names that are missing or taken.
//
// And it refuses a state that would lose something in JSON, so that a state can always be stored, sent and compared: by its type, S must not
// hold unexported fields, fields of the tag "-", interfaces, functions or channels, unless the type that has them reads and
// writes its own JSON. That tells a mistake at start-up instead of losing a field later.
//
// Changing the graph afterwards does not change the Runner.
func (g *Graph[S]) Compile(opt *CompileOptions) (*Runner[S], error) {
	if opt == nil {
		opt = &CompileOptions{}
	}
	c := compiler[S]{Graph: &Graph[S]{g.name, g.nodes, g.byName, slices.Clone(g.problems)}}
	if opt.MaxSteps < 0 {
		c.problem("MaxSteps is negative")
	}
	if len(c.nodes) == 1 {
		c.problem("it has no nodes")
	} else {
		c.checkWays()
		c.checkReach(opt.WrapUp)
	}
	for _, err := range checkState[S]() {
		c.problem("the state %w", err)
	}
	if opt.WrapUp != "" && (c.byName[opt.WrapUp] == nil || opt.WrapUp == Start) {
		c.problem("WrapUp is %q, which is no node", opt.WrapUp)
	}
	if len(c.problems) > 0 {
		return nil, errors.Join(c.problems...)
	}
	r := &Runner[S]{name: c.name, maxSteps: opt.MaxSteps, deepen: copier[S](), version: opt.Version, migrate: opt.Migrate}
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

// A compiler collects the problems of one Compile, and leaves its graph as it is.
type compiler[S any] struct{ *Graph[S] }

// ways returns the names of what may come after n.
func (n *node[S]) ways() []string {
	if n.next != "" {
		return []string{n.next}
	}
	return n.targets
}

func (c compiler[S]) checkWays() {
	for _, n := range c.nodes {
		ways := n.ways()
		if len(ways) == 0 {
			c.problem("node %q leads nowhere: add an edge, to End if it is the last", n.name)
		}
		for _, to := range ways {
			switch {
			case to == Start:
				c.problem("node %q leads back to Start: name the node to go on with", n.name)
			case to != End && c.byName[to] == nil:
				c.problem("node %q leads to %q, which is no node", n.name, to)
			}
		}
	}
}

// checkReach looks for nodes that no run comes to, and nodes from which no run comes to its end.
func (c compiler[S]) checkReach(wrapUp string) {
	reached := map[string]bool{Start: true, wrapUp: true}
	todo := []string{Start, wrapUp}
	for len(todo) > 0 {
		n := c.byName[todo[len(todo)-1]]
		todo = todo[:len(todo)-1]
		if n == nil {
			continue // End, or reported already
		}
		for _, to := range n.ways() {
			if !reached[to] {
				reached[to] = true
				todo = append(todo, to)
			}
		}
	}
	ends := map[string]bool{End: true} // and what checkWays reports
	isEnd := func(to string) bool { return ends[to] || c.byName[to] == nil }
	for grown := true; grown; {
		grown = false
		for _, n := range c.nodes {
			if !ends[n.name] && (len(n.ways()) == 0 || slices.ContainsFunc(n.ways(), isEnd)) {
				ends[n.name], grown = true, true
			}
		}
	}
	for _, n := range c.nodes {
		switch {
		case !reached[n.name]:
			c.problem("no way leads to node %q", n.name)
		case !ends[n.name]:
			c.problem("no way leads from node %q to End", n.name)
		}
	}
}

func (c compiler[S]) steps() []step[S] {
	place := map[string]int{End: end}
	for i, n := range c.nodes {
		place[n.name] = i
	}
	steps := make([]step[S], len(c.nodes))
	for i, n := range c.nodes {
		fixed := *n
		steps[i] = step[S]{node: &fixed, next: end}
		if n.pick == nil {
			steps[i].next = place[n.next]
			continue
		}
		steps[i].routes = make(map[string]int, len(n.targets))
		for _, to := range n.targets {
			steps[i].routes[to] = place[to]
		}
	}
	return steps
}
