package schema

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	checker "github.com/google/jsonschema-go/jsonschema"

	"github.com/qedkit/qed/refusal"
)

// explain returns the problems of v, which the checker refused. The checker's own
// error names only one problem, and which one depends on the order of a map. Without a
// placeholder in v there is at least one.
func (val *Validator) explain(v any, placeholder func(any) bool) []refusal.Problem {
	e := explainer{
		validator: val, placeholder: placeholder, steps: maxSteps, alone: map[*checker.Schema]*checker.Resolved{},
	}
	e.visit(val.doc, v, "")
	if len(e.problems) == 0 && !e.open(v) {
		e.add("", "does not match the schema")
	}
	return e.problems
}

type explainer struct {
	validator   *Validator
	placeholder func(any) bool // nil: there are none
	steps       int
	alone       map[*checker.Schema]*checker.Resolved // subschemas compiled for themselves; nil if that failed
	problems    []refusal.Problem
}

// open reports whether v contains a placeholder.
func (e *explainer) open(v any) bool {
	if e.placeholder == nil {
		return false
	}
	if e.placeholder(v) {
		return true
	}
	switch v := v.(type) {
	case map[string]any:
		for _, member := range v {
			if e.open(member) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, e.open)
	}
	return false
}

// add adds a problem, unless there are enough of them or it is known already.
func (e *explainer) add(path, message string, candidates ...string) {
	p := problem(ErrMismatch, path, message)
	p.Candidates = candidates
	same := func(q refusal.Problem) bool { return q.Path == p.Path && q.Message == p.Message }
	if len(e.problems) < maxProblems && !slices.ContainsFunc(e.problems, same) {
		e.problems = append(e.problems, p)
	}
}

// visit adds the problems that v has under s.
func (e *explainer) visit(s *checker.Schema, v any, path string) {
	before := len(e.problems)
	if e.steps--; e.steps < 0 || before == maxProblems {
		return
	}
	if path != "" && e.placeholder != nil && e.placeholder(v) {
		return
	}
	if s.Ref != "" {
		if e.visit(e.validator.index.lookup(s.Ref), v, path); len(e.problems) > before {
			return
		}
	}
	types := s.Types
	if s.Type != "" {
		types = []string{s.Type}
	}
	got := typeName(v)
	switch {
	case types != nil && !slices.Contains(types, got) && (got != "integer" || !slices.Contains(types, "number")):
		e.add(path, fmt.Sprintf("is %s, want %s", got, strings.Join(types, " or ")))
		return
	case s.Enum != nil && !holds(&checker.Schema{Enum: s.Enum}, v):
		e.add(path, "is none of "+compact(s.Enum))
		return
	}
	e.bounds(s, v, path)
	switch v := v.(type) {
	case map[string]any:
		e.object(s, v, path)
	case []any:
		e.array(s, v, path)
	}
	for _, sub := range s.AllOf {
		e.visit(sub, v, path)
	}
	for _, alternatives := range [][]*checker.Schema{s.AnyOf, s.OneOf} {
		fitsValue := func(a *checker.Schema) bool { return e.fits(a, v) }
		if alternatives != nil && !slices.ContainsFunc(alternatives, fitsValue) {
			e.closest(alternatives, v, path)
		}
	}
	if len(e.problems) == before && !e.fits(s, v) && !e.open(v) {
		e.add(path, "does not match "+compact(s))
	}
}

func (e *explainer) object(s *checker.Schema, v map[string]any, path string) {
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			e.add(path+pointer(name), "is missing")
		}
	}
	closed := s.AdditionalProperties != nil && isFalse(s.AdditionalProperties) && s.PatternProperties == nil
	for _, name := range slices.Sorted(maps.Keys(v)) {
		switch sub := s.Properties[name]; {
		case sub != nil:
			e.visit(sub, v[name], path+pointer(name))
		case closed:
			e.unknown(s, name, path+pointer(name))
		case s.AdditionalProperties != nil && s.PatternProperties == nil:
			e.visit(s.AdditionalProperties, v[name], path+pointer(name))
		}
	}
}

func (e *explainer) array(s *checker.Schema, v []any, path string) {
	first := s.PrefixItems
	if first == nil {
		first = s.ItemsArray
	}
	for i, item := range v {
		switch at := path + "/" + strconv.Itoa(i); {
		case i < len(first):
			e.visit(first[i], item, at)
		case s.Items != nil:
			e.visit(s.Items, item, at)
		}
	}
}

// closest adds the problems of v, which matches none of the alternatives, under
// the alternative that was probably meant.
func (e *explainer) closest(alternatives []*checker.Schema, v any, path string) {
	object, _ := v.(map[string]any)
	var meant []*checker.Schema
	most := 0
	for _, a := range alternatives {
		a = e.target(a)
		shared := 0
		for name, value := range object {
			if sub := a.Properties[name]; sub != nil {
				shared++
				if (sub.Const != nil || sub.Enum != nil) && e.fits(sub, value) {
					shared += len(object) // this property selects the alternative
				}
			}
		}
		switch {
		case v != nil && a.Type == "null":
		case shared > most:
			most, meant = shared, []*checker.Schema{a}
		case shared == most:
			meant = append(meant, a)
		}
	}
	typed := slices.DeleteFunc(slices.Clone(meant), func(a *checker.Schema) bool {
		return !holds(&checker.Schema{Type: a.Type, Types: a.Types}, v)
	})
	switch {
	case len(meant) == 1:
		e.visit(meant[0], v, path)
	case len(typed) == 1:
		e.visit(typed[0], v, path)
	case !e.open(v):
		e.add(path, "matches none of "+compact(meant))
	}
}

// target follows the references of s.
func (e *explainer) target(s *checker.Schema) *checker.Schema {
	for s.Ref != "" && e.steps > 0 {
		e.steps--
		s = e.validator.index.lookup(s.Ref)
	}
	return s
}

// fits reports whether v is valid under s alone.
func (e *explainer) fits(s *checker.Schema, v any) bool {
	if s == e.validator.doc {
		return e.validator.check.Validate(v) == nil
	}
	if !e.validator.local {
		return true // not known: s cannot be compiled for itself
	}
	check, ok := e.alone[s]
	if !ok {
		alone := s.CloneSchemas()
		root := e.validator.doc
		alone.Schema, alone.Defs, alone.Definitions = root.Schema, root.Defs, root.Definitions
		check, _ = alone.Resolve(nil)
		e.alone[s] = check
	}
	return check == nil || check.Validate(v) == nil
}

// holds reports whether v is valid under s. It returns true if s does not compile.
func holds(s *checker.Schema, v any) bool {
	resolved, err := s.Resolve(nil)
	return err != nil || resolved.Validate(v) == nil
}

// isFalse reports whether s is the schema false, which allows no value.
func isFalse(s *checker.Schema) bool { return s.Not != nil && reflect.ValueOf(*s.Not).IsZero() }

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

// unknown adds the problem of a property that s does not have.
func (e *explainer) unknown(s *checker.Schema, name, path string) {
	names := slices.Sorted(maps.Keys(s.Properties))
	if len(names) == 0 {
		e.add(path, "is unknown; known are none")
		return
	}
	list := clip(strings.Join(names, ", "))
	near := refusal.Nearest(name, names, 1)
	if len(near) == 0 {
		e.add(path, "is unknown; known are "+list)
		return
	}
	e.add(path, "is unknown; did you mean "+clip(near[0])+"? Known are "+list, near...)
}
