// Package schema makes a JSON Schema from a Go type, and decodes JSON into that
// type if the schema allows it. A [Validator] checks JSON by a schema that
// somebody else wrote.
//
// qed uses it for the arguments of tools and for structured output. A struct
// describes its fields with the tags of github.com/invopop/jsonschema, such as
//
//	Limit int `json:"limit,omitempty" jsonschema:"minimum=1,maximum=100" jsonschema_description:"how many rows"`
//
// A field is optional if its json tag has omitempty or omitzero; null is treated
// as absent there. Unknown fields are refused.
//
// Errors are [*refusal.Error]s that list the problems so that a model can correct
// its JSON. The same JSON always gives the same error.
package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sync"
)

// Schema is the compiled JSON Schema of T. It is immutable and safe for concurrent use.
type Schema[T any] struct {
	text      json.RawMessage
	validator *Validator
}

// cache maps each T to a func() (*Schema[T], error) that compiles its schema once.
var cache sync.Map

// For returns the schema of T, which is a struct or a map. It is compiled once per
// type. For returns an error if JSON cannot represent T, or if T is not a JSON
// object.
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
	validator, err := Compile(text)
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", t, err)
	}
	if validator.doc.Type != "object" {
		return nil, fmt.Errorf("schema of %s: it is not a JSON object; make it a field of a struct", t)
	}
	return &Schema[T]{text: text, validator: validator}, nil
}

// JSON returns the schema. Its properties have the order of T's fields. The caller
// must not modify it.
func (s *Schema[T]) JSON() json.RawMessage { return s.text }

// Decode decodes raw into a T. It returns an error if the schema does not allow
// raw, or if an UnmarshalJSON or UnmarshalText method refuses it.
func (s *Schema[T]) Decode(raw []byte) (T, error) {
	var v, zero T
	text, err := s.validator.Normalize(raw)
	if err != nil {
		return zero, err
	}
	if err := json.Unmarshal(text, &v); err != nil {
		return zero, decodeError(err)
	}
	return v, nil
}

// Instruction returns the prompt that asks a model for JSON by a schema. It is for
// providers that do not constrain replies to a schema.
func Instruction(schema json.RawMessage) string {
	return "Reply with one JSON object and nothing else: no explanation, no code fence. " +
		"Its JSON Schema is:\n" + string(schema)
}
