package todoagent

import (
	"context"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/store"
)

// todoGraph is the name of the agent's graph, by which [States] finds its plans.
const graphName = "todo"

// OpenTodos returns the plan that is open in a thread: it waits for the user's
// approval or reply, or one of its tasks failed. It returns nil if no plan is
// open: the last one is done, or the user gave it up.
//
// If several planners answer in a thread, it is the plan of the last run in
// which one of them answered. Plans of agents that are tasks of others are not
// returned. OpenTodos does not check whose thread it is: see [Inspect].
func Open(ctx context.Context, st store.Store, thread string) (*qed.TodoList, error) {
	states, err := qed.States[state](ctx, st, thread, graphName)
	if err != nil {
		return nil, err
	}
	for _, s := range states {
		if l := s.plan(); l.open() {
			return (*qed.TodoList)(l), nil
		}
	}
	return nil, nil
}
