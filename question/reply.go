package question

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/qedkit/qed/internal/schema"
	"github.com/qedkit/qed/internal/strictjson"
)

// A Reply is a reply to a [Question].
type Reply struct {
	Question string          `json:"question"` // the ID of the question
	Value    json.RawMessage `json:"value"`    // see [Kind]
}

// Text returns the text of a reply that is a JSON string, and otherwise its
// JSON.
func (r Reply) Text() string { return strictjson.Text(r.Value) }

// Check returns an error for the user if q does not accept the value of a
// [Reply]. It needs no more than the JSON of q, so a server can check a reply
// before it resumes a run. The agent may still refuse what a JSON Schema does
// not say: a number beyond the range of its Go type, a text that is no time or
// no base64, and, if the draft is not a JSON object, any edited value.
func (q Question) Check(value json.RawMessage) error {
	var err error
	switch q.Kind {
	case KindText:
		_, err = readText(value)
	case KindChoice:
		_, err = readChoice(&q, value)
	case KindApproval:
		_, err = readApproval(&q, value, q.checkSchema)
	case KindForm:
		err = q.checkSchema(value)
	default:
		err = fmt.Errorf("question: the question has the unknown kind %q", q.Kind)
	}
	return err
}

// checkSchema returns an error unless q's Schema allows value.
func (q Question) checkSchema(value json.RawMessage) error {
	if q.Schema == nil {
		return nil
	}
	s, err := schema.Compile(q.Schema)
	if err != nil {
		return fmt.Errorf("question: the schema of the question: %w", err)
	}
	_, err = s.Normalize(value)
	return err
}

func readText(raw json.RawMessage) (string, error) {
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return "", errors.New("the reply must be a text")
	}
	if strings.TrimSpace(text) == "" {
		return "", errors.New("the reply is empty")
	}
	return text, nil
}

// readChoice returns the ID of the choice that a reply names.
func readChoice(q *Question, raw json.RawMessage) (string, error) {
	if i := q.replied(raw); i >= 0 {
		return q.Choices[i].ID, nil
	}
	return "", fmt.Errorf("the reply is none of the choices: "+
		"reply with a number from 1 to %d, or with the text of a choice", len(q.Choices))
}
