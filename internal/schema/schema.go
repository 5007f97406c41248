// Package schema makes a JSON Schema from a Go type, and reads JSON into that type only where the schema allows it.
//
// It is the one place where qed tells a model what JSON it wants and checks what came: the arguments of a tool, also by a
// schema of somebody else's, and structured output. A struct describes its fields with the tags of github.com/invopop/jsonschema, such as
//
//	Limit int `json:"limit,omitempty" jsonschema:"minimum=1,maximum=100" jsonschema_description:"how many rows"`
//
// A field is optional when its json tag has omitempty or omitzero, and a null there counts as its absence.
// Unknown fields are refused.
package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sync"
)

// Schema is the compiled schema of T. It is immutable and safe for concurrent use.
type Schema[T any] struct {
	text json.RawMessage
	rule *Rule
}

// cache holds a func() (*Schema[T], error) for each T: a schema is compiled once.
var cache sync.Map

// For returns the schema of T, which is a struct or a map. It is compiled once per type.
// It fails on a type that JSON cannot hold, and on one that is no JSON object.
func For[T any]() (*Schema[T], error) {
	t := reflect.TypeFor[T]()
	once, ok := cache.Load(t)
	if !ok {
		once, _ = cache.LoadOrStore(t, sync.OnceValues(compile[T]))
	}
	return once.(func() (*Schema[T], error))()
}

func compile[T any]() (*Schema[T], error) {
	t := reflect.TypeFor[T]()
	text, err := generate(t)
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", t, err)
	}
	rule, err := Compile(text)
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", t, err)
	}
	if rule.doc.Type != "object" {
		return nil, fmt.Errorf("schema of %s: it is no JSON object: make it a field of a struct", t)
	}
	return &Schema[T]{text, rule}, nil
}

// JSON returns the schema. Its properties stand in the order of T's fields. The caller must not change it.
func (s *Schema[T]) JSON() json.RawMessage { return s.text }

// Validate reports whether raw is one JSON value that the schema allows. Its error is an [*Error].
func (s *Schema[T]) Validate(raw []byte) error {
	_, err := s.rule.Clean(raw)
	return err
}

// Decode reads raw into a T. It gives the zero T and an [*Error] where the schema does not allow raw,
// or where T's own reading refuses it.
func (s *Schema[T]) Decode(raw []byte) (T, error) {
	var v, zero T
	text, err := s.rule.Clean(raw)
	if err != nil {
		return zero, err
	}
	if err := json.Unmarshal(text, &v); err != nil {
		return zero, unreadable(err)
	}
	return v, nil
}
