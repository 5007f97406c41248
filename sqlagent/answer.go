package sqlagent

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/figures"
	"github.com/qedkit/qed/internal/answertext"
	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/recall"
	"github.com/qedkit/qed/internal/usertext"
	"github.com/qedkit/qed/internal/wordset"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/query"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
)

// answerData is the data of the prompt for answering from the rows.
type answerData struct {
	Question  string
	Language  string // of the answer, such as "de"; empty: that of the question
	Dates     dates.Facts
	SQL       string
	Syntax    string // how to refer to a value: [figures.Syntax]
	Rows      string // JSON lines, each with the name of its row
	Shown     int
	Total     int
	Truncated bool

	table *qed.Table
	room  int // bytes of Rows
}

// answer is the last node. A turn that read something is noted for the user.
func (a *agent) answer(ctx context.Context, s state) (state, error) {
	s, err := a.answerText(ctx, s)
	if err != nil || s.Table == nil || a.opt.User == nil {
		return s, err
	}
	answer, err := a.finish(ctx, s)
	if err != nil {
		return s, err
	}
	return s, recall.NoteAnswer(ctx, a.opt.User, s.Question, &answer, a.catalog.hidden)
}

// answerText has the model answer from the rows; its text is streamed. If no statement ran,
// the text says why. If the model fails, the rows are still part of the answer.
func (a *agent) answerText(ctx context.Context, s state) (state, error) {
	exceeded := qed.BudgetExceeded(ctx)
	texts := a.texts(ctx)
	switch {
	case exceeded == nil || a.found(s):
	case s.Table == nil:
		s.Reason = texts.LimitNoRows
	default:
		s.Reason = texts.LimitNothing
	}
	if s.Table == nil {
		return a.explain(ctx, s), nil
	}
	if reason := because(texts, s.Query.Empty); reason != "" {
		s.add(ctx, reason)
		a.addNotes(ctx, &s)
		return s, nil
	}
	table, err := s.rows(ctx)
	if err != nil {
		return s, err
	}
	rows, shown := figures.Rows(table, len(table.Rows), maxRowBytes)
	facts, err := a.dates(ctx, s.Question)
	if err != nil {
		return s, err
	}
	data := answerData{
		Question:  s.Question,
		Language:  answertext.Tag(ctx),
		Dates:     facts,
		SQL:       s.Query.Written,
		Syntax:    figures.Syntax,
		Rows:      rows,
		Shown:     shown,
		Total:     len(table.Rows),
		Truncated: table.Truncated,
		table:     table,
		room:      maxRowBytes,
	}
	req, err := a.model.Request("answer", a.prompts["answer"], &data, s.History)
	if err != nil {
		return s, err
	}
	source := figures.Source{
		Language: answertext.Language(ctx, s.Question),
		Tables:   []figures.Table{{Rows: *table}},
		Data:     append(answertext.Said(s.Question, s.History), facts.String(), s.Query.Written, s.Query.Executed),
	}
	result, err := answertext.Text(ctx, a.model, req, source, answertext.Stream(ctx, qed.ChannelFinal))
	s.Text, s.Figures, s.Unproved = result.Text, result.Figures, result.Unproved
	_, failed := errors.AsType[*llm.Error](err)
	switch {
	case err != nil && (ctx.Err() != nil || !failed && (exceeded == nil || !errors.Is(err, budget.ErrExceeded))):
		return s, err
	case failed && !modelcall.Unusable(err):
		qed.Emit(ctx, qed.Warning{Code: "not_in_words", Message: "the model could not put the rows into words: " + prompt.Clip(err.Error(), 300)})
	}
	switch {
	case strings.TrimSpace(s.Text) == "":
		s.say(ctx, texts.NotInWords)
	case err != nil:
		s.Reason = texts.CutOff
	}
	if doubt := answertext.Doubt(texts.Unproved, s.Unproved); doubt != "" {
		s.say(ctx, doubt)
	}
	a.addNotes(ctx, &s)
	return s, nil
}

// addNotes adds what code has to say about the statement that ran.
func (a *agent) addNotes(ctx context.Context, s *state) {
	texts := a.texts(ctx)
	if text := readAs(texts, s.Query.Values); text != "" {
		s.add(ctx, text)
	}
	a.noteTimes(ctx, s)
	for _, note := range a.joinNotes(ctx, s) {
		s.add(ctx, note)
	}
	a.noteProof(ctx, s)
	if len(s.Other) > 0 {
		s.say(ctx, usertext.Fill(texts.OtherJoin, "chosen", s.Chosen.Text, "joins", strings.Join(s.Other, ", ")))
	}
	switch {
	case s.Guessed:
		s.say(ctx, usertext.Fill(texts.GuessedJoin, "tables", groupsText(s.Unconnected, " | ")))
	case len(s.LeftOut) > 0:
		s.say(ctx, usertext.Fill(texts.LeftOut, "tables", strings.Join(s.LeftOut, ", ")))
	}
}

// found reports whether the last statement ran and nothing more was to be done: a
// budget that is used up after that costs nothing of the answer.
func (a *agent) found(s state) bool {
	return s.Table != nil && (s.Draft.Query == "" || s.Draft.Query == s.Query.Written) && a.afterExecution(s) == "answer"
}

// changing are statements that change data. The first word of another text that is no
// query says only that the model did not write SQL.
var changing = wordset.Of("INSERT UPDATE DELETE MERGE REPLACE TRUNCATE DROP ALTER CREATE GRANT REVOKE RENAME")

// explain writes the text of an answer without rows.
func (a *agent) explain(ctx context.Context, s state) state {
	texts := a.texts(ctx)
	switch {
	case s.Reason != "":
	case slices.ContainsFunc(s.Draft.Problems, func(p refusal.Problem) bool { return p.Code == secureview.ErrNotSelect && changing[p.Name] }):
		s.Reason = texts.OnlyReads
	default:
		s.Reason = texts.NoQuery
	}
	s.Text = usertext.Fill(texts.NoAnswer, "reason", s.Reason)
	s.Query = qed.Query{Language: query.SQL}
	if n := len(s.Draft.Corrections); n > 0 {
		s.Query.Written = s.Draft.Corrections[n-1].Query
	}
	qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: s.Text})
	return s
}

// say adds to the text of the answer why it is partial.
func (s *state) say(ctx context.Context, reason string) {
	s.Reason = strings.TrimSpace(s.Reason + " " + reason)
	s.add(ctx, reason)
}

// add adds a paragraph to the text of the answer.
func (s *state) add(ctx context.Context, paragraph string) {
	answertext.Append(ctx, &s.Text, paragraph)
}

// finish returns the answer of a turn.
func (a *agent) finish(ctx context.Context, s state) (qed.Answer, error) {
	rows, err := s.rows(ctx)
	if err != nil {
		return qed.Answer{}, err
	}
	answer := qed.Answer{
		Text:          s.Text,
		Figures:       s.Figures,
		Unproved:      s.Unproved,
		Dates:         s.Dates,
		Used:          s.Used,
		Table:         rows,
		Partial:       s.Reason != "",
		PartialReason: s.Reason,
	}
	if s.Query.Written != "" {
		s.Query.Corrections = s.Draft.Corrections
		answer.Queries = []qed.Query{s.Query}
	}
	return answer, nil
}

const maxRowBytes = 24_000
