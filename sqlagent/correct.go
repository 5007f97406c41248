package sqlagent

import (
	"context"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/sqlagent/values"
)

// correctData is the data of the prompt for correcting a statement. It contains
// only what the problem needs.
type correctData struct {
	Dialect       string
	Question      string
	Dates         dates.Facts
	SQL           string
	Problems      []string         // what is wrong with SQL
	Earlier       []qed.Correction // the statements before it that were given up, cut short
	Relationships []string
	Tables        []promptTable
	Values        []string // see [generateData]; those of Tables
}

// correct has the model write the statement again. The prompt describes the tables
// that the statement and its problem name, and no others.
func (a *agent) correct(ctx context.Context, s state) (state, error) {
	tables := a.mentioned(s)
	facts, err := a.dates(ctx, s.Question)
	if err != nil {
		return s, err
	}
	data := correctData{
		Dialect:       a.guard.Dialect().Name(),
		Question:      s.Question,
		Dates:         facts,
		SQL:           prompt.Clip(s.Draft.Query, maxFailedSQL),
		Problems:      s.Draft.ProblemLines(),
		Earlier:       s.Draft.Earlier(maxEarlierBytes),
		Relationships: a.lines(a.relationshipsAmong(tables, a.opt.Limits.Relationships, false)),
	}
	for _, name := range tables {
		t := a.catalog.describe(name, 2*a.opt.Limits.Columns, true)
		if a.opt.HideColumns {
			t.Columns, t.More = nil, 0
		}
		data.Tables = append(data.Tables, t)
	}
	named := slices.DeleteFunc(slices.Clone(s.Named), func(m values.Match) bool { return !slices.Contains(tables, m.Table) })
	data.Values = valueLines(named)
	req, err := a.model.Request("correct", a.prompts["correct"], &data, nil)
	if err != nil {
		return s, err
	}
	reply, err := modelcall.Object[statement](ctx, a.model, req)
	if modelcall.Unusable(err) {
		s.Draft.Query = ""
		if s.Table != nil { // why it found nothing stands
			s.Draft.Problems = nil
			return s, nil
		}
		s.Reason = a.texts(ctx).Unread
		s.keep()
		return s, nil
	}
	if err != nil {
		return s, err
	}
	a.take(ctx, &s, reply)
	s.keep()
	return s, nil
}

const maxFailedSQL = 8000

// mentioned returns the tables that the refused statement or its problem names,
// or all joined tables if it names none.
func (a *agent) mentioned(s state) []string {
	text := s.Draft.Query
	for _, p := range s.Draft.Problems {
		text += " " + strings.Join(p.Candidates, " ")
	}
	var found []string
	for _, word := range identifiers(text) {
		names := a.catalog.bare[ascii.Lower(word)]
		if name, ok := a.catalog.find(word); ok {
			names = append([]string{name}, names...)
		}
		found = lists.Add(found, names...)
	}
	if len(found) == 0 {
		return s.Joined
	}
	return found[:min(len(found), a.opt.Limits.Tables)]
}

// identifiers splits a text at every character that cannot be part of a plain
// name. It guesses what a broken statement is about; it does not check it.
func identifiers(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool {
		return r != '_' && r != '$' && r < 0x80 && !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9')
	})
}
