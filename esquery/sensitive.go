package esquery

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/lists"
)

// ErrSensitive is matched by the error of [NewValidator] if Options.Sensitive
// has a malformed pattern, or a field that no index has.
var ErrSensitive = errors.New("the sensitive fields do not fit")

// sensitive are the hidden fields of one index. A nil sensitive hides nothing.
type sensitive struct {
	globs   []string        // patterns with a *
	exact   map[string]bool // other patterns, and all fields that have their values
	known   map[string]bool // for each field of the mapping, whether it is hidden
	missing []string        // patterns without a field in this index
	exclude []string        // what _source must exclude
}

// newSensitive returns the fields that the patterns hide in an index.
func newSensitive(patterns []string, m *Mapping) (*sensitive, error) {
	if len(patterns) == 0 {
		return nil, nil
	}
	s := &sensitive{exact: map[string]bool{}, known: make(map[string]bool, len(m.fields))}
	for _, p := range patterns {
		if !sound(p) {
			return nil, fmt.Errorf(
				"esquery: %w: %s is not the path of a field, such as \"person.ssn\" or \"*.ssn\"", ErrSensitive, quoted(p))
		}
		if strings.Contains(p, "*") {
			s.globs = append(s.globs, p)
		} else {
			s.exact[p] = true
		}
	}
	s.spread(m)
	s.aliased(m)
	for path, f := range m.fields {
		hidden := f.family != metaFamily && s.matches(path)
		s.known[path] = hidden || f.flattened && s.within(path)
	}
	// A metadata field is hidden only by its exact name.
	for path := range s.exact {
		if f := m.fields[path]; f != nil {
			s.known[path] = true
		}
	}
	s.missing = s.unmatched(patterns, m)
	s.exclude = s.excluded(patterns)
	return s, nil
}

// sound reports whether a pattern is a path, which can have a *.
func sound(pattern string) bool {
	if pattern == "" || len(pattern) > maxPattern || strings.Count(pattern, "*") > maxStars {
		return false
	}
	return !slices.ContainsFunc(strings.Split(pattern, "."), func(part string) bool { return part == "" || strings.TrimSpace(part) != part })
}

const (
	maxPattern = 1000
	maxStars   = 20
)

// spread adds the fields that have the values of hidden ones: the targets of
// aliases, the parents of multi-fields, copies and computed fields.
func (s *sensitive) spread(m *Mapping) {
	for grown := true; grown; {
		grown = false
		hide := func(path string) {
			if path != "" && !s.matches(path) {
				s.exact[path] = true
				grown = true
			}
		}
		for path, f := range m.fields {
			if f.family == metaFamily {
				continue
			}
			if s.matches(path) {
				hide(f.Parent)
				for _, target := range f.targets {
					hide(target)
				}
				for _, to := range f.copyTo {
					hide(to)
				}
				continue
			}
			for _, target := range f.targets {
				if s.matches(target) {
					hide(path)
				}
			}
			if f.Parent != "" && s.matches(f.Parent) || f.script != "" && s.reads(f.script, m) {
				hide(path)
			}
		}
	}
}

// aliased hides the aliases of flattened fields with a hidden key, because the
// key has another name by the alias.
func (s *sensitive) aliased(m *Mapping) {
	for path, f := range m.fields {
		for _, target := range f.targets {
			if f.flattened && s.within(target) {
				s.exact[path] = true
			}
		}
	}
}

// reads reports whether the script of a runtime field contains the name of a
// hidden field. How the script uses the name is not known.
func (s *sensitive) reads(script string, m *Mapping) bool {
	for path := range m.fields {
		if s.matches(path) && strings.Contains(script, lastOf(path)) {
			return true
		}
	}
	for path := range s.exact {
		if strings.Contains(script, lastOf(path)) {
			return true
		}
	}
	return slices.ContainsFunc(s.globs, func(g string) bool {
		part := strings.Trim(lastOf(g), "*")
		return part != "" && strings.Contains(script, part)
	})
}

func lastOf(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// matches reports whether path is hidden or lies below a hidden path.
func (s *sensitive) matches(path string) bool {
	for i := 0; i < len(path); i++ {
		if path[i] == '.' && s.is(path[:i]) {
			return true
		}
	}
	return s.is(path)
}

// is reports whether path itself is hidden.
func (s *sensitive) is(path string) bool {
	return s.exact[path] || slices.ContainsFunc(s.globs, func(g string) bool { return glob(g, path) })
}

// within reports whether something below path can be hidden, known or not.
func (s *sensitive) within(path string) bool {
	if s == nil {
		return false
	}
	prefix := path + "."
	for hidden := range s.exact {
		if strings.HasPrefix(hidden, prefix) {
			return true
		}
	}
	return slices.ContainsFunc(s.globs, func(g string) bool { return globBelow(g, prefix) })
}

// hides reports whether a search must not use the name: a hidden field, anything
// below one, or a flattened field with a hidden key.
func (s *sensitive) hides(path string) bool {
	if s == nil {
		return false
	}
	if hidden, ok := s.known[path]; ok {
		return hidden
	}
	return s.matches(path)
}

// any reports whether there are hidden fields.
func (s *sensitive) any() bool { return s != nil }

func (s *sensitive) excluded(patterns []string) []string {
	all := make([]string, 0, 2*len(patterns))
	seen := map[string]bool{}
	add := func(p string) {
		if !seen[p] {
			seen[p] = true
			all = append(all, p, p+".*")
		}
	}
	for _, p := range patterns {
		add(p)
	}
	for _, path := range sortedKeys(s.exact) {
		add(path)
	}
	return all
}

// unmatched returns the patterns without a * that match no field, and cannot
// match one that the mapping does not list.
func (s *sensitive) unmatched(patterns []string, m *Mapping) []string {
	return lists.Filter(patterns, func(p string) bool {
		return !strings.Contains(p, "*") && m.fields[p] == nil && m.flattened(p) == nil && m.why(p) == ""
	})
}

// glob reports whether s matches pattern. A * matches any characters.
func glob(pattern, s string) bool {
	p, i, star, from := 0, 0, -1, 0
	for i < len(s) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, i
			p++
		case p < len(pattern) && pattern[p] == s[i]:
			p++
			i++
		case star >= 0:
			from++
			p, i = star+1, from
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// globBelow reports whether pattern matches anything that begins with prefix.
func globBelow(pattern, prefix string) bool {
	for p := 0; p < len(pattern); p++ {
		switch {
		case pattern[p] == '*' || p == len(prefix):
			return true
		case pattern[p] != prefix[p]:
			return false
		}
	}
	return false
}
