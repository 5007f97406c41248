package todoagent

import (
	"context"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/store"
)

// graphName is the name of the agent's graph, by which [qed.States] finds its
// plans.
const graphName = "todo"

// OpenPlan returns the plan that is open in a thread: it waits for the user's
// approval or reply, or one of its tasks failed. It returns nil if no plan is
// open: the last one is done, or the user aborted it.
//
// If several agents of this package answer in a thread, it is the plan of the last
// run in which one of them answered. Plans of agents that are tasks of others are
// not returned. OpenPlan does not check whose thread it is: see [qed.Inspect].
func OpenPlan(ctx context.Context, st store.Store, thread string) (*qed.TodoList, error) {
	states, err := qed.States[state](ctx, st, thread, graphName)
	if err != nil {
		return nil, err
	}
	for _, s := range states {
		if s.Plan.open() {
			return (*qed.TodoList)(s.Plan), nil
		}
	}
	return nil, nil
}
