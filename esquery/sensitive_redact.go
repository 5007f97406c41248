package esquery

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
)

// errSource is the error for a source that cannot be read, so that hidden fields
// could remain in it.
var errSource = errors.New(
	"esquery: the source of a document is not JSON or too deep, so its hidden fields cannot be removed")

// maxSourceDepth is the limit of the engines.
const maxSourceDepth = 1000

// redact removes the hidden fields from the source of a document. They can be
// written as objects, as keys with dots and in arrays.
func (s *sensitive) redact(source json.RawMessage) (json.RawMessage, error) {
	if s == nil || len(source) == 0 {
		return source, nil
	}
	v, err := decodeJSON(strings.ToValidUTF8(string(source), "\uFFFD"), maxSourceDepth)
	if err != nil {
		return nil, errSource
	}
	s.remove(&v, "")
	return v.appendTo(nil), nil
}

// remove removes the hidden fields of a value at path.
func (s *sensitive) remove(v *value, path string) {
	for i := range v.items {
		s.remove(&v.items[i], path)
	}
	kept := v.members[:0]
	for _, m := range v.members {
		if at, hidden := s.enter(path, m.key); !hidden {
			s.remove(&m.value, at)
			kept = append(kept, m)
		}
	}
	v.members = kept
}

// enter adds a key to a path and reports whether the path is hidden. A key with
// dots stands for several objects; empty parts are ignored.
func (s *sensitive) enter(path, key string) (at string, hidden bool) {
	for part := range strings.SplitSeq(key, ".") {
		if part == "" {
			continue
		}
		if path != "" {
			path += "."
		}
		if path += part; s.is(path) {
			return path, true
		}
	}
	return path, false
}

func sortedKeys(m map[string]bool) []string { return slices.Sorted(maps.Keys(m)) }
