package sqlagent

import (
	"context"
	"errors"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/asking"
	"github.com/qedkit/qed/query"
)

// AnswerData is what the prompt for putting rows into words is given.
type AnswerData struct {
	Question  string
	SQL       string
	Rows      string // JSON lines
	Shown     int
	Total     int
	Truncated bool
}

// answer puts the rows into words, as they stream from the model. Where nothing
// could be read, it says why; where only the words fail, the rows still stand.
func (a *agent) answer(ctx context.Context, s state) (state, error) {
	spent := qed.BudgetExceeded(ctx)
	if spent != nil {
		s.Reason = spent.Error()
	}
	if s.Table == nil {
		return a.explain(ctx, s), nil
	}
	table, err := s.rows(ctx)
	if err != nil {
		return s, err
	}
	rows, shown := table.PromptLines(len(table.Rows), maxRowBytes)
	data := AnswerData{
		Question:  s.Question,
		SQL:       s.Query.Written,
		Rows:      rows,
		Shown:     shown,
		Total:     len(table.Rows),
		Truncated: table.Truncated,
	}
	req, err := a.model.Request("answer", a.opt.Prompts.Answer, data, s.History)
	if err != nil {
		return s, err
	}
	s.Text, err = a.model.Text(ctx, &s.Usage, req, func(text string) { qed.EmitText(ctx, text) })
	switch {
	case errors.Is(err, qed.ErrBudget) && spent != nil:
		s.Reason = "the rows were read, but not put into words: " + err.Error()
	case err != nil && !asking.Unusable(err):
		return s, err
	case strings.TrimSpace(s.Text) == "":
		s.Reason = "the rows were read, but the model did not put them into words"
	case err != nil:
		s.Reason = "the rows were read, but the model broke off while it put them into words"
	}
	return s, nil
}

// finish is the answer that a turn ends with.
func (a *agent) finish(ctx context.Context, s state) (qed.Answer, error) {
	rows, err := s.rows(ctx)
	if err != nil {
		return qed.Answer{}, err
	}
	answer := qed.Answer{
		Text:          s.Text,
		Table:         rows,
		Partial:       s.Reason != "",
		PartialReason: s.Reason,
		Usage:         s.Usage,
	}
	if s.Query.Written != "" {
		answer.Queries = []qed.Query{s.Query}
	}
	return answer, nil
}

// explain says why there is no answer, in words of the program's own.
func (a *agent) explain(ctx context.Context, s state) state {
	if s.Reason == "" {
		s.Reason = "no statement that may run was found"
	}
	s.Text = "I could not answer this: " + s.Reason + "."
	if s.Fault != nil {
		s.Text += " The last statement was not run: " + s.Fault.Message + "."
	}
	s.Query = qed.Query{Language: query.SQL, Written: lastTried(s), JoinPath: s.Joins, Corrections: s.Query.Corrections}
	qed.EmitText(ctx, s.Text)
	return s
}

func lastTried(s state) string {
	if n := len(s.Query.Corrections); n > 0 {
		return s.Query.Corrections[n-1].Query
	}
	return ""
}

const maxRowBytes = 24_000
