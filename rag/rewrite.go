package rag

import (
	"context"
	"errors"
	"strings"

	"github.com/qedkit/qed"
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
	req, err := a.request("rewrite_question", a.opt.Prompts.Rewrite, RewriteData{s.Question, s.History})
	if err != nil {
		return s, err
	}
	call, cancel := context.WithTimeoutCause(ctx, a.opt.ModelTimeout, errModelTimeout)
	defer cancel()
	opt := &llm.ObjectOptions{}
	if a.opt.JSONMode {
		opt.Mode = llm.JSONMode
	}
	wrote, resp, err := llm.Object[rewritten](call, a.model, req, opt)
	if resp != nil {
		s.Usage.Add(resp.Usage)
	}
	if err != nil && !inept(err) && !errors.Is(err, qed.ErrBudget) {
		return s, modelError(call, err)
	}
	if question := strings.TrimSpace(wrote.Question); question != "" {
		s.Question = prompt.Clip(question, maxMessage)
	}
	s.History = nil
	return s, nil
}
