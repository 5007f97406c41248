package todoagent

import (
	"context"
	"fmt"
	"slices"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/asking"
	"github.com/qedkit/qed/internal/phrase"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
)

// readIntent is what the model says of a message.
type readIntent struct {
	Intent  qed.Intent   `json:"intent" jsonschema:"enum=new_request,enum=modification,enum=continue,enum=continuation,enum=abort"`
	Changes []taskChange `json:"changes,omitempty" jsonschema_description:"with modification: the tasks of the plan that the user wants skipped, done again or changed, where nothing else changes"`
	Reason  string       `json:"reason,omitempty" jsonschema_description:"one sentence why"`
}

// A todoChange is what the user wants of one task of the open plan.
type taskChange struct {
	Key         string `json:"key" jsonschema_description:"the task's"`
	Action      string `json:"action" jsonschema:"enum=skip,enum=retry,enum=edit"`
	Description string `json:"description,omitempty" jsonschema_description:"with edit: what the task is then"`
	Arguments   string `json:"arguments,omitempty" jsonschema_description:"with edit: the JSON object of all of its arguments then"`
}

// classify is the node that finds out what a message means beside the plan that is open: where it answers a question, the task that asked
// runs again; else it may go on with the plan, change it, or want something else.
func (a *agent) classify(ctx context.Context, s state) (state, error) {
	// What an earlier turn did, and could not save before it was stopped.
	if err := a.saveAll(ctx, &s); err != nil {
		return s, err
	}
	if s.Replied {
		s.Intent = qed.IntentAnswer
		qed.Emit(ctx, qed.IntentClassified{Intent: qed.IntentAnswer})
		return s, nil
	}
	if s.Plan != nil && !s.plan().open() {
		if !s.Told && (phrase.Says(s.Text, continueWords) || phrase.Says(s.Text, retryWords)) {
			s.Intent = qed.IntentContinue // its answer is still to be given
			qed.Emit(ctx, qed.IntentClassified{Intent: qed.IntentContinue})
			return s, nil
		}
		s.Plan = nil
	}
	if err := a.remembered(ctx, &s); err != nil {
		return s, err
	}
	said, err := a.intent(ctx, &s)
	if err != nil || s.Said != "" {
		return s, err
	}
	s.Intent = said.Intent
	read := qed.IntentClassified{Intent: said.Intent, Reason: prompt.Clip(said.Reason, maxReason)}
	for _, c := range said.Changes {
		read.Tasks = append(read.Tasks, c.Key)
	}
	qed.Emit(ctx, read)
	switch {
	case said.Intent == qed.IntentAbort:
		s.Plan, s.Dropped = nil, true
	case said.Intent == qed.IntentContinue:
		a.goOn(ctx, &s)
	case len(said.Changes) > 0: // they are made
	default:
		s.anew(said.Intent)
	}
	return s, nil
}

// goOn has the open plan go on. A task that failed is tried again, if it may be.
func (a *agent) goOn(ctx context.Context, s *state) {
	l := s.plan()
	t := l.task(l.Current)
	switch {
	case t.Status != qed.TodoFailed:
	case a.repeatable(ctx, l, t):
		reset(t)
		t.CanInterrupt = a.planned(t.Tool).Interrupts // the user is there
	default:
		s.Said = fmt.Sprintf("%s failed: %s\nIt is only tried again when you say \"retry %s\"; \"skip %s\" leaves it out.", t.Key, t.Problem, t.Key, t.Key)
		s.Reason = fmt.Sprintf("task %s failed: %s", t.Key, t.Problem)
	}
}

// harmless reports whether a tool may be called at any time: it may be repeated, or is an agent, which sees to that itself.
func (a *agent) harmless(t *qed.Todo) bool {
	return !a.planned(t.Tool).AtMostOnce()
}

// repeatable reports whether a task may be done once more without anybody's asking for it: its tool may be repeated, or nothing was called that
// may not. That was so also where a turn was stopped before the plan was told.
func (a *agent) repeatable(ctx context.Context, l *plan, t *qed.Todo) bool {
	tool := a.planned(t.Tool)
	agent := !tool.Idempotent && !tool.AtMostOnce()
	over := done(t) || t.Status == qed.TodoFailed
	switch {
	case tool.Idempotent || t.Status == qed.TodoInterrupted && !agent: // a tool that asks has not done its work yet
		return true
	case !agent && (t.Status == qed.TodoComplete || t.Status == qed.TodoFailed || t.Status == qed.TodoSkipped && t.Attempt > 0):
		return false
	}
	attempt := *t
	attempt.Attempt = max(t.Attempt, 1)
	begun, complete, err := qed.AtMostOnceCalls(qed.WithNamespace(ctx, (*plan)(l).namespace(&attempt)))
	return err == nil && !begun && (complete || !over)
}

