package graphql

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/strictjson"
	"github.com/qedkit/qed/refusal"
)

// A reducer makes the schema that queries are checked against out of the server's
// schema. Because what is sensitive is not in the reduced schema, no message can
// name it.
type reducer struct {
	from   *ast.Schema
	hidden map[string]bool // "Type.member"
	fixed  map[string][]fixedArgument
	err    *refusal.Error // the first one
}

// reduce returns the schema that is left of from, and the fixed arguments by
// "Type.field".
func reduce(from *ast.Schema, opt *GuardOptions) (*ast.Schema, map[string][]fixedArgument, error) {
	r := &reducer{from: from, hidden: map[string]bool{}, fixed: map[string][]fixedArgument{}}
	for _, entry := range opt.Sensitive {
		r.hide(entry)
	}
	for _, entry := range slices.Sorted(maps.Keys(opt.Fixed)) {
		r.fix(entry, opt.Fixed[entry])
	}
	r.hideUnfixed()
	if r.err != nil {
		return nil, nil, r.err
	}
	return r.schema(), r.fixed, nil
}

// fail records the first error. names are the names that may have been meant by
// name.
func (r *reducer) fail(option string, names []string, name, format string, args ...any) {
	if r.err == nil {
		r.err = refused(ErrInvalidOptions, "GuardOptions."+option, format, args...)
		r.err.Problems[0].Candidates = candidates(name, names)
	}
}

// split returns the type and the member that an entry names, or a nil type if
// there is no such member.
func (r *reducer) split(option, entry string) (def *ast.Definition, member string) {
	typeName, member, _ := strings.Cut(entry, ".")
	def = r.from.Types[typeName]
	if def == nil {
		r.fail(option, slices.Sorted(maps.Keys(r.from.Types)), typeName,
			"%q: the schema has no type %q (entries are Type.member)", entry, typeName)
		return nil, ""
	}
	if def.Fields.ForName(member) == nil && def.EnumValues.ForName(member) == nil {
		r.fail(option, memberNames(def), member, "%q: the type %s has no member %q", entry, typeName, member)
		return nil, ""
	}
	return def, member
}

func memberNames(def *ast.Definition) []string {
	names := lists.Map(def.Fields, func(f *ast.FieldDefinition) string { return f.Name })
	names = append(names, lists.Map(def.EnumValues, func(v *ast.EnumValueDefinition) string { return v.Name })...)
	return names
}

// hide hides a member in its type, in the types that implement it, and in the
// interfaces through which it could be read.
func (r *reducer) hide(entry string) {
	def, member := r.split("Sensitive", entry)
	if def == nil {
		return
	}
	for _, t := range append([]*ast.Definition{def}, r.implementers(def)...) {
		r.hidden[t.Name+"."+member] = true
		for _, name := range t.Interfaces {
			r.hidden[name+"."+member] = true
		}
	}
}

