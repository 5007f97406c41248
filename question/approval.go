package question

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/qedkit/qed/internal/schema"
	"github.com/qedkit/qed/internal/strictjson"
)

// An Approval is the reply to a question with a Draft. Its JSON is one of
//
//	{"decision": "approve"}
//	{"decision": "edit", "value": ...}
//	{"decision": "reject", "reason": "..."}
//
// The reason is optional. An approval with one is refused, because it may be a condition
// that nothing would follow. A JSON string with an approval or a rejection alone,
// such as "approve", is accepted as well.
type Approval[V any] struct {
	Decision Decision `json:"decision"`
	Value    V        `json:"value"`            // the approved draft, or the edited one; zero if it was rejected
	Reason   string   `json:"reason,omitempty"` // of the user
}

// A Decision is the decision of an [Approval].
type Decision string

const (
	Approve Decision = "approve"
	Edit    Decision = "edit"
	Reject  Decision = "reject"
)

// approval is implemented by every Approval.
type approval interface {
	// takes returns an error unless raw is the JSON of a Value, and the schema
	// of a Value that is an object.
	takes(raw json.RawMessage) (json.RawMessage, error)
}

func (*Approval[V]) takes(raw json.RawMessage) (json.RawMessage, error) {
	if s, err := schema.For[V](); err == nil {
		_, err := s.Decode(raw) // the type may refuse what its schema accepts
		return s.JSON(), err
	}
	var v V
	if err := strictjson.Decode(raw, &v); err != nil {
		return nil, err
	}
	if bytes.Equal(bytes.TrimSpace(raw), []byte("null")) && !nullable(reflect.TypeFor[V]()) {
		return nil, errors.New("it is null") // encoding/json ignores a null
	}
	return nil, nil
}

// nullable reports whether null is the JSON of a value of type t.
func nullable(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool, reflect.String, reflect.Array,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr,
		reflect.Float32, reflect.Float64:
		return reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]())
	}
	return true
}

// readApproval returns the JSON of an [Approval], with the value that is
// approved. fits returns an error if an edited value does not fit.
func readApproval(q *Question, raw json.RawMessage, fits func(json.RawMessage) error) (json.RawMessage, error) {
	reply, err := readDecision(raw)
	if err != nil {
		return nil, err
	}
	whole := map[string]any{"decision": reply.Decision, "reason": reply.Reason}
	switch reply.Decision {
	case Approve:
		if strings.TrimSpace(reply.Reason) != "" {
			return nil, errors.New("an approval has no reason or condition: approve alone, or reply with edit to change the draft")
		}
		if reply.Value != nil && !bytes.Equal(strictjson.Compact(reply.Value), strictjson.Compact(q.Draft)) {
			return nil, errors.New("the approved value is not the draft: reply with edit to change the draft")
		}
		whole["value"] = q.Draft
	case Edit:
		if reply.Value == nil {
			return nil, errors.New("an edit needs the changed value: edit: and then its JSON")
		}
		if err := fits(reply.Value); err != nil {
			return nil, fmt.Errorf("the edited value does not fit: %w", err)
		}
		whole["value"] = reply.Value
	}
	return json.Marshal(whole)
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
