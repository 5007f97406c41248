package esquery

import (
	"bytes"
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
	if !json.Valid(source) {
		return nil, errSource
	}
	r := redactor{hidden: s, in: source, out: make([]byte, 0, len(source))}
	if !r.value() {
		return nil, errSource
	}
	return r.out, nil
}

// A redactor copies a valid JSON text without the hidden fields.
type redactor struct {
	hidden *sensitive
	in     []byte
	at     int
	out    []byte
	path   []byte
	depth  int
}

// value copies the next value. It returns false if the value is too deep.
func (r *redactor) value() bool {
	r.space()
	switch r.in[r.at] {
	case '{':
		return r.object()
	case '[':
		return r.array()
	default:
		from := r.at
		r.skip()
		r.out = append(r.out, r.in[from:r.at]...)
		return true
	}
}

func (r *redactor) space() {
	for {
		switch r.in[r.at] {
		case ' ', '\t', '\n', '\r':
			r.at++
		default:
			return
		}
	}
}

func (r *redactor) array() bool {
	if r.depth++; r.depth > maxSourceDepth {
		return false
	}
	r.at++
	r.out = append(r.out, '[')
	for first := true; ; first = false {
		r.space()
		if r.in[r.at] == ',' {
			r.at++
			r.space()
		}
		if r.in[r.at] == ']' {
			break
		}
		if !first {
			r.out = append(r.out, ',')
		}
		if !r.value() {
			return false
		}
	}
	r.at++
	r.depth--
	r.out = append(r.out, ']')
	return true
}

func (r *redactor) object() bool {
	if r.depth++; r.depth > maxSourceDepth {
		return false
	}
	r.at++
	r.out = append(r.out, '{')
	around := len(r.path)
	for first := true; ; {
		r.space()
		if r.in[r.at] == ',' {
			r.at++
			r.space()
		}
		if r.in[r.at] == '}' {
			break
		}
		key := r.key()
		hidden := r.enter(key)
		r.space()
		r.at++ // the colon
		if hidden {
			r.space()
			r.skip()
		} else {
			if !first {
				r.out = append(r.out, ',')
			}
			first = false
			r.out = append(append(r.out, key...), ':')
			if !r.value() {
				return false
			}
		}
		r.path = r.path[:around]
	}
	r.at++
	r.depth--
	r.out = append(r.out, '}')
	return true
}

// key returns the next key with its quotes.
func (r *redactor) key() []byte {
	from := r.at
	r.skip()
	return r.in[from:r.at]
}

// enter adds a key to the path and reports whether the path is hidden. A key
// with dots stands for several objects; empty parts are ignored.
func (r *redactor) enter(raw []byte) bool {
	key := raw[1 : len(raw)-1]
	if bytes.IndexByte(key, '\\') >= 0 {
		var text string
		_ = json.Unmarshal(raw, &text) // valid, because the whole text is
		key = []byte(text)
	}
	for len(key) > 0 {
		part, rest, _ := bytes.Cut(key, []byte{'.'})
		key = rest
		if len(part) == 0 {
			continue
		}
		if len(r.path) > 0 {
			r.path = append(r.path, '.')
		}
		r.path = append(r.path, part...)
		if r.hidden.removes(r.path) {
			return true
		}
	}
	return false
}

// removes is the method is for a path in a document.
func (s *sensitive) removes(path []byte) bool {
	if s.exact[string(path)] {
		return true
	}
	for _, g := range s.globs {
		if glob(g, path) {
			return true
		}
	}
	return false
}

// skip moves behind the next value.
func (r *redactor) skip() {
	depth := 0
	for {
		switch c := r.in[r.at]; c {
		case '"':
			for r.at++; r.in[r.at] != '"'; r.at++ {
				if r.in[r.at] == '\\' {
					r.at++
				}
			}
			r.at++
		case '{', '[':
			depth++
			r.at++
		case '}', ']':
			depth--
			r.at++
		case ' ', '\t', '\n', '\r', ',', ':':
			r.at++
			continue
		default:
			for r.at++; r.at < len(r.in) && strings.IndexByte(" \t\n\r,:]}", r.in[r.at]) < 0; r.at++ {
			}
		}
		if depth == 0 {
			return
		}
	}
}

func sortedKeys(m map[string]bool) []string { return slices.Sorted(maps.Keys(m)) }
