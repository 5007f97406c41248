package qed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/qedkit/qed/internal/schema"
	"github.com/qedkit/qed/internal/strictjson"
	"github.com/qedkit/qed/llm"
)

// A Reply is a reply to a [Question].
type Reply struct {
	Question string          `json:"question"` // the ID of the question
	Value    json.RawMessage `json:"value"`    // see [QuestionKind]
}

// Text returns the text of a reply that is a JSON string, and otherwise its
// JSON.
func (r Reply) Text() string {
	var text string
	if json.Unmarshal(r.Value, &text) == nil {
		return text
	}
	return string(compact(r.Value))
}

// An Approval is the reply to a question with a Draft. Its JSON is one of
//
//	{"decision": "approve"}
//	{"decision": "edit", "value": ...}
//	{"decision": "reject", "reason": "..."}
type Approval[V any] struct {
	Decision Decision `json:"decision"`
	Value    V        `json:"value"`            // the approved draft, or the edited one
	Reason   string   `json:"reason,omitempty"` // of the user
}

// A Decision is the decision of an [Approval].
type Decision string

const (
	DecisionApprove Decision = "approve"
	DecisionEdit    Decision = "edit"
	DecisionReject  Decision = "reject"
)

// An Intent is the intent of a message that comes while questions or a plan are
// open.
type Intent string

const (
	IntentAnswer       Intent = "exact_answer" // only answers: the run is resumed
	IntentModification Intent = "modification" // changes the request: a new run begins
	IntentNewRequest   Intent = "new_request"  // asks for something else: a new run begins
	IntentAbort        Intent = "abort"        // the user wants nothing more
)

// ParsedReplies is how a message was parsed that came while questions were
// open. See [DurableOptions].
type ParsedReplies struct {
	Intent  Intent
	Replies []Reply   // for IntentAnswer: at least one, to open questions
	Reason  string    // why the message has this intent, for the log
	Usage   llm.Usage // of the model; it is added to the usage of the answer
}

func readText[T any](raw json.RawMessage) (v T, err error) {
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return v, errors.New("the reply must be a text")
	}
	if strings.TrimSpace(text) == "" {
		return v, errors.New("the reply is empty")
	}
	reflect.ValueOf(&v).Elem().SetString(text)
	return v, nil
}

func readChoice[T any](q *Question, raw json.RawMessage) (v T, err error) {
	o, ok := q.chosen(raw)
	if !ok {
		return v, fmt.Errorf("the reply is none of the choices: "+
			"reply with a number from 1 to %d, or with the text of a choice", len(q.Choices))
	}
	reflect.ValueOf(&v).Elem().SetString(o.ID)
	return v, nil
}

// chosen returns the choice that a reply names by its id, its text, or its
// number, in this order.
func (q *Question) chosen(raw json.RawMessage) (Choice, bool) {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		n, err := strconv.Atoi(string(raw))
		return q.numbered(n, err)
	}
	for _, o := range q.Choices {
		if o.ID == text {
			return o, true // before spaces are removed: an id may have some
		}
	}
	text = strings.TrimSpace(text)
	for _, same := range []func(Choice) bool{
		func(o Choice) bool { return o.ID == text },
		func(o Choice) bool { return strings.TrimSpace(o.Text) == text },
		func(o Choice) bool { return strings.EqualFold(strings.TrimSpace(o.Text), text) },
	} {
		found := -1
		for i, o := range q.Choices {
			if same(o) {
				if found >= 0 {
					return Choice{}, false // ambiguous: only a number can tell them apart
				}
				found = i
			}
		}
		if found >= 0 {
			return q.Choices[found], true
		}
	}
	n, err := strconv.Atoi(text)
	return q.numbered(n, err)
}

func (q *Question) numbered(n int, err error) (Choice, bool) {
	if err != nil || n < 1 || n > len(q.Choices) {
		return Choice{}, false
	}
	return q.Choices[n-1], true
}

// approval is implemented by every Approval.
type approval interface {
	// takes returns an error unless raw is the JSON of a Value, and the schema
	// of a Value that is an object.
	takes(raw json.RawMessage) (json.RawMessage, error)
}

func (*Approval[V]) takes(raw json.RawMessage) (json.RawMessage, error) {
	if s, err := schema.For[V](); err == nil {
		return s.JSON(), s.Validate(raw)
	}
	var v V
	return nil, strictjson.Decode(raw, &v)
}

func readApproval[T any](q *Question, raw json.RawMessage) (v T, err error) {
	reply, err := readDecision(raw)
	if err != nil {
		return v, err
	}
	whole := map[string]any{"decision": reply.Decision, "reason": reply.Reason}
	switch reply.Decision {
	case DecisionApprove:
		if reply.Value != nil && !bytes.Equal(compact(reply.Value), compact(q.Draft)) {
			return v, errors.New("the approved value is not the draft: reply with edit to change the draft")
		}
		whole["value"] = q.Draft
	case DecisionEdit:
		if reply.Value == nil {
			return v, errors.New("an edit needs the changed value: edit: and then its JSON")
		}
		if _, err := any(&v).(approval).takes(reply.Value); err != nil {
			return v, fmt.Errorf("the edited value does not fit: %w", err)
		}
		whole["value"] = reply.Value
	}
	text, err := json.Marshal(whole)
	if err != nil {
		return v, err
	}
	return v, json.Unmarshal(text, &v)
}

// A decisionReply is the JSON of a reply to an approval.
type decisionReply struct {
	Decision Decision        `json:"decision" jsonschema:"enum=approve,enum=edit,enum=reject"`
	Value    json.RawMessage `json:"value,omitempty"`
	Reason   string          `json:"reason,omitempty"`
}

// hasDuplicate reports whether a JSON object has a name twice. Other readers
// may use the first value of the two.
func hasDuplicate(raw json.RawMessage) bool {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.Token() // the opening brace
	seen := map[string]bool{}
	for d.More() {
		name, err := d.Token()
		text, ok := name.(string)
		if err != nil || !ok || seen[text] {
			return true
		}
		seen[text] = true
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return true
		}
	}
	return false
}

func readDecision(raw json.RawMessage) (decisionReply, error) {
	var word string
	if json.Unmarshal(raw, &word) == nil {
		d := Decision(strings.ToLower(strings.TrimSpace(word)))
		raw, _ = json.Marshal(decisionReply{Decision: d}) // strings have a JSON form
	}
	s, err := schema.For[decisionReply]()
	if err != nil {
		return decisionReply{}, err
	}
	reply, err := s.Decode(raw)
	if err != nil || hasDuplicate(raw) {
		return reply, errors.New("the reply must be a decision: " +
			"approve; reject, with an optional reason; or edit: and then the changed JSON")
	}
	// The value is returned as it was written: the order of its members may
	// matter.
	var written struct{ Value json.RawMessage }
	if reply.Value != nil && json.Unmarshal(raw, &written) == nil && written.Value != nil {
		reply.Value = written.Value
	}
	return reply, nil
}
