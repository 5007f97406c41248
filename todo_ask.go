package qed

import (
	"context"
	"strconv"
)

// ask is the node that ends a turn in which tasks interrupted the run. If none of
// their questions is open any more, because another turn came in between, the
// tasks run again and ask anew.
func (a *todoAgent) ask(ctx context.Context, s todoState) (todoState, error) {
	var asking []string
	for _, t := range s.Plan.Tasks {
		if t.Status == TodoInterrupted {
			asking = append(asking, s.Plan.namespace(&t))
		}
	}
	return s, AwaitReplies(ctx, asking...)
}

// namespace returns the namespace of a task's attempt. See [WithNamespace].
func (l *todoPlan) namespace(t *Todo) string {
	return "todo/" + l.ID + "/" + t.Key + "/" + strconv.Itoa(t.Attempt)
}
