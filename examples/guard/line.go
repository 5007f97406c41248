package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/qedkit/qed/secureview"
)

// maxLine bounds what is kept of a line. A statement is refused long before.
const maxLine = 8 << 20

// badLine is the code of a line that is no statement.
const badLine = "bad_line"

// question is one line that is read.
type question struct {
	ID  json.RawMessage `json:"id"`
	SQL *string         `json:"sql"`
}

// answer is one line that is written.
type answer struct {
	ID         json.RawMessage `json:"id"`
	OK         bool            `json:"ok"`
	SQL        string          `json:"sql,omitempty"`
	Code       string          `json:"code,omitempty"`
	Message    string          `json:"message,omitempty"`
	Candidates []string        `json:"candidates,omitempty"`
}

// readLine reads a line without the white space around it. Of a line longer than
// maxLine nothing is kept. The last line may come together with io.EOF.
func readLine(in *bufio.Reader) (line []byte, tooLong bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > maxLine; tooLong {
			line = nil
		} else {
			line = append(line, part...)
		}
		if err != bufio.ErrBufferFull {
			return bytes.TrimSpace(line), tooLong, err
		}
	}
}

// answerTo guards the statement of one line.
func answerTo(ctx context.Context, g *secureview.Guard, line []byte, tooLong bool) answer {
	var q question
	switch {
	case tooLong:
		return answer{Code: string(secureview.ErrTooLarge), Message: fmt.Sprintf("the line is longer than %d bytes", maxLine)}
	case line[0] != '{':
		return answer{Code: badLine, Message: "the line is no JSON object"}
	}
	if err := json.Unmarshal(line, &q); err != nil {
		// A value of the wrong type leaves the id readable.
		var mistyped *json.UnmarshalTypeError
		if !errors.As(err, &mistyped) {
			q.ID = nil
		}
		return answer{ID: q.ID, Code: badLine, Message: "the line is no statement: " + err.Error()}
	}
	if q.SQL == nil {
		return answer{ID: q.ID, Code: badLine, Message: `the line has no "sql"`}
	}
	stmt, err := g.Rewrite(ctx, *q.SQL)
	var refused *secureview.Error
	switch {
	case errors.As(err, &refused):
		return answer{ID: q.ID, Code: string(refused.Code), Message: refused.Message, Candidates: refused.Candidates}
	case err != nil:
		return answer{ID: q.ID, Code: badLine, Message: err.Error()}
	}
	return answer{ID: q.ID, OK: true, SQL: stmt.SQL()}
}
