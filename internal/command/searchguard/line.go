package searchguard

import (
	"encoding/json"
	"errors"
	"strconv"

	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/internal/command/lines"
	"github.com/qedkit/qed/refusal"
)

// question is a line of the input.
type question struct {
	ID    json.RawMessage `json:"id"`
	Index *string         `json:"index"`
	Body  json.RawMessage `json:"body"`
}

// An Answer is a line of the output.
type Answer struct {
	ID       json.RawMessage   `json:"id"`
	Verdict  esquery.Verdict   `json:"verdict"`
	Body     json.RawMessage   `json:"body,omitempty"`
	Problems []refusal.Problem `json:"problems"`
}

// answerTo checks the body of a line.
func answerTo(v *esquery.Validator, line lines.Line) Answer {
	id := json.RawMessage(strconv.Itoa(line.Number))
	if line.TooLong {
		return bad(id, esquery.ErrBodyTooLarge, line.Says("is longer than %d bytes", lines.MaxLength))
	}
	if line.Text[0] != '{' {
		return bad(id, lines.Bad, line.Says("is not a JSON object"))
	}
	var q question
	err := json.Unmarshal(line.Text, &q)
	var mistyped *json.UnmarshalTypeError // the id was read all the same
	if err != nil && !errors.As(err, &mistyped) {
		return bad(id, lines.Bad, line.Says("is not JSON: %v", err))
	}
	if q.ID != nil && string(q.ID) != "null" {
		id = q.ID
	}
	switch {
	case err != nil:
		return bad(id, lines.Bad, line.Says("cannot be read: %v", err))
	case q.Body == nil:
		return bad(id, lines.Bad, line.Says(`has no "body"`))
	}
	names := v.Indices()
	if q.Index == nil && len(names) > 1 {
		return Answer{ID: id, Verdict: esquery.Refused, Problems: []refusal.Problem{{
			Code: esquery.ErrUnknownIndex, Message: line.Says(`has no "index", and there are several`), Candidates: names,
		}}}
	}
	index := names[0]
	if q.Index != nil {
		index = *q.Index
	}
	report := v.Check(index, q.Body)
	problems := report.Problems
	if problems == nil {
		problems = []refusal.Problem{} // [] in JSON, not null
	}
	return Answer{ID: id, Verdict: report.Verdict, Body: report.Body(), Problems: problems}
}

func bad(id json.RawMessage, code refusal.Code, message string) Answer {
	return Answer{ID: id, Verdict: esquery.Refused, Problems: []refusal.Problem{{Code: code, Message: message}}}
}
