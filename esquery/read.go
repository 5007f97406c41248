package esquery

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

type syntaxError struct {
	message string
	tooDeep bool
}

func (e *syntaxError) Error() string { return e.message }

// readJSON parses a whole text. It keeps both members with the same key, and
// calls duplicate for the key unless it is nil. What engines could read as another
// text is an error: invalid UTF-8, and half a surrogate pair.
func readJSON(text string, maxDepth int, duplicate func(path []step, key string)) (value, error) {
	if !utf8.ValidString(text) {
		return value{}, &syntaxError{message: "it is not valid UTF-8"}
	}
	v, err := decodeJSON(text, maxDepth)
	if err != nil {
		return value{}, err
	}
	// Package encoding/json reads half a pair as U+FFFD.
	if (strings.Contains(text, `\ud`) || strings.Contains(text, `\uD`)) && strings.ContainsRune(string(v.appendTo(nil)), utf8.RuneError) {
		return value{}, &syntaxError{message: "a string contains half a surrogate pair"}
	}
	if duplicate != nil {
		duplicates(&v, make([]step, 0, typicalDepth), duplicate)
	}
	return v, nil
}

// decodeJSON parses a whole text. Half a surrogate pair is U+FFFD.
func decodeJSON(text string, maxDepth int) (v value, err error) {
	if !json.Valid([]byte(text)) {
		return value{}, &syntaxError{message: json.Unmarshal([]byte(text), new(any)).Error()}
	}
	r := reader{text: text}
	r.take(0)
	err = r.read(&v, maxDepth)
	return v, err
}

// A reader splits JSON that encoding/json has found valid. A check takes three times
// as long with the tokens of its Decoder.
type reader struct {
	text string
	at   int
}

// next returns the next byte.
func (r *reader) next() byte { return r.text[r.at] }

// take returns the next n bytes, and moves to the token after them.
func (r *reader) take(n int) string {
	taken := r.text[r.at : r.at+n]
	for r.at += n; r.at < len(r.text) && r.next() <= ' '; {
		r.at++
	}
	return taken
}

// read sets v, which is null, to the next value.
func (r *reader) read(v *value, maxDepth int) error {
	switch r.next() {
	case '{':
		v.kind = object
		return r.parts(v, maxDepth)
	case '[':
		v.kind = array
		return r.parts(v, maxDepth)
	case '"':
		v.kind, v.text = str, r.string()
	case 't', 'f':
		v.kind, v.text = boolean, r.scalar()
	case 'n':
		r.scalar()
	default:
		v.kind, v.text = number, r.scalar()
	}
	return nil
}

// parts reads the members or items of v.
func (r *reader) parts(v *value, maxDepth int) error {
	if maxDepth == 0 {
		return &syntaxError{message: "it has too many levels", tooDeep: true}
	}
	for r.take(1); r.next() != ']' && r.next() != '}'; {
		var part *value
		if v.kind == object {
			v.members = append(v.members, member{key: r.string()})
			part = &v.members[len(v.members)-1].value
			r.take(1) // the colon
		} else {
			v.items = append(v.items, value{})
			part = &v.items[len(v.items)-1]
		}
		if err := r.read(part, maxDepth-1); err != nil {
			return err
		}
		if r.next() == ',' {
			r.take(1)
		}
	}
	r.take(1) // the end
	return nil
}

// scalar reads a number, boolean or null.
func (r *reader) scalar() string {
	rest := r.text[r.at:]
	if end := strings.IndexAny(rest, ",]} \t\r\n"); end >= 0 {
		return r.take(end)
	}
	return r.take(len(rest))
}

func (r *reader) string() string {
	end := r.at + 1
	for ; r.text[end] != '"'; end++ {
		if r.text[end] == '\\' {
			end++
		}
	}
	quoted := r.take(end + 1 - r.at)
	if strings.Contains(quoted, `\`) {
		var s string
		_ = json.Unmarshal([]byte(quoted), &s) // it is valid
		return s
	}
	return quoted[1 : len(quoted)-1]
}

// duplicates calls report for each duplicate key of an object in v.
func duplicates(v *value, path []step, report func(path []step, key string)) {
	if len(v.members) > 1 {
		seen := map[string]bool{} // on the stack while it is small
		for i := range v.members {
			if key := v.members[i].key; seen[key] {
				report(path, key)
			} else {
				seen[key] = true
			}
		}
	}
	for i := range v.items {
		duplicates(&v.items[i], append(path, step{index: i}), report)
	}
	for i := range v.members {
		duplicates(&v.members[i].value, append(path, step{key: v.members[i].key, index: -1}), report)
	}
}
