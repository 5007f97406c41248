package rag

import (
	"context"
	"errors"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/asking"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
)

// RewriteData is what the prompt for making a question stand alone is given.
type RewriteData struct {
	Question string
	History  []llm.Message // of the user and the assistant, oldest first
}

// rewritten is what the model answers when it makes a question stand alone.
type rewritten struct {
	Question string `json:"question" jsonschema:"description=the question as it stands alone"`
}

// rewrite makes the question stand alone. Where the model does not manage that, or
// the budget is spent, it stays as it was asked.
func (a *agent) rewrite(ctx context.Context, s state) (state, error) {
	req, err := a.model.Request("rewrite_question", a.opt.Prompts.Rewrite, RewriteData{s.Question, s.History}, nil)
	if err != nil {
		return s, err
	}
	wrote, err := asking.Object[rewritten](ctx, a.model, &s.Usage, req)
	if err != nil && !asking.Unusable(err) && !errors.Is(err, qed.ErrBudget) {
		return s, err
	}
	if question := strings.TrimSpace(wrote.Question); question != "" {
		s.Question = prompt.Clip(question, maxMessage)
	}
	s.History = nil
	return s, nil
}
