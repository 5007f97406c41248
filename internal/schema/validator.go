package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	checker "github.com/google/jsonschema-go/jsonschema"

	"github.com/qedkit/qed/refusal"
)

// A Validator is a compiled JSON Schema, such as the input schema of a tool. It is
// immutable and safe for concurrent use.
type Validator struct {
	doc   *checker.Schema
	index index
	check *checker.Resolved
	shape *shape // nil if the schema says more than a shape can
	empty bool   // it allows the object without properties
	local bool   // every reference refers to a definition, so each subschema can be compiled for itself
}

// Compile compiles a JSON Schema. It refuses
//
//   - a reference to anything outside of the schema,
//   - a reference that leads back to itself without a step into the value, on
//     which validation would never end.
func Compile(text json.RawMessage) (*Validator, error) {
	val := &Validator{doc: new(checker.Schema), index: index{}}
	if err := json.Unmarshal(text, val.doc); err != nil {
		return nil, err
	}
	var err error
	if val.check, err = val.doc.Resolve(nil); err != nil {
		return nil, err
	}
	val.index.add("", val.doc)
	val.shape = shapeOf(val.doc)
	if val.local, err = val.bounded(); err != nil {
		return nil, err
	}
	val.empty = val.check.Validate(map[string]any{}) == nil
	return val, nil
}

// Normalize checks raw, which must be one JSON value, and returns it in a form that
// every reader understands in the same way:
//
//   - Of a property that an object has twice, only the last value remains.
//   - An optional property is removed if its value is null and its schema does
//     not allow null.
//
// The error is a [*refusal.Error]. A nil Validator allows every value.
func (val *Validator) Normalize(raw []byte) (json.RawMessage, error) {
	return val.NormalizeAround(raw, nil)
}

// NormalizeAround is Normalize for a value with placeholders, which stand for values
// that are not known yet: any value below the whole for which placeholder returns true.
// It refuses what is wrong whatever they stand for, as far as that is certain.
func (val *Validator) NormalizeAround(raw []byte, placeholder func(any) bool) (json.RawMessage, error) {
	if (val == nil || val.empty) && string(raw) == "{}" {
		return json.RawMessage("{}"), nil // a call without arguments
	}
	v, err := parse(raw)
	if err != nil {
		return nil, err
	}
	v, text, err := finish(v)
	if err != nil {
		return nil, err
	}
	if val == nil || val.shape.matches(v) || val.check.Validate(v) == nil {
		return text, nil
	}
	if bytes.Contains(raw, []byte("null")) {
		if v, err = parse(raw); err != nil { // again, because finish changed the numbers
			return nil, err
		}
		n := nulls{schema: val, steps: maxSteps}
		n.drop(val.doc, v)
		if v, text, err = finish(v); err != nil {
			return nil, err
		}
		if n.dropped && val.check.Validate(v) == nil {
			return text, nil
		}
	}
	problems := val.explain(v, placeholder)
	if len(problems) == 0 {
		return text, nil
	}
	return nil, &refusal.Error{Problems: problems}
}

// bounded returns an error if validation could go on forever. It also reports
// whether all references refer to definitions of the root schema.
func (val *Validator) bounded() (local bool, err error) {
	local = true
	const walking, done = 1, 2
	seen := map[*checker.Schema]int{}
	// visit follows s to everything that is checked for the same value.
	var visit func(s *checker.Schema) error
	visit = func(s *checker.Schema) error {
		switch seen[s] {
		case walking:
			return errors.New("a reference leads back to itself without a step into the value")
		case done:
			return nil
		}
		seen[s] = walking
		for _, c := range children(s) {
			if !c.inPlace {
				continue
			}
			if err := visit(c.schema); err != nil {
				return err
			}
		}
		if s.DynamicRef != "" {
			return errors.New("$dynamicRef is not supported: use $ref")
		}
		if s.Ref != "" {
			to := val.index.lookup(s.Ref)
			if to == nil {
				return fmt.Errorf("the reference %q is not a JSON Pointer into the schema, such as #/$defs/name",
					clip(s.Ref))
			}
			local = local && isDefinition(s.Ref)
			if err := visit(to); err != nil {
				return err
			}
		}
		seen[s] = done
		return nil
	}
	var all func(s *checker.Schema) error
	all = func(s *checker.Schema) error {
		if s.ID != "" && s != val.doc {
			return errors.New("$id is supported at the root only")
		}
		if err := visit(s); err != nil {
			return err
		}
		for _, c := range children(s) {
			if err := all(c.schema); err != nil {
				return err
			}
		}
		return nil
	}
	return local, all(val.doc)
}
