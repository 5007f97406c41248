package qed

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/usertext"
	"github.com/qedkit/qed/question"
)

// approve returns the arguments to call a tool with, after its approval if it
// needs one.
func (r *Registry) approve(sc *scope, t *Tool, arguments json.RawMessage) (json.RawMessage, error) {
	if !t.NeedsApproval {
		return arguments, nil
	}
	registered := r.tools[t.Name]
	arguments, err := registered.check(arguments) // the user sees what the tool gets
	if err != nil {
		return nil, err
	}
	own := sc.enter(sc, "", nil)
	if sc.place != nil {
		own.place = sc.place.child(":approve")
		own.place.cannotInterrupt = sc.place.cannotApprove // approval may interrupt even a task that may not interrupt
	}
	if r.opt.Approve == nil {
		return r.askApproval(own, t, arguments)
	}
	approved, err := r.opt.Approve(own, *t, bytes.Clone(arguments))
	if err != nil {
		return nil, err
	}
	return registered.check(approved)
}

// askApproval asks the user whether a tool may be called. An edited value is
// checked like the arguments of a call.
func (r *Registry) askApproval(ctx context.Context, t *Tool, arguments json.RawMessage) (json.RawMessage, error) {
	texts := scopeOf(ctx).texts()
	text := usertext.Fill(texts.MayCall, "tool", t.Name)
	if task := scopeOf(ctx).task; task != nil {
		description := task.Key + ": " + strings.Join(strings.Fields(task.Description), " ")
		text = usertext.Fill(texts.MayCallForTask, "task", description, "tool", t.Name)
	}
	problem := ""
	for {
		said, err := Interrupt[question.Approval[json.RawMessage]](ctx, question.Question{
			Text: problem + text, Draft: arguments,
		})
		switch {
		case err != nil:
			return nil, err
		case said.Decision == question.Reject && said.Reason != "":
			return nil, fmt.Errorf("the user rejected the call of %s: %s", t.Name, prompt.Clip(said.Reason, maxReason))
		case said.Decision == question.Reject:
			return nil, fmt.Errorf("the user rejected the call of %s", t.Name)
		case said.Decision == question.Approve:
			return arguments, nil
		}
		changed, err := r.tools[t.Name].check(said.Value)
		if err == nil {
			return changed, nil
		}
		problem = prompt.Clip(usertext.Fill(texts.ChangedUnusable, "problem", err.Error()), maxProblem) + "\n"
	}
}
