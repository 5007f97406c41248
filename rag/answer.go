package rag

import (
	"context"
	"errors"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/asking"
)

// AnswerData is what the prompt for answering a question is given.
type AnswerData struct {
	Question string
	Passages []Passage // the best first
}

// answer answers the question from the passages, as it streams from the model.
// Where none was found, or the model has no answer, it says so.
func (a *agent) answer(ctx context.Context, s state) (state, error) {
	if len(s.Passages) == 0 {
		s.Reason = "the documents say nothing about it"
		return explain(ctx, s), nil
	}
	req, err := a.model.Request("answer_from_documents", a.opt.Prompts.Answer, AnswerData{s.Question, s.Passages}, nil)
	if err != nil {
		return s, err
	}
	c := &citations{passages: len(s.Passages)} // which are put right as they come
	_, err = a.model.Text(ctx, &s.Usage, req, func(text string) { qed.EmitText(ctx, c.write(text)) })
	qed.EmitText(ctx, c.end())
	spent := errors.Is(err, qed.ErrBudget) && (c.text.Len() > 0 || qed.BudgetExceeded(ctx) != nil)
	if err != nil && !asking.Unusable(err) && !spent {
		return s, err // where the budget is spent, this node may use what was kept back
	}
	s.Text = c.text.String()
	for _, n := range c.cited {
		s.Sources = append(s.Sources, s.Passages[n-1].Source)
	}
	switch {
	case s.Text == "" && spent:
		s.Reason = "passages were found, but not put into words: " + err.Error()
		return explain(ctx, s), nil
	case s.Text == "":
		s.Reason = "the model wrote no answer"
		return explain(ctx, s), nil
	case spent:
		s.Reason = "the answer breaks off: " + err.Error()
	case err != nil:
		s.Reason = "the model broke off while it answered"
	case len(c.cited) == 0:
		s.Reason = "the answer names no passage of the documents that it rests on"
	}
	return s, nil
}

// explain says why there is no answer, in words of the program's own.
func explain(ctx context.Context, s state) state {
	s.Text = "I could not answer this from the documents: " + s.Reason + "."
	qed.EmitText(ctx, s.Text)
	return s
}
