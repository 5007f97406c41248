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

// question is one line that is read.
type question struct {
	ID    json.RawMessage `json:"id"`
	Index *string         `json:"index"`
	Body  json.RawMessage `json:"body"`
}

// answer is one line that is written.
type answer struct {
	ID       json.RawMessage   `json:"id"`
	Verdict  esquery.Verdict   `json:"verdict"`
	Body     json.RawMessage   `json:"body,omitempty"`
	Problems []refusal.Problem `json:"problems"`
}

// answerTo checks the body of one line.
func answerTo(v *esquery.Validator, line lines.Line) answer {
	id := json.RawMessage(strconv.Itoa(line.Number))
	if line.TooLong {
		return bad(id, esquery.ErrBodyTooLarge, fmt.Sprintf("the line is longer than %d bytes", lines.MaxLength))
	}
	if line.Text[0] != '{' {
		return bad(id, lines.Bad, "the line is no JSON object")
	}
	var q question
	err := json.Unmarshal(line.Text, &q)
	var mistyped *json.UnmarshalTypeError // which leaves the id readable
	if err != nil && !errors.As(err, &mistyped) {
		return bad(id, lines.Bad, "the line is no JSON: "+err.Error())
	}
	if q.ID != nil && string(q.ID) != "null" {
		id = q.ID
	}
	switch {
	case err != nil:
		return bad(id, lines.Bad, "the line is no question: "+err.Error())
	case q.Body == nil:
		return bad(id, lines.Bad, `the line has no "body"`)
	}
	names := v.Indices()
	if q.Index == nil && len(names) > 1 {
		return answer{id, esquery.Refused, nil, []refusal.Problem{{Code: esquery.ErrUnknownIndex,
			Message: `the line has no "index", and there are several`, Candidates: names}}}
	}
	index := names[0]
	if q.Index != nil {
		index = *q.Index
	}
	report := v.Check(index, q.Body)
	problems := report.Problems
	if problems == nil {
		problems = []refusal.Problem{} // an array, also where it is empty
	}
	return answer{id, report.Verdict, report.Body(), problems}
}

func bad(id json.RawMessage, code refusal.Code, message string) answer {
	return answer{ID: id, Verdict: esquery.Refused, Problems: []refusal.Problem{{Code: code, Message: message}}}
}
