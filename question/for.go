package question

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/schema"
)

// For returns q as a question to which a T is the reply, and a function that
// reads the value of a [Reply] as a T. T is
//
//   - a string: free text, or, if q has Choices, the ID of the chosen one
//   - an [Approval]: whether q's Draft is approved
//   - any other struct: a form, with T's JSON Schema
//
// The returned question has the Text, the Choices and the Draft of q, and the
// Kind and the Schema that T needs; its other fields are empty. For returns an
// error if no reply to q can be a T: if the text is missing, the choices cannot
// be told apart, or the draft is not the JSON of a Value.
//
// The returned function returns an error for the user if the value is not a T.
// Then set the text of the error as the Problem, and ask the question again.
func For[T any](q Question) (Question, func(value json.RawMessage) (T, error), error) {
	q, read, err := complete[T](Question{Text: q.Text, Choices: slices.Clone(q.Choices), Draft: q.Draft})
	if err != nil {
		return Question{}, nil, fmt.Errorf("question: %w", err)
	}
	return q, read, nil
}

func complete[T any](q Question) (Question, func(json.RawMessage) (T, error), error) {
	var zero T
	var read func(json.RawMessage) (T, error)
	t := reflect.TypeFor[T]()
	a, isApproval := any(&zero).(approval)
	switch {
	case strings.TrimSpace(q.Text) == "":
		return q, nil, errors.New("a question needs a text")
	case t.Kind() == reflect.String && len(q.Choices) > 0:
		if err := checkChoices(q.Choices); err != nil {
			return q, nil, err
		}
		q.Kind = KindChoice
		read = func(raw json.RawMessage) (T, error) { return stringFor[T](readChoice(&q, raw)) }
	case t.Kind() == reflect.String:
		q.Kind = KindText
		read = func(raw json.RawMessage) (T, error) { return stringFor[T](readText(raw)) }
	case len(q.Choices) > 0:
		return q, nil, fmt.Errorf("the reply to a question with Choices is a string, not a %s", t)
	case isApproval:
		s, err := a.takes(q.Draft)
		if err != nil {
			return q, nil, fmt.Errorf("the Draft of a question is not the JSON of its Approval's Value: %w", err)
		}
		q.Kind, q.Schema = KindApproval, s
		read = func(raw json.RawMessage) (T, error) { return approvalFor[T](&q, raw) }
	default:
		s, err := schema.For[T]()
		if err != nil {
			return q, nil, fmt.Errorf("a question whose reply is a %s: %w", t, err)
		}
		q.Kind, q.Schema = KindForm, s.JSON()
		read = func(raw json.RawMessage) (T, error) { return s.Decode(raw) }
	}
	if q.Kind != KindApproval && q.Draft != nil {
		return q, nil, fmt.Errorf("the reply to a question with a Draft is an Approval, not a %s", t)
	}
	err := q.throughJSON()
	return q, read, err
}

// throughJSON sets q to what it is when it is read from a log, so that the two
// can be compared.
func (q *Question) throughJSON() error {
	data, err := json.Marshal(q)
	if err != nil {
		return fmt.Errorf("the question has no JSON: %w", err)
	}
	*q = Question{}
	return json.Unmarshal(data, q)
}

// checkChoices sets the IDs that are missing.
func checkChoices(choices []Choice) error {
	ids := map[string]bool{}
	for i := range choices {
		o := &choices[i]
		o.ID = cmp.Or(o.ID, o.Text)
		if strings.TrimSpace(o.Text) == "" {
			return fmt.Errorf("choice %d of a question has no text", i+1)
		}
		if ids[o.ID] {
			return fmt.Errorf("two choices of a question have the id %q", prompt.Clip(o.ID, 100))
		}
		ids[o.ID] = true
	}
	return nil
}

// stringFor returns text as a T, whose kind is string.
func stringFor[T any](text string, err error) (v T, _ error) {
	if err == nil {
		reflect.ValueOf(&v).Elem().SetString(text)
	}
	return v, err
}

// approvalFor reads the reply to an approval as a T, which is an [Approval].
func approvalFor[T any](q *Question, raw json.RawMessage) (v T, err error) {
	whole, err := readApproval(q, raw, func(value json.RawMessage) error {
		_, err := any(&v).(approval).takes(value)
		return err
	})
	if err != nil {
		return v, err
	}
	return v, json.Unmarshal(whole, &v)
}
