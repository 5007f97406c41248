package sqlagent

import (
	"context"
	"strings"

	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/answertext"
	"github.com/qedkit/qed/internal/drafts"
	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/usertext"
	"github.com/qedkit/qed/query"
	"github.com/qedkit/qed/sqlagent/verified"
)

// statement is the model's reply when it writes SQL.
type statement struct {
	SQL     string         `json:"sql" jsonschema:"description=one SELECT statement; empty if the question cannot be answered by reading these tables"`
	Changes bool           `json:"changes_data,omitempty" jsonschema:"description=true if the question asks to change or delete data; then sql is empty"`
	Periods []dates.Period `json:"periods,omitempty" jsonschema:"description=the times that the question names as sql reads them"`
	Reason  string         `json:"reason,omitempty" jsonschema:"description=why sql is empty"`
}

// generateData is the data of the prompt for writing SQL.
type generateData struct {
	Dialect       string
	Question      string
	Dates         dates.Facts // today and the calendar
	MaxRows       int
	Joins         []string
	Choices       []string
	Unconnected   []string // groups of tables, if no relationship connects them
	Relationships []string
	Tables        []promptTable
	Values        []string        // what the question names, as words, column and value; data
	Known         string          // what is remembered of the user; quoted data
	Examples      []verified.Pair // for similar questions; data
}

// generate has the model write the statement.
func (a *agent) generate(ctx context.Context, s state) (state, error) {
	facts, err := a.dates(ctx, s.Question)
	if err != nil {
		return s, err
	}
	data := generateData{
		Dialect:       a.guard.Dialect().Name(),
		Question:      s.Question,
		Dates:         facts,
		MaxRows:       a.rowLimit,
		Joins:         s.Joins,
		Choices:       s.Choices,
		Relationships: a.lines(s.Near),
	}
	for _, group := range s.Unconnected {
		data.Unconnected = append(data.Unconnected, strings.Join(group, ", "))
	}
	if err := a.nameValues(ctx, &s); err != nil {
		return s, err
	}
	data.Values = valueLines(s.Named)
	for _, name := range s.Joined {
		t := a.catalog.describe(name, a.opt.Limits.Columns, true)
		if t.Sample, err = a.sample(ctx, &s, name, a.opt.Limits.SampleRows); err != nil {
			return s, err
		}
		data.Tables = append(data.Tables, t)
	}
	if s.Examples, err = a.examples(ctx, s.Question); err != nil {
		return s, err
	}
	data.Examples = s.Examples
	if data.Known, err = a.known(ctx, s); err != nil {
		return s, err
	}
	req, err := a.model.Request("generate", a.prompts["generate"], &data, s.History)
	if err != nil {
		return s, err
	}
	s.Used = a.used(&s, &data)
	reply, err := modelcall.Object[statement](ctx, a.model, req)
	if modelcall.Unusable(err) {
		s.Draft.Query = ""
		s.Reason = a.texts(ctx).Unread
		return s, nil
	}
	if err != nil {
		return s, err
	}
	a.take(ctx, &s, reply)
	return s, nil
}

// take records the model's statement as the next one to check. If there is none,
// or none that is new, the answer contains what was found.
func (a *agent) take(ctx context.Context, s *state, reply statement) {
	sql := bare(reply.SQL)
	if sql != "" && s.Draft.Write(ctx, query.SQL, sql) {
		s.Periods = answertext.Periods(reply.Periods)
		return
	}
	s.Draft.Query = ""
	switch {
	case s.Table != nil: // what it found, or why it found nothing, stands
		s.Draft.Problems = nil
	case reply.Changes:
		s.Reason = a.texts(ctx).OnlyReads
	case sql == "" && reply.Reason != "":
		s.Reason = usertext.Fill(a.texts(ctx).Declined, "reason", prompt.Clip(reply.Reason, maxReason))
	default:
		s.Reason = a.texts(ctx).NoQuery
	}
}

const maxReason = 500

// bare returns SQL without the code fence and the semicolon that models add.
func bare(sql string) string {
	return strings.TrimSpace(strings.TrimSuffix(drafts.Bare(sql), ";"))
}
