// Package question lets a program show the questions of an agent and collect
// the replies. It does not need the runtime of package qed.
//
// A [Question] has a JSON form. A web page can show it by its Kind, and a
// terminal as plain text with [Question.String]. A [Reply] names the question
// and has a JSON value; [Question.Check] returns an error if the question does
// not accept the value. The program gives the reply to the agent as one of the
// Replies of a qed.Turn.
//
// A user may also type a message instead of choosing a reply. [Parser] returns a
// function that reads such a message: as the reply to an open question, as a
// changed or a new request, or as the wish to stop.
//
// An agent asks with qed.Interrupt. A program with a runtime of its own uses
// [For], which completes a question and reads replies as a Go type, and
// [Question.Same].
package question

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/qedkit/qed/internal/strictjson"
)

// A Question is a question to the user of an agent. The agent sets Text, and
// Choices or Draft if they apply. [For] sets the Kind and the Schema, and the
// runtime sets the other fields.
type Question struct {
	ID   string `json:"id,omitempty"` // a [Reply] names it
	Kind Kind   `json:"kind,omitempty"`
	Text string `json:"text"`

	Choices []Choice        `json:"choices,omitempty"` // of a choice
	Draft   json.RawMessage `json:"draft,omitempty"`   // of an approval: JSON

	// Schema is the JSON Schema of a form, or of an approval's Value if that is
	// an object.
	Schema json.RawMessage `json:"schema,omitempty"`

	// Problem is why the last reply was not accepted, if the question is asked
	// again.
	Problem string `json:"problem,omitempty"`

	// Resumable reports whether the question is saved, so that a later turn can
	// reply to it. It is false if the store failed.
	Resumable bool `json:"resumable,omitempty"`
}

// A Kind is the kind of reply that a [Question] accepts.
type Kind string

const (
	KindText     Kind = "text"     // a JSON string that is not blank
	KindChoice   Kind = "choice"   // the ID, text or number (from 1) of a choice: a JSON string, or a number
	KindApproval Kind = "approval" // see [Approval]
	KindForm     Kind = "form"     // a JSON object of the question's schema
)

// A Choice is one of the replies to choose from.
type Choice struct {
	ID   string `json:"id"` // the reply as the agent gets it; empty means the text
	Text string `json:"text"`
}

// String returns the question as plain text, with the numbers of its choices.
func (q Question) String() string {
	var b strings.Builder
	if q.Problem != "" {
		b.WriteString(q.Problem + "\n")
	}
	b.WriteString(q.Text)
	for i, o := range q.Choices {
		// On one line: the text is data, and must not look like another choice.
		fmt.Fprintf(&b, "\n%d. %s", i+1, strings.Join(strings.Fields(o.Text), " "))
	}
	if q.Kind == KindApproval {
		b.WriteString("\n" + legible(q.Draft))
	}
	return b.String()
}

// legible returns a JSON value for people: in its own order, without escapes
// that only HTML needs.
func legible(raw json.RawMessage) string {
	return unescapeHTML.Replace(string(strictjson.Compact(raw)))
}

// unescapeHTML replaces the escapes of encoding/json. It skips escaped
// backslashes: what follows one is no escape.
var unescapeHTML = strings.NewReplacer(`\\`, `\\`, `\u003c`, "<", `\u003e`, ">", `\u0026`, "&")

// Same reports whether q and other ask the same: whether they agree in Kind,
// Text, Choices and Draft. A reply to one is then a reply to the other. Both
// must be completed by [For], or read from JSON.
func (q Question) Same(other Question) bool {
	for _, q := range []*Question{&q, &other} {
		q.ID, q.Problem, q.Resumable = "", "", false
		q.Draft, q.Schema = strictjson.Compact(q.Draft), nil
	}
	return reflect.DeepEqual(q, other)
}
