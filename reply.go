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

// A Reply answers a question.
type Reply struct {
	Question string          `json:"question"` // its ID
	Value    json.RawMessage `json:"value"`    // see [QuestionKind]
}

// Text returns the reply as the conversation shows it: the text of a JSON string,
// and otherwise the JSON.
func (r Reply) Text() string {
	var text string
	if json.Unmarshal(r.Value, &text) == nil {
		return text
	}
	return string(compact(r.Value))
}

// An Approval is the answer to a question that shows a draft: take it, take it changed, or do not.
// In JSON it is {"decision": "approve"}, {"decision": "edit", "value": ...} or {"decision": "reject", "reason": "..."}.
type Approval[V any] struct {
	Decision Decision `json:"decision"`
	Value    V        `json:"value"`            // the draft where it was approved, what it became where it was edited
	Reason   string   `json:"reason,omitempty"` // the user's
}

// A Decision is what became of a draft.
type Decision string

const (
	DecisionApprove Decision = "approve"
	DecisionEdit    Decision = "edit"
	DecisionReject  Decision = "reject"
)

// An Intent is what a user means by a message that comes while questions are open, or a plan is.
type Intent string

const (
	IntentAnswer       Intent = "exact_answer" // it answers, and no more: the run goes on
	IntentModification Intent = "modification" // it answers, but wants something else as well: a new run begins
	IntentNewRequest   Intent = "new_request"  // it wants something else: a new run begins
	IntentAbort        Intent = "abort"        // it wants nothing more

	// Those of an agent that plans ([todoagent.New]) and keeps its plans open.
	IntentContinue     Intent = "continue"     // the open plan goes on
	IntentContinuation Intent = "continuation" // a new request about what was found before
)

// A ParsedReplies says what a message means while questions are open. See [DurableOptions].
type ParsedReplies struct {
	Intent  Intent
	Replies []Reply   // of an IntentAnswer: to one of the open questions at least
	Reason  string    // why it was read so, for the log
	Usage   llm.Usage // what the reading cost: it is part of the answer's
}

func readText[T any](raw json.RawMessage) (v T, err error) {
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return v, errors.New("a text was expected")
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
		return v, fmt.Errorf("it is none of the options: reply with a number from 1 to %d, or with the text of an option", len(q.Choices))
	}
	reflect.ValueOf(&v).Elem().SetString(o.ID)
	return v, nil
}

// chosen returns the option that a reply means: by its id, its text, or its number, in this order.
func (q *Question) chosen(raw json.RawMessage) (Choice, bool) {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		n, err := strconv.Atoi(string(raw))
		return q.numbered(n, err)
	}
	for _, o := range q.Choices {
		if o.ID == text {
			return o, true // as it is: an id may have spaces around it
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
					return Choice{}, false // two look alike: their numbers tell them apart
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

// approval is what every Approval is, whatever it approves.
type approval interface {
	// takes reports whether raw is the JSON of a Value, and returns the schema of one, if it is an object.
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
			return v, errors.New("it approves something else than what is asked: reply with edit to change it")
		}
		whole["value"] = q.Draft
	case DecisionEdit:
		if reply.Value == nil {
			return v, errors.New("an edit needs the value that the draft becomes, such as edit: and then its JSON")
		}
		if _, err := any(&v).(approval).takes(reply.Value); err != nil {
			return v, fmt.Errorf("the edited value is not what is asked for: %w", err)
		}
		whole["value"] = reply.Value
	}
	text, err := json.Marshal(whole)
	if err != nil {
		return v, err
	}
	return v, json.Unmarshal(text, &v)
}

// A decisionReply is what a reply to an approval may hold.
type decisionReply struct {
	Decision Decision        `json:"decision" jsonschema:"enum=approve,enum=edit,enum=reject"`
	Value    json.RawMessage `json:"value,omitempty"`
	Reason   string          `json:"reason,omitempty"`
}

// saysTwice reports whether a name stands twice in a JSON object: others may read the first of the two.
func saysTwice(raw json.RawMessage) bool {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.Token() // its brace
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
		raw, _ = json.Marshal(decisionReply{Decision: Decision(strings.ToLower(strings.TrimSpace(word)))}) // strings have a JSON form
	}
	s, err := schema.For[decisionReply]()
	if err != nil {
		return decisionReply{}, err
	}
	reply, err := s.Decode(raw)
	if err != nil || saysTwice(raw) {
		return reply, errors.New(`a decision was expected: approve; reject, with a reason if you like; or edit: and then the changed JSON`)
	}
	// The value as it was written: the order of its members may mean something.
	var written struct{ Value json.RawMessage }
	if reply.Value != nil && json.Unmarshal(raw, &written) == nil && written.Value != nil {
		reply.Value = written.Value
	}
	return reply, nil
}
