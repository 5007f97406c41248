package sqlagent

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
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
	spent := qed.OverBudget(ctx)
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
	rows := jsonLines(table, len(table.Rows), maxRowBytes)
	data := AnswerData{
		Question:  s.Question,
		SQL:       s.Query.Written,
		Rows:      rows,
		Shown:     strings.Count(rows, "\n"),
		Total:     len(table.Rows),
		Truncated: table.Truncated,
	}
	req, err := a.request("answer", a.opt.Prompts.Answer, data, s.History)
	if err != nil {
		return s, err
	}
	s.Text, err = a.write(ctx, &s, req)
	switch {
	case errors.Is(err, qed.ErrBudget) && spent != nil:
		s.Reason = "the rows were read, but not put into words: " + err.Error()
	case err != nil && !inept(err):
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

// write has the model reply in text, and emits it as it comes. Beside an error
// it returns what it emitted, which cannot be taken back.
func (a *agent) write(ctx context.Context, s *state, req *llm.Request) (string, error) {
	call, cancel := context.WithTimeoutCause(ctx, a.opt.ModelTimeout, errModelTimeout)
	defer cancel()
	var told strings.Builder
	resp, err := a.model.Generate(call, req, func(d llm.Delta) {
		told.WriteString(d.Text)
		qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: d.Text})
	})
	if err != nil {
		var failed *llm.Error
		if errors.As(err, &failed) && failed.Partial != nil {
			s.Usage.Add(failed.Partial.Usage)
		}
		return told.String(), modelError(call, err)
	}
	s.Usage.Add(resp.Usage)
	return resp.Message.Content, nil
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
	s.Query = qed.Query{Language: "sql", Written: lastTried(s), JoinPath: s.Joins, Corrections: s.Query.Corrections}
	qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: s.Text})
	return s
}

func lastTried(s state) string {
	if n := len(s.Query.Corrections); n > 0 {
		return s.Query.Corrections[n-1].Query
	}
	return ""
}

// jsonLines writes a table's column names and at most limit rows as JSON arrays,
// one a line, up to about size bytes: data for a prompt. As < is escaped, no row
// can end a tag around it.
func jsonLines(t *qed.Table, limit, size int) string {
	var b strings.Builder
	head := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		head[i] = c.Name
	}
	write := func(v any) {
		line, err := json.Marshal(v)
		if err == nil { // cells of a Table always have a JSON form
			b.Write(line)
		}
	}
	write(head)
	// In a wide table, each cell is cut shorter, so that one row cannot fill a prompt.
	most := min(maxCell, max(minCell, size/max(1, len(head))))
	for _, row := range t.Rows[:min(limit, len(t.Rows))] {
		short := make([]any, len(row))
		for i, cell := range row {
			if s, ok := cell.(string); ok {
				cell = prompt.Clip(s, most)
			}
			short[i] = cell
		}
		if b.Len() > size {
			break
		}
		b.WriteByte('\n')
		write(short)
	}
	return b.String()
}

const (
	maxCell     = 300
	minCell     = 10
	maxRowBytes = 24_000
)
