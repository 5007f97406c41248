package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/examples/internal/lines"
	"github.com/qedkit/qed/refusal"
)

// question is a line of the input.
type question struct {
	ID    json.RawMessage `json:"id"`
	Index *string         `json:"index"`
	Body  json.RawMessage `json:"body"`
}

// answer is a line of the output.
type answer struct {
	ID       json.RawMessage   `json:"id"`
	Verdict  esquery.Verdict   `json:"verdict"`
	Body     json.RawMessage   `json:"body,omitempty"`
	Problems []refusal.Problem `json:"problems"`
}

// answerTo checks the body of a line.
func answerTo(v *esquery.Validator, line lines.Line) answer {
	id := json.RawMessage(strconv.Itoa(line.Number))
	if line.TooLong {
		return bad(id, esquery.ErrBodyTooLarge, fmt.Sprintf("the line is longer than %d bytes", lines.MaxLength))
	}
	if line.Text[0] != '{' {
		return bad(id, lines.Bad, "the line is not a JSON object")
	}
	var q question
	err := json.Unmarshal(line.Text, &q)
	var mistyped *json.UnmarshalTypeError // the id was read all the same
	if err != nil && !errors.As(err, &mistyped) {
		return bad(id, lines.Bad, "the line is not JSON: "+err.Error())
	}
	if q.ID != nil && string(q.ID) != "null" {
		id = q.ID
	}
	switch {
	case err != nil:
		return bad(id, lines.Bad, "the line cannot be read: "+err.Error())
	case q.Body == nil:
		return bad(id, lines.Bad, `the line has no "body"`)
	}
	names := v.Indices()
	if q.Index == nil && len(names) > 1 {
		return answer{ID: id, Verdict: esquery.Refused, Problems: []refusal.Problem{{
			Code: esquery.ErrUnknownIndex, Message: `the line has no "index", and there are several`, Candidates: names,
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
	return answer{ID: id, Verdict: report.Verdict, Body: report.Body(), Problems: problems}
}

func bad(id json.RawMessage, code refusal.Code, message string) answer {
	return answer{ID: id, Verdict: esquery.Refused, Problems: []refusal.Problem{{Code: code, Message: message}}}
}
