package schema

import (
	"encoding/json"
	"errors"
	"fmt"

	checker "github.com/google/jsonschema-go/jsonschema"
)

// A Rule is a JSON Schema that was made by others: a tool's, from wherever it comes. It is immutable and safe for concurrent use.
type Rule struct {
	doc   *checker.Schema
	check *checker.Resolved
	local bool // every reference points at a definition, so that each part can be checked alone
}

// Compile reads a JSON Schema. It refuses one that refers to what is not within it, and one that leads back to itself without a
// step into the value: checking by that would not end.
func Compile(text json.RawMessage) (*Rule, error) {
	r := &Rule{doc: new(checker.Schema)}
	if err := json.Unmarshal(text, r.doc); err != nil {
		return nil, err
	}
	var err error
	if r.check, err = r.doc.Resolve(nil); err != nil {
		return nil, err
	}
	if r.local, err = bounded(r.doc); err != nil {
		return nil, err
	}
	return r, nil
}

// Clean returns raw as one JSON value that the schema allows, without the nulls of optional members that take none, and each name of
// an object once: what is checked is what everybody reads then. Its error is an [*Error]. A nil Rule allows every value.
func (r *Rule) Clean(raw []byte) (json.RawMessage, error) {
	v, err := parse(raw)
	if err != nil {
		return nil, err
	}
	v, text, err := finish(v)
	if err != nil {
		return nil, err
	}
	if r == nil || r.check.Validate(v) == nil {
		return text, nil
	}
	if v, err = parse(raw); err != nil { // once more, as the numbers were changed
		return nil, err
	}
	n := nulls{root: r.doc, steps: maxSteps}
	n.drop(r.doc, v)
	if v, text, err = finish(v); err != nil {
		return nil, err
	}
	if n.dropped && r.check.Validate(v) == nil {
		return text, nil
	}
	return nil, r.explain(v)
}

// bounded returns an error where checking a value could go on for ever, and whether all references point at definitions of root.
func bounded(root *checker.Schema) (local bool, err error) {
	local = true
	const walking, done = 1, 2
	seen := map[*checker.Schema]int{}
	var visit func(s *checker.Schema) error
	visit = func(s *checker.Schema) error {
		switch seen[s] {
		case walking:
			return errors.New("it leads back to itself without a step into the value")
		case done:
			return nil
		}
		seen[s] = walking
		for _, sub := range inPlace(s) {
			if err := visit(sub); err != nil {
				return err
			}
		}
		if s.DynamicRef != "" {
			return errors.New("$dynamicRef is not supported: use $ref")
		}
		if s.Ref != "" {
			to := lookup(root, s.Ref)
			if to == nil {
				return fmt.Errorf("the reference %q is no JSON Pointer into it, such as #/$defs/name", clip(s.Ref))
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
		if s.ID != "" && s != root {
			return errors.New("an $id within it is not supported, as references are to the whole")
		}
		if err := visit(s); err != nil {
			return err
		}
		for _, sub := range append(inPlace(s), inside(s)...) {
			if err := all(sub); err != nil {
				return err
			}
		}
		return nil
	}
	return local, all(root)
}
