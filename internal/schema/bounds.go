package schema

import (
	"fmt"

	checker "github.com/google/jsonschema-go/jsonschema"
)

// bounds tells of the bounds that v does not keep.
func (e *explainer) bounds(s *checker.Schema, v any, path string) {
	bound := func(alone checker.Schema, format string, args ...any) {
		if !holds(&alone, v) {
			e.add(path, fmt.Sprintf(format, args...))
		}
	}
	if s.Const != nil {
		bound(checker.Schema{Const: s.Const}, "is not %s", compact(*s.Const))
	}
	if n := s.Minimum; n != nil {
		bound(checker.Schema{Minimum: n}, "is too small, want at least %s", compact(*n))
	}
	if n := s.ExclusiveMinimum; n != nil {
		bound(checker.Schema{ExclusiveMinimum: n}, "is too small, want more than %s", compact(*n))
	}
	if n := s.Maximum; n != nil {
		bound(checker.Schema{Maximum: n}, "is too large, want at most %s", compact(*n))
	}
	if n := s.ExclusiveMaximum; n != nil {
		bound(checker.Schema{ExclusiveMaximum: n}, "is too large, want less than %s", compact(*n))
	}
	if n := s.MultipleOf; n != nil {
		bound(checker.Schema{MultipleOf: n}, "is no multiple of %s", compact(*n))
	}
	if n := s.MinLength; n != nil {
		bound(checker.Schema{MinLength: n}, "is too short, want at least %d characters", *n)
	}
	if n := s.MaxLength; n != nil {
		bound(checker.Schema{MaxLength: n}, "is too long, want at most %d characters", *n)
	}
	if s.Pattern != "" {
		bound(checker.Schema{Pattern: s.Pattern}, "does not match the pattern %s", clip(s.Pattern))
	}
	if n := s.MinItems; n != nil {
		bound(checker.Schema{MinItems: n}, "has %d items, want at least %d", size(v), *n)
	}
	if n := s.MaxItems; n != nil {
		bound(checker.Schema{MaxItems: n}, "has %d items, want at most %d", size(v), *n)
	}
	if n := s.MinProperties; n != nil {
		bound(checker.Schema{MinProperties: n}, "has %d members, want at least %d", size(v), *n)
	}
	if n := s.MaxProperties; n != nil {
		bound(checker.Schema{MaxProperties: n}, "has %d members, want at most %d", size(v), *n)
	}
}

func size(v any) int {
	switch v := v.(type) {
	case []any:
		return len(v)
	case map[string]any:
		return len(v)
	}
	return 0
}
