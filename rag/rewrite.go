package rag

import (
	"context"
	"errors"
	"strings"

	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
)

// rewriteData is the data of the prompt that rewrites a question.
type rewriteData struct {
	Question string
	History  []llm.Message // of the user and the assistant, oldest first
}

// rewritten is the model's reply to the prompt that rewrites a question.
type rewritten struct {
	Question string `json:"question" jsonschema:"description=the question as it stands alone"`
}

// rewrite is the node that makes the question independent of the conversation.
// If the model replies with nothing that can be used, or the budget is spent,
// the question stays as it is.
func (a *agent) rewrite(ctx context.Context, s state) (state, error) {
	data := rewriteData{Question: s.Question, History: s.History}
	reply, err := modelcall.Reply[rewritten](ctx, a.model, "rewrite_question", a.prompts["rewrite"], data, nil)
	if err != nil && !modelcall.Unusable(err) && !errors.Is(err, budget.ErrExceeded) {
		return s, err
	}
	if question := strings.TrimSpace(reply.Question); question != "" {
		s.Question = prompt.Clip(question, maxMessage)
	}
	s.History = nil
	return s, nil
}
