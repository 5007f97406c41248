package sqlagent

import (
	"context"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/asking"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/query"
)

// statement is what the model answers when it writes SQL.
type statement struct {
	SQL    string `json:"sql" jsonschema:"description=one SELECT statement; empty where the question cannot be answered by reading these tables"`
	Reason string `json:"reason,omitempty" jsonschema:"description=why sql is empty"`
}

// GenerateData is what the prompt for writing SQL is given.
type GenerateData struct {
	Dialect       string
	Question      string
	MaxRows       int
	Joins         []string
	Choices       []string
	Relationships []string
	Tables        []PromptTable
	Learned       string // a statement that ran and returned no rows
}

// generate has the model write the statement. After an empty result it is asked
// once more, with what ran and more sample rows.
func (a *agent) generate(ctx context.Context, s state) (state, error) {
	again := s.Table != nil
	samples := a.opt.SampleRows
	if again {
		s.Learned = s.Query.Written
		samples *= learnedSamples
	}
	data := GenerateData{
		Dialect:       a.guard.Dialect().Name(),
		Question:      s.Question,
		MaxRows:       a.opt.MaxRows,
		Joins:         s.Joins,
		Choices:       s.Choices,
		Relationships: a.lines(s.Near[:min(len(s.Near), a.opt.MaxRelationshipsInPrompt)]),
		Learned:       s.Learned,
	}
	for _, name := range s.Joined {
		t := a.catalog.describe(name, a.opt.MaxColumnsInSchema, true)
		var err error
		if t.Sample, err = a.sample(ctx, &s, name, samples); err != nil {
			return s, err
		}
		data.Tables = append(data.Tables, t)
	}
	req, err := a.model.Request("generate", a.opt.Prompts.Generate, data, s.History)
	if err != nil {
		return s, err
	}
	written, err := asking.Object[statement](ctx, a.model, &s.Usage, req)
	if again && asking.Unusable(err) {
		s.SQL = "" // what ran before stands, empty as it is
		return s, nil
	}
	if err != nil {
		return s, err
	}
	if s.take(written) {
		announce(ctx, s)
	}
	return s, nil
}

const learnedSamples = 3

// take records what the model wrote, and reports whether that is a statement to
// check. A statement that was there before is nothing new: what there is has to
// be the answer.
func (s *state) take(w statement) bool {
	s.SQL = ""
	sql := bare(w.SQL)
	switch {
	case sql != "" && s.wrote(sql):
		return true
	case s.Table != nil:
	case sql != "":
		s.Reason = "the model wrote the same statement again"
	case w.Reason != "":
		s.Reason = "the model could not answer by reading: " + prompt.Clip(w.Reason, maxReason)
	default:
		s.Reason = "the model wrote no statement"
	}
	return false
}

func announce(ctx context.Context, s state) {
	qed.Emit(ctx, qed.QueryWritten{Language: query.SQL, Query: s.SQL, Attempt: len(s.Tried)})
}

const maxReason = 500

// bare takes off what models put around SQL: a code fence and a semicolon.
func bare(sql string) string {
	sql = strings.TrimSpace(sql)
	if inner, ok := strings.CutPrefix(sql, "```"); ok {
		if first, rest, found := strings.Cut(inner, "\n"); found && !strings.Contains(strings.TrimSpace(first), " ") {
			inner = rest
		}
		sql = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(inner), "```"))
	}
	return strings.TrimSpace(strings.TrimSuffix(sql, ";"))
}
