package rag

import (
	"context"
	"errors"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
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
	req, err := a.request("answer_from_documents", a.opt.Prompts.Answer, AnswerData{s.Question, s.Passages})
	if err != nil {
		return s, err
	}
	c := &citations{passages: len(s.Passages)}
	err = a.write(ctx, &s, req, c)
	spent := errors.Is(err, qed.ErrBudget) && (c.text.Len() > 0 || qed.OverBudget(ctx) != nil)
	if err != nil && !inept(err) && !spent {
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

// write has the model reply in text, and emits it as it comes, with its citations
// put right.
func (a *agent) write(ctx context.Context, s *state, req *llm.Request, c *citations) error {
	call, cancel := context.WithTimeoutCause(ctx, a.opt.ModelTimeout, errModelTimeout)
	defer cancel()
	resp, err := a.model.Generate(call, req, func(d llm.Delta) { tell(ctx, c.write(d.Text)) })
	tell(ctx, c.end())
	if err != nil {
		if failed, ok := errors.AsType[*llm.Error](err); ok && failed.Partial != nil {
			s.Usage.Add(failed.Partial.Usage)
		}
		return modelError(call, err)
	}
	s.Usage.Add(resp.Usage)
	return nil
}

func tell(ctx context.Context, text string) {
	if text != "" {
		qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: text})
	}
}

// explain says why there is no answer, in words of the program's own.
func explain(ctx context.Context, s state) state {
	s.Text = "I could not answer this from the documents: " + s.Reason + "."
	tell(ctx, s.Text)
	return s
}

var errModelTimeout = errors.New("rag: the model did not reply within Options.ModelTimeout")

// modelError gives a call that ran into the agent's own time limit the kind of a
// timeout: the turn's context is still good, the model was too slow.
func modelError(call context.Context, err error) error {
	if err != nil && errors.Is(context.Cause(call), errModelTimeout) {
		return &llm.Error{Kind: llm.ErrTimeout, Message: errModelTimeout.Error(), Err: err}
	}
	return err
}

// inept reports whether the model replied, but with nothing that can be used.
func inept(err error) bool {
	return errors.Is(err, llm.ErrInvalidOutput) || errors.Is(err, llm.ErrRefusal) || errors.Is(err, llm.ErrTruncated)
}