// implementers returns the types that implement an interface.
func (r *reducer) implementers(def *ast.Definition) []*ast.Definition {
	if def.Kind != ast.Interface {
		return nil
	}
	var list []*ast.Definition
	for _, name := range slices.Sorted(maps.Keys(r.from.Types)) {
		if t := r.from.Types[name]; slices.Contains(t.Interfaces, def.Name) && !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	return list
}

// fix records the fixed arguments of one field.
func (r *reducer) fix(entry string, args map[string]any) {
	def, member := r.split("Fixed", entry)
	if def == nil {
		return
	}
	field := def.Fields.ForName(member)
	if field == nil || def.Kind == ast.InputObject {
		r.fail("Fixed", nil, "", "%q is not a field with arguments", entry)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		decl := field.Arguments.ForName(name)
		if decl == nil {
			r.fail("Fixed", argumentNames(field.Arguments), name, "%q has no argument %q", entry, name)
			return
		}
		value, err := asJSON(args[name])
		if err != nil {
			r.fail("Fixed", nil, "", "the value of %s(%s) cannot be written as JSON", entry, name)
			return
		}
		c := coercer{schema: r.from}
		if c.value(entry+"("+name+")", decl.Type, value); len(c.problems) > 0 {
			r.fail("Fixed", nil, "", "%s: %s", c.problems[0].Path, c.problems[0].Message)
			return
		}
		for _, t := range append([]*ast.Definition{def}, r.implementers(def)...) {
			r.fixOne(t, member, fixedArgument{name: name, value: value})
		}
	}
}

func asJSON(v any) (any, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return strictjson.Any(raw)
}

func (r *reducer) fixOne(def *ast.Definition, member string, arg fixedArgument) {
	key := def.Name + "." + member
	decl := (*ast.ArgumentDefinition)(nil)
	if f := def.Fields.ForName(member); f != nil {
		decl = f.Arguments.ForName(arg.name)
	}
	if decl == nil {
		r.hidden[key] = true // it could be read without the argument
		return
	}
	arg.typ = decl.Type
	for _, a := range r.fixed[key] {
		if a.name == arg.name {
			if !sameJSON(a.value, arg.value) {
				r.fail("Fixed", nil, "", "%s(%s) is fixed to two values, one of them through an interface", key, arg.name)
			}
			return
		}
	}
	r.fixed[key] = append(r.fixed[key], arg)
	slices.SortFunc(r.fixed[key], func(a, b fixedArgument) int { return cmp.Compare(a.name, b.name) })
}

// hideUnfixed hides a field in an interface if a type fixes arguments of the field
// that the interface does not fix.
func (r *reducer) hideUnfixed() {
	for key, args := range r.fixed {
		typeName, member, _ := strings.Cut(key, ".")
		for _, name := range r.from.Types[typeName].Interfaces {
			inInterface := r.fixed[name+"."+member]
			for _, arg := range args {
				same := func(a fixedArgument) bool { return a.name == arg.name && sameJSON(a.value, arg.value) }
				if !slices.ContainsFunc(inInterface, same) {
					r.hidden[name+"."+member] = true
				}
			}
		}
	}
}

// schema copies the server's schema without what is hidden and without introspection.
func (r *reducer) schema() *ast.Schema {
	s := &ast.Schema{
		Description:   r.from.Description,
		Types:         make(map[string]*ast.Definition, len(r.from.Types)),
		Directives:    map[string]*ast.DirectiveDefinition{},
		PossibleTypes: make(map[string][]*ast.Definition, len(r.from.PossibleTypes)),
		Implements:    make(map[string][]*ast.Definition, len(r.from.Implements)),
	}
	for name, def := range r.from.Types {
		if strings.HasPrefix(name, "__") {
			continue
		}
		c := *def
		c.Fields = slices.DeleteFunc(slices.Clone(def.Fields), func(f *ast.FieldDefinition) bool {
			introspects := def.Kind != ast.InputObject && strings.HasPrefix(f.Type.Name(), "__")
			return r.hidden[name+"."+f.Name] || strings.HasPrefix(f.Name, "__") || introspects
		})
		c.EnumValues = slices.DeleteFunc(slices.Clone(def.EnumValues), func(v *ast.EnumValueDefinition) bool {
			return r.hidden[name+"."+v.Name]
		})
		s.Types[name] = &c
	}
	s.Query = s.Types[r.from.Query.Name]
	for _, name := range []string{"skip", "include"} { // others could change the meaning of a query
		if d := r.from.Directives[name]; d != nil {
			s.Directives[name] = d
		}
	}
	for _, m := range []struct{ from, to map[string][]*ast.Definition }{
		{r.from.PossibleTypes, s.PossibleTypes}, {r.from.Implements, s.Implements},
	} {
		for name, list := range m.from {
			for _, def := range list {
				if def != nil && s.Types[def.Name] != nil {
					m.to[name] = append(m.to[name], s.Types[def.Name])
				}
			}
		}
	}
	return s
}

func argumentNames(args ast.ArgumentDefinitionList) []string {
	return lists.Map(args, func(a *ast.ArgumentDefinition) string { return a.Name })
}

// sameJSON compares values that [strictjson.Any] returned.
func sameJSON(a, b any) bool {
	x, errA := json.Marshal(a)
	y, errB := json.Marshal(b)
	return errA == nil && errB == nil && bytes.Equal(x, y)
}
