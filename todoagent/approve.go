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
)

// approve is the node that asks the user whether a plan may run. He may take it, change it, or not.
func (a *agent) approve(ctx context.Context, s state) (state, error) {
	l, problem := *s.plan(), ""
	for {
		draft, err := json.Marshal(qed.TodoList(l))
		if err != nil {
			return s, err
		}
		version := fmt.Sprintf("%x", sha256.Sum256([]byte(string(draft)+problem))) // a changed draft is another question
		said, err := qed.Interrupt[qed.Approval[json.RawMessage]](qed.WithNamespace(ctx, "plan/"+l.ID+"/approval/"+version), qed.Question{Text: l.proposal(problem), Draft: draft})
		if err != nil {
			return s, err
		}
		switch said.Decision {
		case qed.DecisionReject:
			s.Plan, s.Said = nil, "All right, I leave it."
			s.Reason = "the plan was not approved"
			if said.Reason != "" {
				s.Reason += ": " + prompt.Clip(said.Reason, maxReason)
			}
			return s, nil
		case qed.DecisionEdit:
			edited, err := a.edited(&l, said.Value)
			if err != nil {
				problem = prompt.Clip(err.Error(), maxProblem)
				continue
			}
			l = *edited
			qed.Emit(ctx, qed.Planned{Reason: l.Reason, Tasks: l.steps()})
		}
		l.Proposed = false
		s.Plan = &l
		return s, nil
	}
}

// edited returns a plan with the tasks that the user made of them, as far as he may.
func (a *agent) edited(l *plan, value json.RawMessage) (*plan, error) {
	var draft qed.TodoList
	if err := draft.DecodeStrict(value); err != nil {
		return nil, err
	}
	out := *l
	out.Tasks = nil
	tasks := make([]readTask, len(draft.Tasks))
	for i, t := range draft.Tasks {
		tasks[i] = readTask{t.Key, t.Description, t.Tool, string(t.Arguments), t.After, &t.CanInterrupt, t.Parallel}
	}
	if len(tasks) == 0 {
		return nil, errors.New("a plan needs tasks; to have nothing done, reject it")
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
		return nil, errors.New("all of its tasks are skipped; to have nothing done, reject it")
	}
	return &out, nil
}

// proposal is the question whether a plan may run.
func (l *plan) proposal(problem string) string {
	var b strings.Builder
	if problem != "" {
		fmt.Fprintf(&b, "The changed plan cannot be used: %s\n", problem)
	}
	b.WriteString("This is the plan:\n")
	for i, t := range l.Tasks {
		fmt.Fprintf(&b, "%d. %s: %s (%s)\n", i+1, t.Key, strings.Join(strings.Fields(t.Description), " "), t.Tool)
	}
	b.WriteString("May it run?")
	return b.String()
}
