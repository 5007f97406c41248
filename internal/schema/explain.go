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

// explain says what is wrong with v, which the checker refused. The checker's own words name one problem only,
// and follow the order of a map.
func (r *Rule) explain(v any) error {
	e := explainer{rule: r, steps: maxSteps, alone: map[*checker.Schema]*checker.Resolved{}}
	e.visit(r.doc, v, "")
	if len(e.problems) == 0 {
		e.add("", "does not match the schema")
	}
	return &Error{Problems: e.problems}
}

type explainer struct {
	rule     *Rule
	steps    int
	alone    map[*checker.Schema]*checker.Resolved // parts of the rule; nil where one cannot stand alone
	problems []Problem
}

func (e *explainer) add(path, text string) {
	if p := (Problem{path, text}); len(e.problems) < maxProblems && !slices.Contains(e.problems, p) {
		e.problems = append(e.problems, p)
	}
}

func (e *explainer) visit(s *checker.Schema, v any, path string) {
	before := len(e.problems)
	if e.steps--; e.steps < 0 || before == maxProblems {
		return
	}
	if s.Ref != "" {
		if e.visit(lookup(e.rule.doc, s.Ref), v, path); len(e.problems) > before {
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
		if alternatives != nil && !slices.ContainsFunc(alternatives, func(a *checker.Schema) bool { return e.fits(a, v) }) {
			e.closest(alternatives, v, path)
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
	closed := s.AdditionalProperties != nil && isFalse(s.AdditionalProperties) && s.PatternProperties == nil
	for _, name := range slices.Sorted(maps.Keys(v)) {
		switch sub := s.Properties[name]; {
		case sub != nil:
			e.visit(sub, v[name], path+pointer(name))
		case closed:
			e.add(path+pointer(name), "is unknown"+known(s, name))
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

// StandIn is the keyword of an alternative that may stand for any value, such as a reference to one. What is wrong with a value is told
// by the other alternatives, unless it has one of the names of the stand-in.
const StandIn = "qed-stand-in"

// closest says what is wrong with v, which fits none of the alternatives, by the one that it was meant for.
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
					shared += len(object) // it is the word that says which alternative is meant
				}
			}
		}
		switch _, standIn := a.Extra[StandIn]; {
		case standIn && shared == 0, v != nil && a.Type == "null":
		case shared > most:
			most, meant = shared, []*checker.Schema{a}
		case shared == most:
			meant = append(meant, a)
		}
	}
	typed := slices.DeleteFunc(slices.Clone(meant), func(a *checker.Schema) bool { return !holds(&checker.Schema{Type: a.Type, Types: a.Types}, v) })
	switch {
	case len(meant) == 1:
		e.visit(meant[0], v, path)
	case len(typed) == 1:
		e.visit(typed[0], v, path)
	default:
		e.add(path, "matches none of "+compact(meant))
	}
}

// target follows the references of s, as long as they say all that there is of it.
func (e *explainer) target(s *checker.Schema) *checker.Schema {
	for s.Ref != "" && e.steps > 0 {
		e.steps--
		s = lookup(e.rule.doc, s.Ref)
	}
	return s
}

// fits reports whether the checker takes v under s alone.
func (e *explainer) fits(s *checker.Schema, v any) bool {
	if s == e.rule.doc {
		return e.rule.check.Validate(v) == nil
	}
	if !e.rule.local {
		return true // it cannot stand alone, so it is not blamed
	}
	check, ok := e.alone[s]
	if !ok {
		alone := s.CloneSchemas()
		alone.Schema, alone.Defs, alone.Definitions = e.rule.doc.Schema, e.rule.doc.Defs, e.rule.doc.Definitions
		check, _ = alone.Resolve(nil)
		e.alone[s] = check
	}
	return check == nil || check.Validate(v) == nil
}

// holds reports whether the checker takes v under s, or cannot say.
func holds(s *checker.Schema, v any) bool {
	rule, err := s.Resolve(nil)
	return err != nil || rule.Validate(v) == nil
}

// isFalse reports whether s is the schema that takes nothing.
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

// known lists the names that s knows, and says which of them could have been meant by another.
func known(s *checker.Schema, name string) string {
	names := slices.Sorted(maps.Keys(s.Properties))
	if len(names) == 0 {
		return "; known are none"
	}
	list := "nown are " + clip(strings.Join(names, ", "))
	if near := refusal.Nearest(name, names, 1); len(near) > 0 {
		return "; did you mean " + clip(near[0]) + "? K" + list
	}
	return "; k" + list
}
