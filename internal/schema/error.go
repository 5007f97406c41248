package schema

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/refusal"
)

// Codes of the problems in the errors of this package.
const (
	ErrInvalidJSON refusal.Code = "invalid_json"     // not one JSON value
	ErrMismatch    refusal.Code = "schema_violation" // the schema, or the Go type, does not allow the value
)

// maxProblems is the highest number of problems that an error reports.
const maxProblems = 8

// problem returns a problem at path, a JSON Pointer. The message names what was
// wanted, but not the value that was found. Its subject is the path, or "the
// JSON" if the path is empty.
func problem(code refusal.Code, path, message string) refusal.Problem {
	if path == "" {
		message = "the JSON " + message
	}
	return refusal.Problem{Code: code, Path: path, Message: message}
}

func refuse(code refusal.Code, path, message string) error {
	return &refusal.Error{Problems: []refusal.Problem{problem(code, path, message)}}
}

// decodeError returns the error for JSON that the schema allows and the Go type
// does not.
func decodeError(err error) error {
	if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		path := ""
		if mismatch.Field != "" {
			path = "/" + strings.ReplaceAll(mismatch.Field, ".", "/")
		}
		return refuse(ErrMismatch, path, "does not fit "+jsonName(mismatch.Type))
	}
	return refuse(ErrMismatch, "", "cannot be read: "+clip(err.Error()))
}

// jsonName returns the kind of JSON value that t holds. A number keeps its Go
// name, which shows the range.
func jsonName(t reflect.Type) string {
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

// pointer returns name as one step of a JSON Pointer (RFC 6901). A long name is
// shortened, because it may come from a model.
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

// clip shortens text that may be long or come from a model.
func clip(text string) string { return strings.ToValidUTF8(prompt.Clip(text, 200), "?") }
