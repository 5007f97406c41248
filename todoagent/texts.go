package todoagent

import (
	"context"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/usertext"
)

// texts are the texts that the agent writes for users, other than those of models
// and tools. A name in braces is replaced by its value: {key} is the name of a task and {task} what it does.
type texts struct {
	// Answers.
	Aborted      string // the user wants nothing more
	PlanDropped  string // the user rejected the plan
	Limit        string // the limit of the request was reached
	PlanOpen     string // follows Limit if the plan is not done; {key}
	TaskFailed   string // {task} failed
	TaskUnknown  string // {task} was begun in an earlier turn, and its outcome is not known
	FailedHelp   string // follows TaskFailed: what the user can say; {key}
	MayNotRepeat string // {task} failed and must not run again by itself; {key}
	NotChanged   string // the change of the plan that the user asked for was not made; {problem}
	NoPlan       string // no plan could be made
	NothingToDo  string // the model made a plan without tasks, and did not say why
	NothingLeft  string // no task of the plan ran
	AllLost      string // no result is saved any more
	TaskDone     string // {task} was done and returned nothing to show

	// Questions.
	Plan      string // the plan follows
	Approve   string // comes after the plan
	Unusable  string // comes before the plan if the user's changes cannot be used; {problem}
	HowToPlan string // no plan could be made: how should it be made?

	// Why an answer is partial, if none of the answers above says it.
	NotApproved string
	Because     string // {text} and the user's {reason}
	NoTool      string // no tool can do it
	Skipped     string // {tasks} were skipped
	Lost        string // a result is not saved any more

	Unproved string // what the answer says without proof: {numbers}
}

var textTable = usertext.Of[texts]("todoagent")

// texts returns the texts in the language of the turn.
func (a *agent) texts(ctx context.Context) *texts { return textTable.In(ctx, qed.Info(ctx).Language) }

func about(text string, t *qed.Todo) string {
	return usertext.Fill(text, "key", t.Key, "task", t.Description)
}
