package schema

import (
	"fmt"

	checker "github.com/google/jsonschema-go/jsonschema"
)

func (e *explainer) bounds(s *checker.Schema, v any, path string) {
	check := func(alone checker.Schema, format string, args ...any) {
		if !holds(&alone, v) {
			e.add(path, fmt.Sprintf(format, args...))
		}
	}
	if s.Const != nil {
		check(checker.Schema{Const: s.Const}, "is not %s", compact(*s.Const))
	}
	if n := s.Minimum; n != nil {
		check(checker.Schema{Minimum: n}, "is too small, want at least %s", compact(*n))
	}
	if n := s.ExclusiveMinimum; n != nil {
		check(checker.Schema{ExclusiveMinimum: n}, "is too small, want more than %s", compact(*n))
	}
	if n := s.Maximum; n != nil {
		check(checker.Schema{Maximum: n}, "is too large, want at most %s", compact(*n))
	}
	if n := s.ExclusiveMaximum; n != nil {
		check(checker.Schema{ExclusiveMaximum: n}, "is too large, want less than %s", compact(*n))
	}
	if n := s.MultipleOf; n != nil {
		check(checker.Schema{MultipleOf: n}, "is not a multiple of %s", compact(*n))
	}
	if n := s.MinLength; n != nil {
		check(checker.Schema{MinLength: n}, "is too short, want at least %d characters", *n)
	}
	if n := s.MaxLength; n != nil {
		check(checker.Schema{MaxLength: n}, "is too long, want at most %d characters", *n)
	}
	if s.Pattern != "" {
		check(checker.Schema{Pattern: s.Pattern}, "does not match the pattern %s", clip(s.Pattern))
	}
	if n := s.MinItems; n != nil {
		check(checker.Schema{MinItems: n}, "has %d items, want at least %d", size(v), *n)
	}
	if n := s.MaxItems; n != nil {
		check(checker.Schema{MaxItems: n}, "has %d items, want at most %d", size(v), *n)
	}
	if n := s.MinProperties; n != nil {
		check(checker.Schema{MinProperties: n}, "has %d members, want at least %d", size(v), *n)
	}
	if n := s.MaxProperties; n != nil {
		check(checker.Schema{MaxProperties: n}, "has %d members, want at most %d", size(v), *n)
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
