package rag

import (
	"context"
	"errors"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/answertext"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/internal/usertext"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/rag/citation"
)

// answerData is the data of the prompt that answers a question.
type answerData struct {
	Question string
	Language string      // of the answer, such as "de"; empty: that of the question
	Dates    dates.Facts // today and the calendar
	Passages []Passage   // the best first
}

// ShrinkRows leaves out the passages that are least alike the question.
func (d *answerData) ShrinkRows() bool { return modelcall.Halve(&d.Passages, 1) }

// answer is the node that lets the model answer from the passages, and streams
// what the model writes.
func (a *agent) answer(ctx context.Context, s state) (state, error) {
	texts := a.texts(ctx)
	if len(s.Passages) == 0 {
		s.NotFound, s.Reason = true, texts.Nothing
		if qed.BudgetExceeded(ctx) != nil {
			s.NotFound, s.Reason = false, texts.Limit // nothing was searched
		}
		return texts.explain(ctx, s), nil
	}
	facts, err := qed.Dates(ctx, s.Question)
	if err != nil {
		return s, err
	}
	data := answerData{Question: s.Question, Language: answertext.Tag(ctx), Dates: facts, Passages: s.Passages}
	req, err := a.model.Request("answer_from_documents", a.prompts["answer"], &data, nil)
	if err != nil {
		return s, err
	}
	stream := answertext.Stream(ctx, qed.ChannelFinal)
	write := func(piece string) { stream(llm.Delta{Text: piece}) }
	text := citation.NewText(sources(s.Passages), write)
	_, err = a.model.Text(ctx, req, func(d llm.Delta) {
		if d.Discard {
			stream(d)
			text = citation.NewText(sources(s.Passages), write)
			return
		}
		text.Write(d.Text)
	})
	result := text.Close()
	// Being the wrap-up node, this node may still answer from what is in the
	// budget's reserve, so the budget alone is no reason to fail.
	spent := errors.Is(err, budget.ErrExceeded) && (result.Text != "" || qed.BudgetExceeded(ctx) != nil)
	if err != nil && !modelcall.Unusable(err) && !spent {
		return s, err
	}
	s.Text = result.Text
	s.Citations, s.Audit = cited(s.Passages, result)
	switch {
	case result.None:
		s.NotFound, s.Audit, s.Reason = true, nil, texts.Nothing
		return texts.explain(ctx, s), nil
	case s.Text == "" && spent:
		s.Reason = texts.Limit
		return texts.explain(ctx, s), nil
	case s.Text == "":
		s.Reason = texts.NoText
		return texts.explain(ctx, s), nil
	case err != nil:
		s.Reason = texts.CutOff
	case len(result.Cited) == 0:
		s.Reason = texts.NotCited
	}
	s.Unproved = answertext.Unproved(s.Audit, facts.Now)
	if doubt := answertext.Doubt(texts.Unproved, s.Unproved); doubt != "" {
		s.Reason = strings.TrimSpace(s.Reason + " " + doubt)
		answertext.Append(ctx, &s.Text, doubt)
	}
	return s, nil
}

// sources returns what the model may cite.
func sources(passages []Passage) []citation.Source {
	return lists.Map(passages, func(p Passage) citation.Source {
		return citation.Source{Key: p.Key, Text: p.Citation.Title + "\n" + p.Text}
	})
}

// cited returns the citations of a text, and what is wrong with them.
func cited(passages []Passage, r citation.Result) (all []qed.Citation, audit *qed.CitationAudit) {
	if r.Text == "" {
		return nil, nil
	}
	all = lists.Map(r.Cited, func(at int) qed.Citation { return passages[at].Citation })
	found := r.Audit(sources(passages))
	return all, &found
}

// explain answers with the reason why there is no other answer.
func (t *texts) explain(ctx context.Context, s state) state {
	s.Text = usertext.Fill(t.NoAnswer, "reason", s.Reason)
	qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: s.Text})
	return s
}
