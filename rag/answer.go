package rag

import (
	"context"
	"errors"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/asking"
	"github.com/qedkit/qed/internal/usertext"
)

// AnswerData is the data of the prompt that answers a question.
type AnswerData struct {
	Question string
	Dates    dates.Facts // today, the calendar, and what words of Question mean
	Passages []Passage   // the best first
}

// answer is the node that lets the model answer from the passages, and streams
// what the model writes.
func (a *agent) answer(ctx context.Context, s state) (state, error) {
	texts := a.texts(ctx)
	if len(s.Passages) == 0 {
		s.Reason = texts.Nothing
		if qed.BudgetExceeded(ctx) != nil {
			s.Reason = texts.Limit // nothing was searched
		}
		return texts.explain(ctx, s), nil
	}
	facts, err := qed.Dates(ctx, s.Question)
	if err != nil {
		return s, err
	}
	data := AnswerData{Question: s.Question, Dates: facts, Passages: s.Passages}
	req, err := a.model.Request("answer_from_documents", a.opt.Prompts.Answer, data, nil)
	if err != nil {
		return s, err
	}
	c := &citations{passages: len(s.Passages)}
	_, err = a.model.Text(ctx, &s.Usage, req, func(text string) {
		qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: c.write(text)})
	})
	qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: c.end()})
	// Being the wrap-up node, this node may still answer from what is in the
	// budget's reserve, so the budget alone is no reason to fail.
	spent := errors.Is(err, budget.ErrExceeded) && (c.text.Len() > 0 || qed.BudgetExceeded(ctx) != nil)
	if err != nil && !asking.Unusable(err) && !spent {
		return s, err
	}
	s.Text = c.text.String()
	for _, n := range c.cited {
		s.Citations = append(s.Citations, s.Passages[n-1].Citation)
	}
	switch {
	case s.Text == "" && spent:
		s.Reason = texts.Limit
		return texts.explain(ctx, s), nil
	case s.Text == "":
		s.Reason = texts.NoText
		return texts.explain(ctx, s), nil
	case err != nil:
		s.Reason = texts.CutOff
	case len(c.cited) == 0:
		s.Reason = texts.NotCited
	}
	return s, nil
}

// explain answers with the reason why there is no other answer.
func (t *Texts) explain(ctx context.Context, s state) state {
	s.Text = usertext.Fill(t.NoAnswer, "reason", s.Reason)
	qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: s.Text})
	return s
}
