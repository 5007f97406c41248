package schema

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
)

// Error says why JSON was refused, so that a model can mend it. The same JSON always gives the same Error.
type Error struct{ Problems []Problem }

// Problem is one thing that is wrong. Its text holds names and what was wanted, not the value that was found, unless
// that stands in the error of a type that reads its own JSON.
type Problem struct {
	Path string // JSON Pointer to the value; empty for the whole
	Text string // such as "is a string, want integer"
}

// Error lists the problems, one after the other.
func (e *Error) Error() string {
	texts := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		where := p.Path
		if where == "" {
			where = "the JSON"
		}
		texts[i] = where + " " + p.Text
	}
	return strings.Join(texts, "; ")
}

// maxProblems bounds an Error. More does not help a model.
const maxProblems = 8

func problem(path, text string) error { return &Error{Problems: []Problem{{path, text}}} }

// unreadable is the error for JSON that the schema allows, and that the Go type does not hold.
func unreadable(err error) error {
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) {
		path := ""
		if mismatch.Field != "" {
			path = "/" + strings.ReplaceAll(mismatch.Field, ".", "/")
		}
		return problem(path, "does not fit "+wanted(mismatch.Type))
	}
	return problem("", "cannot be read: "+clip(err.Error()))
}

// wanted names what JSON a Go type holds: a number by its type, which says how large it may be.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.String:
		return "a string"
	}
	return t.Kind().String()
}

var escapePointer = strings.NewReplacer("~", "~0", "/", "~1")

// pointer is one step of a JSON Pointer, RFC 6901. A name may come from a model, so it is cut short.
func pointer(name string) string {
	return "/" + clip(escapePointer.Replace(name))
}

func compact(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return "the schema"
	}
	return clip(string(text))
}

// clip cuts text that may be long, or come from a model.
func clip(text string) string {
	const most = 200
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "..."
	}
	return strings.ToValidUTF8(text, "?")
}