// anew gives up the plan, if there is one: another is to be made.
func (s *state) anew(intent qed.Intent) {
	s.Before = ""
	if intent == qed.IntentModification || intent == qed.IntentContinuation {
		s.Before = s.Rewritten
		if s.Plan != nil {
			s.Before = s.plan().Rewritten
		}
	}
	s.Plan, s.Request, s.Rewritten, s.Ground, s.Ran, s.Told = nil, s.Text, "", "", nil, false
}

// The words that mean one thing only while a plan is open.
var (
	continueWords = []string{"continue", "go on", "resume", "proceed", "next", "carry on", "keep going", "go ahead"}
	retryWords    = []string{"retry", "try again", "again", "once more", "retry it", "repeat"}
	skipWords     = []string{"skip", "skip it", "skip this", "skip that", "leave it out"}
)

// replies reads a message that comes while a task's question is open. What is said of the plan answers no question.
func (a *agent) replies(ctx context.Context, open []qed.Question, turn qed.Turn) (qed.ParsedReplies, error) {
	names := func(q qed.Question) bool { return q.Kind == qed.TextQuestion || named(q, turn.Text) }
	if _, ok := plainChanges(turn.Text); ok && !slices.ContainsFunc(open, names) {
		return qed.ParsedReplies{Intent: qed.IntentModification}, nil
	}
	return a.parse(ctx, open, turn)
}

func named(q qed.Question, text string) bool {
	_, ok := q.Choice(text)
	return ok
}

// plainIntent returns what a message means beyond doubt.
func (s *state) plainIntent() (readIntent, bool) {
	if s.Plan == nil {
		if phrase.Says(s.Text, phrase.Abort) {
			return readIntent{Intent: qed.IntentAbort}, true
		}
		return readIntent{Intent: qed.IntentNewRequest}, len(s.Known.Queries) == 0
	}
	switch {
	case phrase.Says(s.Text, phrase.Abort):
		return readIntent{Intent: qed.IntentAbort}, true
	case phrase.Says(s.Text, continueWords):
		return readIntent{Intent: qed.IntentContinue}, true
	}
	changes, ok := plainChanges(s.Text)
	for i := range changes {
		if changes[i].Key == "" {
			changes[i].Key = s.plan().Current
		}
		ok = ok && s.plan().task(changes[i].Key) != nil
	}
	return readIntent{Intent: qed.IntentModification, Changes: changes}, ok
}

// intent returns what a message means, and makes the changes to the plan that it wants. Where it cannot make them, the state has what to
// tell the user.
func (a *agent) intent(ctx context.Context, s *state) (readIntent, error) {
	if said, ok := s.plainIntent(); ok {
		if problem := a.change(ctx, s.plan(), said.Changes, true); problem != nil {
			s.refuse(problem)
		}
		return said, nil
	}
	// What a message that was no answer to an open question is, has been read.
	if (s.Read == qed.IntentNewRequest || s.Read == qed.IntentAbort) && s.ReadReason != "" {
		return readIntent{Intent: s.Read, Reason: s.ReadReason}, nil
	}
	data := ClassifyData{Message: s.Text, Known: s.Known}
	if s.Plan != nil {
		data.Plan = s.plan().shown()
		data.Request = s.plan().Rewritten
	}
	var problem error
	for range a.opt.MaxReplans + 1 {
		req, err := a.model.Request("classify_intent", a.prompts.Classify, data, s.History)
		if err != nil {
			return readIntent{}, err
		}
		said, err := asking.Object[readIntent](ctx, a.model, new(llm.Usage), req)
		switch {
		case asking.Unusable(err):
			return readIntent{Intent: qed.IntentNewRequest, Reason: "the model did not say what the message is"}, nil
		case err != nil:
			return readIntent{}, err
		}
		said.fit(s)
		if problem = a.change(ctx, s.plan(), said.Changes, false); problem == nil {
			edits := slices.ContainsFunc(said.Changes, func(c taskChange) bool { return c.Action == "edit" })
			if edits && a.opt.ApprovePlan {
				s.Plan.Proposed = true // these are the model's words, and not the user's
			}
			return said, nil
		}
		data.Problem = prompt.Clip(problem.Error(), maxProblem)
	}
	s.refuse(problem)
	return readIntent{}, nil
}

// fit makes of an intent one that there can be.
func (r *readIntent) fit(s *state) {
	switch {
	case s.Plan == nil && (r.Intent == qed.IntentModification || r.Intent == qed.IntentContinue):
		r.Intent = qed.IntentContinuation // there is nothing else that it could change or go on with
	case r.Intent == qed.IntentAnswer:
		r.Intent = qed.IntentModification
	}
	if r.Intent != qed.IntentModification || s.Plan == nil {
		r.Changes = nil
	}
}

// refuse tells the user why the plan stays as it is.
func (s *state) refuse(problem error) {
	s.Said = "The plan was not changed: " + problem.Error() + "\nSay \"continue\" to go on with it as it is."
	s.Reason = problem.Error()
}
