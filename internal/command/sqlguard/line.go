package sqlguard

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/qedkit/qed/internal/command/lines"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
)

// question is a line of the input.
type question struct {
	ID  json.RawMessage `json:"id"`
	SQL *string         `json:"sql"`

	// Session has the values of the parameters of filters.
	Session map[string]string `json:"session"`
}

// An Answer is a line of the output.
type Answer struct {
	ID         json.RawMessage `json:"id"`
	OK         bool            `json:"ok"`
	SQL        string          `json:"sql,omitempty"`
	Code       string          `json:"code,omitempty"`
	Message    string          `json:"message,omitempty"`
	Candidates []string        `json:"candidates,omitempty"`

	// Problems are all of them, if there are several; the fields above are the first one.
	Problems []refusal.Problem `json:"problems,omitempty"`

	Source  string            `json:"-"` // the statement of the line
	Refused []refusal.Problem `json:"-"` // all of the problems with it

	session map[string]string
}

// Rewrite passes the statement of a line through the guard. The statement is nil if the
// answer is not OK.
func Rewrite(ctx context.Context, g *secureview.Guard, line lines.Line) (Answer, *secureview.Statement) {
	var q question
	switch {
	case line.TooLong:
		return Answer{
			Code:    string(secureview.ErrTooLarge),
			Message: line.Says("is longer than %d bytes", lines.MaxLength),
		}, nil
	case line.Text[0] != '{':
		return Answer{Code: lines.Bad, Message: line.Says("is not a JSON object")}, nil
	}
	if err := json.Unmarshal(line.Text, &q); err != nil {
		// If only a value has the wrong type, the id was read.
		var mistyped *json.UnmarshalTypeError
		if !errors.As(err, &mistyped) {
			q.ID = nil
		}
		return Answer{ID: q.ID, Code: lines.Bad, Message: line.Says("cannot be read: %v", err)}, nil
	}
	if q.SQL == nil {
		return Answer{ID: q.ID, Code: lines.Bad, Message: line.Says(`has no "sql"`)}, nil
	}
	stmt, err := g.Rewrite(ctx, *q.SQL)
	if err != nil {
		return refused(q, err), nil
	}
	return Answer{ID: q.ID, OK: true, SQL: stmt.SQL(), session: q.Session}, stmt
}

// refused returns the answer for an error of the guard.
func refused(q question, err error) Answer {
	refusal, ok := errors.AsType[*refusal.Error](err)
	if !ok {
		return Answer{ID: q.ID, Code: lines.Bad, Message: err.Error()}
	}
	p := refusal.Problems[0]
	a := Answer{ID: q.ID, Code: string(p.Code), Message: p.Message, Candidates: p.Candidates, Source: *q.SQL, Refused: refusal.Problems}
	if len(refusal.Problems) > 1 {
		a.Problems = refusal.Problems
	}
	return a
}

// executable returns the answer with the values of the line in its statement.
func (a Answer) executable(stmt *secureview.Statement) Answer {
	settings := map[string]any{}
	for name, value := range a.session {
		settings[name] = value
	}
	text, _, err := stmt.Bind(settings)
	if err != nil {
		return refused(question{ID: a.ID, SQL: &a.Source}, err)
	}
	a.SQL = text
	return a
}
