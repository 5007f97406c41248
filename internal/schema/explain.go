package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"

	checker "github.com/google/jsonschema-go/jsonschema"
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

// explain says what is wrong with v, which the checker refused. The checker's own words name one problem only,
// and follow the order of a map.
func explain(root *checker.Schema, v any) error {
	e := explainer{root: root, rules: map[*checker.Schema]*checker.Resolved{}}
	e.visit(root, v, "")
	if len(e.problems) == 0 {
		e.add("", "does not match the schema")
	}
	return &Error{Problems: e.problems}
}

type explainer struct {
	root     *checker.Schema
	rules    map[*checker.Schema]*checker.Resolved
	problems []Problem
}

func (e *explainer) add(path, text string) {
	if len(e.problems) < maxProblems {
		e.problems = append(e.problems, Problem{path, text})
	}
}

func (e *explainer) visit(s *checker.Schema, v any, path string) {
	before := len(e.problems)
	s = e.named(s, v)
	object, isObject := v.(map[string]any)
	array, isArray := v.([]any)
	switch got := typeName(v); {
	case before == maxProblems:
		return
	case s.Type != "" && got != s.Type && (got != "integer" || s.Type != "number"):
		e.add(path, fmt.Sprintf("is %s, want %s", got, s.Type))
		return
	case s.Enum != nil && !e.fits(s, v):
		e.add(path, "is none of "+compact(s.Enum))
		return
	case isObject:
		e.object(s, object, path)
	case isArray && s.Items != nil:
		for i, item := range array {
			e.visit(s.Items, item, path+"/"+strconv.Itoa(i))
		}
	}
	if len(e.problems) == before && !e.fits(s, v) {
		e.add(path, "does not match "+compact(s))
	}
}

func (e *explainer) object(s *checker.Schema, v map[string]any, path string) {
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			e.add(path+pointer(name), "is missing")
		}
	}
	names := make([]string, 0, len(v))
	for name := range v {
		names = append(names, name)
	}
	sort.Strings(names)
	closed := s.AdditionalProperties != nil && s.AdditionalProperties.Not != nil && s.PatternProperties == nil
	for _, name := range names {
		switch sub := s.Properties[name]; {
		case sub != nil:
			e.visit(sub, v[name], path+pointer(name))
		case closed:
			e.add(path+pointer(name), "is unknown; known are "+known(s))
		case s.AdditionalProperties != nil && s.PatternProperties == nil:
			e.visit(s.AdditionalProperties, v[name], path+pointer(name))
		}
	}
}

// named follows references, and picks the alternative that v was meant for where null is the only other one.
func (e *explainer) named(s *checker.Schema, v any) *checker.Schema {
	s = target(e.root, s)
	for _, alternatives := range [][]*checker.Schema{s.AnyOf, s.OneOf} {
		if len(alternatives) == 2 && v != nil {
			if i := slices.IndexFunc(alternatives, func(a *checker.Schema) bool { return a.Type == "null" }); i >= 0 {
				return target(e.root, alternatives[1-i])
			}
		}
	}
	return s
}

// fits reports whether the checker takes v under s alone.
func (e *explainer) fits(s *checker.Schema, v any) bool {
	rule := e.rules[s]
	if rule == nil {
		alone := *s
		alone.Defs = e.root.Defs
		var err error
		if rule, err = alone.Resolve(nil); err != nil {
			return true // it cannot stand alone, so it is not blamed
		}
		e.rules[s] = rule
	}
	return rule.Validate(v) == nil
}

// target follows the references of s to definitions of root.
func target(root, s *checker.Schema) *checker.Schema {
	for range len(root.Defs) + 1 {
		name, ok := strings.CutPrefix(s.Ref, definitions)
		def := root.Defs[name]
		if !ok || def == nil {
			return s
		}
		s = def
	}
	return s
}

func typeName(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case int64:
		return "integer"
	case float64:
		if v == float64(int64(v)) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

func known(s *checker.Schema) string {
	names := make([]string, 0, len(s.Properties))
	for name := range s.Properties {
		names = append(names, name)
	}
	sort.Strings(names)
	if len(names) == 0 {
		return "none"
	}
	return clip(strings.Join(names, ", "))
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
