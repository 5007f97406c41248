package todoagent

import (
	"context"

	"github.com/qedkit/qed"
)

// ask is the node that ends a turn in which tasks interrupted the run. If none
// of their questions is open any more, because another turn came in between,
// the tasks run again and ask again.
func (a *agent) ask(ctx context.Context, s state) (state, error) {
	var asking []string
	for _, t := range s.Plan.Tasks {
		if t.Status == qed.TodoInterrupted {
			asking = append(asking, s.Plan.namespace(&t))
		}
	}
	return s, qed.AwaitReplies(ctx, asking...)
}
