package todoagent

import (
	"cmp"
	"context"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/answertext"
	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/internal/prompt"
)

// rewritten is the model's reply to reiterate_intention.
type rewritten struct {
	Question string `json:"question" jsonschema_description:"the request, clear in itself"`
}

const maxQuestion = 4000 // bytes of a rewritten request

// rewrite is the node that rewrites a request so that it is clear in itself: it
// names what the request refers to, and has dates instead of relative times.
func (a *agent) rewrite(ctx context.Context, s state) (state, error) {
	if err := a.recall(ctx, &s); err != nil {
		return s, err
	}
	facts, err := qed.Dates(ctx, s.Text)
	if err != nil {
		return s, err
	}
	data := rewriteData{
		Language: answertext.Tag(ctx),
		Message:  s.Text,
		Before:   s.Before,
		Dates:    facts,
		Known:    s.Known,
	}
	reply, err := modelcall.Reply[rewritten](ctx, a.model, "reiterate_intention", a.prompts["reiterate_intention"], &data, s.History)
	if err != nil && !modelcall.Unusable(err) {
		return s, err
	}
	s.Rewritten = prompt.Clip(strings.TrimSpace(reply.Question), maxQuestion)
	s.Rewritten = cmp.Or(s.Rewritten, s.Text) // the plan can be made from the message as well
	s.PlanID = qed.Info(ctx).NewID()
	s.History = nil
	qed.Emit(ctx, qed.QuestionRewritten{Question: s.Rewritten})
	return s, nil
}
