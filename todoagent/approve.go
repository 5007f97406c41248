package todoagent

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/usertext"
	"github.com/qedkit/qed/question"
)

// approve is the node that asks the user whether a plan may run. The user can
// approve, edit or reject it.
func (a *agent) approve(ctx context.Context, s state) (state, error) {
	l, problem, texts := *s.Plan, "", a.texts(ctx)
	for {
		draft, err := json.Marshal(qed.TodoList(l))
		if err != nil {
			return s, err
		}
		// A changed draft is another question.
		version := fmt.Sprintf("%x", sha256.Sum256([]byte(string(draft)+problem)))
		named := qed.WithNamespace(ctx, "plan/"+l.ID+"/approval/"+version)
		q := question.Question{Text: l.proposal(texts, problem), Draft: draft}
		reply, err := qed.Interrupt[question.Approval[json.RawMessage]](named, q)
		if err != nil {
			return s, err
		}
		switch reply.Decision {
		case question.Reject:
			s.Plan, s.Said = nil, texts.PlanDropped
			s.Reason = texts.NotApproved
			if reply.Reason != "" {
				s.Reason = usertext.Fill(texts.Because, "text", s.Reason, "reason", prompt.Clip(reply.Reason, maxReason))
			}
			return s, nil
		case question.Edit:
			edited, err := a.edited(&l, reply.Value)
			if err != nil {
				problem = prompt.Clip(err.Error(), maxProblem)
				continue
			}
			l = *edited
			qed.Emit(ctx, qed.Planned{Reason: l.Reason, Tasks: l.planTasks()})
		}
		l.Proposed = false
		s.Plan = &l
		return s, nil
	}
}

// edited returns a plan with the tasks of an edited draft. They are checked like
// the tasks of the model.
func (a *agent) edited(l *plan, value json.RawMessage) (*plan, error) {
	var draft qed.TodoList
	if err := draft.DecodeStrict(value); err != nil {
		return nil, err
	}
	out := *l
	out.Tasks = nil
	tasks := make([]readTask, len(draft.Tasks))
	for i, t := range draft.Tasks {
		tasks[i] = readTask{
			Key: t.Key, Description: t.Description, Tool: t.Tool, Arguments: string(t.Arguments),
			After: t.After, CanClarify: &t.CanInterrupt, Parallel: t.Parallel,
		}
	}
	if len(tasks) == 0 {
		return nil, errors.New("the plan has no tasks; to stop here, reject it")
	}
	if err := a.accept(&out, tasks); err != nil {
		return nil, err
	}
	for _, t := range draft.Tasks {
		if t.Status == qed.TodoSkipped {
			out.skip(t.Key)
		}
	}
	if !out.open() {
		return nil, errors.New("all tasks are skipped; to stop here, reject the plan")
	}
	return &out, nil
}

// proposal returns the text of the question whether a plan may run.
func (l *plan) proposal(texts *texts, problem string) string {
	var b strings.Builder
	if problem != "" {
		b.WriteString(usertext.Fill(texts.Unusable, "problem", problem) + "\n")
	}
	b.WriteString(texts.Plan + "\n")
	for i, t := range l.Tasks {
		fmt.Fprintf(&b, "%d. %s: %s (%s)\n", i+1, t.Key, strings.Join(strings.Fields(t.Description), " "), t.Tool)
	}
	b.WriteString(texts.Approve)
	return b.String()
}
