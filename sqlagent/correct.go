package sqlagent

import (
	"context"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/asking"
	"github.com/qedkit/qed/internal/prompt"
)

// CorrectData is what the prompt for correcting a statement is given: as little
// as the fault needs.
type CorrectData struct {
	Dialect       string
	Question      string
	SQL           string
	Fault         string
	Candidates    []string
	History       []Attempt
	Relationships []string
	Tables        []PromptTable
}

// Attempt is a statement that was given up, cut short.
type Attempt struct{ SQL, Reason string }

// correct has the model write the statement again. It sees the tables that the
// statement names and those that its fault points to, and nothing else.
func (a *agent) correct(ctx context.Context, s state) (state, error) {
	before, reason := s.SQL, s.Fault.Message
	tables := a.mentioned(s)
	data := CorrectData{
		Dialect:       a.guard.Dialect().Name(),
		Question:      s.Question,
		SQL:           prompt.Clip(before, maxFailedSQL),
		Fault:         prompt.Clip(reason, maxFault),
		Candidates:    slices.DeleteFunc(slices.Clone(s.Fault.Candidates), func(name string) bool { return !plainName(name) }),
		Relationships: a.lines(a.relationshipsAmong(tables, a.opt.MaxRelationshipsInPrompt, false)),
	}
	for _, c := range s.Query.Corrections[:len(s.Query.Corrections)-1] {
		data.History = append(data.History, Attempt{prompt.Clip(oneLine(c.Query), a.opt.MaxHistorySQL), prompt.Clip(oneLine(c.Reason), maxReason)})
	}
	for _, name := range tables {
		t := a.catalog.describe(name, a.opt.MaxColumnsInCorrection, true)
		if a.opt.SkipColumnMessages {
			t.Columns, t.More = nil, 0
		}
		data.Tables = append(data.Tables, t)
	}
	req, err := a.model.Request("correct", a.opt.Prompts.Correct, data, nil)
	if err != nil {
		return s, err
	}
	s.Attempts++
	written, err := asking.Object[statement](ctx, a.model, &s.Usage, req)
	if asking.Unusable(err) {
		s.SQL = ""
		s.Reason = "the model could not correct the statement"
		return s, nil
	}
	if err != nil {
		return s, err
	}
	if s.take(written) {
		qed.Emit(ctx, qed.QueryCorrected{Attempt: s.Attempts, Before: before, After: s.SQL, Reason: reason})
		announce(ctx, s)
	}
	return s, nil
}

const (
	maxFailedSQL = 8000
	maxFault     = 4000
)

// mentioned returns the tables that the failed statement or its fault names; all
// joined ones where there is none of them.
func (a *agent) mentioned(s state) []string {
	var found []string
	for _, word := range identifiers(s.SQL + " " + strings.Join(s.Fault.Candidates, " ")) {
		if name, ok := a.catalog.find(word); ok && !slices.Contains(found, name) && len(found) < a.opt.MaxTablesInContext {
			found = append(found, name)
		}
	}
	if len(found) == 0 {
		return s.Joined
	}
	return found
}

// identifiers splits a text at everything that cannot stand in a plain name. It
// is a guess at what a broken statement is about, never a check of it.
func identifiers(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool {
		return r != '_' && r != '$' && r < 0x80 && !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9')
	})
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
