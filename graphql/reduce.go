package graphql

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// reducer makes the schema that queries see out of the one that the server has.
// Validating against it is what keeps sensitive names out of every message.
type reducer struct {
	from   *ast.Schema
	hidden map[string]bool // "Type.member"
	fixed  map[string][]fixedArgument
	allow  map[string]bool // directives
	plain  bool            // without introspection
	err    error
}

func reduce(from *ast.Schema) *reducer {
	return &reducer{from: from, hidden: map[string]bool{}, fixed: map[string][]fixedArgument{}, allow: map[string]bool{"skip": true, "include": true}}
}

func (r *reducer) fail(e *Error, names []string, name string) {
	if r.err == nil {
		e.Problems[0].Candidates = candidates(name, names)
		r.err = e
	}
}

// split finds the type and the member that an entry names.
func (r *reducer) split(option, entry string) (def *ast.Definition, member string) {
	typeName, member, _ := strings.Cut(entry, ".")
	def = r.from.Types[typeName]
	if def == nil {
		r.fail(refused(ErrInvalidOptions, option, "Options.%s: %q: the schema has no type %q (entries are Type.member)", option, entry, typeName),
			slices.Sorted(maps.Keys(r.from.Types)), typeName)
		return nil, ""
	}
	if def.Fields.ForName(member) == nil && def.EnumValues.ForName(member) == nil {
		r.fail(refused(ErrInvalidOptions, option, "Options.%s: %q: the type %s has no member %q", option, entry, typeName, member),
			memberNames(def), member)
		return nil, ""
	}
	return def, member
}

func memberNames(def *ast.Definition) []string {
	names := make([]string, 0, len(def.Fields)+len(def.EnumValues))
	for _, f := range def.Fields {
		names = append(names, f.Name)
	}
	for _, v := range def.EnumValues {
		names = append(names, v.Name)
	}
	return names
}

func (r *reducer) hide(entry string) {
	def, member := r.split("Sensitive", entry)
	if def == nil {
		return
	}
	r.hidden[def.Name+"."+member] = true
	for _, t := range r.implementers(def) {
		r.hidden[t.Name+"."+member] = true
		r.hideAbove(t, member)
	}
	r.hideAbove(def, member)
}

// hideAbove hides the field in the interfaces through which it could be read.
func (r *reducer) hideAbove(def *ast.Definition, member string) {
	for _, name := range def.Interfaces {
		r.hidden[name+"."+member] = true
	}
}

// implementers are the types that implement an interface.
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

func (r *reducer) fix(entry string, args map[string]any) {
	def, member := r.split("Fixed", entry)
	if def == nil {
		return
	}
	field := def.Fields.ForName(member)
	if field == nil || def.Kind == ast.InputObject {
		r.fail(refused(ErrInvalidOptions, "Fixed", "Options.Fixed: %q is no field with arguments", entry), nil, "")
		return
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		decl := field.Arguments.ForName(name)
		if decl == nil {
			r.fail(refused(ErrInvalidOptions, "Fixed", "Options.Fixed: %q has no argument %q", entry, name), argumentNames(field.Arguments), name)
			return
		}
		raw, err := json.Marshal(args[name])
		if err != nil {
			r.fail(refused(ErrInvalidOptions, "Fixed", "Options.Fixed: the value of %s(%s) has no JSON form", entry, name), nil, "")
			return
		}
		value, err := decode(raw)
		if err != nil {
			r.fail(refused(ErrInvalidOptions, "Fixed", "Options.Fixed: the value of %s(%s) has no JSON form", entry, name), nil, "")
			return
		}
		c := coercer{schema: r.from}
		if c.value(entry+"("+name+")", decl.Type, value); len(c.problems) > 0 {
			r.fail(refused(ErrInvalidOptions, "Fixed", "Options.Fixed: %s: %s", c.problems[0].Path, c.problems[0].Message), nil, "")
			return
		}
		for _, t := range append([]*ast.Definition{def}, r.implementers(def)...) {
			r.fixOne(t, member, fixedArgument{name: name, value: value})
		}
	}
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
				r.fail(refused(ErrInvalidOptions, "Fixed", "Options.Fixed: %s(%s) is fixed to two values, once by an interface", key, arg.name), nil, "")
			}
			return
		}
	}
	r.fixed[key] = append(r.fixed[key], arg)
	slices.SortFunc(r.fixed[key], func(a, b fixedArgument) int { return cmp.Compare(a.name, b.name) })
}

// through hides fields in interfaces where they could be read without what is
// fixed in the type behind.
func (r *reducer) through() {
	for _, key := range slices.Sorted(maps.Keys(r.fixed)) {
		typeName, member, _ := strings.Cut(key, ".")
		for _, name := range r.from.Types[typeName].Interfaces {
			above := r.fixed[name+"."+member]
			for _, arg := range r.fixed[key] {
				if !slices.ContainsFunc(above, func(a fixedArgument) bool { return a.name == arg.name && sameJSON(a.value, arg.value) }) {
					r.hidden[name+"."+member] = true
				}
			}
		}
	}
}

func (r *reducer) directives(names []string) {
	for _, name := range names {
		switch {
		case name == "defer" || name == "stream":
			r.fail(refused(ErrInvalidOptions, "Directives", "Options.Directives: @%s cannot be allowed: one answer is read", name), nil, "")
		case r.from.Directives[name] == nil:
			r.fail(refused(ErrInvalidOptions, "Directives", "Options.Directives: the schema has no directive %q", name), slices.Sorted(maps.Keys(r.from.Directives)), name)
		}
		r.allow[name] = true
	}
}

func (r *reducer) withoutIntrospection() { r.plain = true }

// result copies the schema, but for what is hidden.
func (r *reducer) result() (*ast.Schema, map[string][]fixedArgument) {
	s := &ast.Schema{
		Description:   r.from.Description,
		Types:         make(map[string]*ast.Definition, len(r.from.Types)),
		Directives:    map[string]*ast.DirectiveDefinition{},
		PossibleTypes: make(map[string][]*ast.Definition, len(r.from.PossibleTypes)),
		Implements:    make(map[string][]*ast.Definition, len(r.from.Implements)),
	}
	for name, def := range r.from.Types {
		if r.plain && strings.HasPrefix(name, "__") {
			continue
		}
		c := *def
		c.Fields = slices.DeleteFunc(slices.Clone(def.Fields), func(f *ast.FieldDefinition) bool {
			return r.hidden[name+"."+f.Name] || r.plain && strings.HasPrefix(f.Name, "__")
		})
		c.EnumValues = slices.DeleteFunc(slices.Clone(def.EnumValues), func(v *ast.EnumValueDefinition) bool {
			return r.hidden[name+"."+v.Name]
		})
		s.Types[name] = &c
	}
	s.Query = s.Types[r.from.Query.Name]
	for name := range r.allow {
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
	return s, r.fixed
}

func argumentNames(args ast.ArgumentDefinitionList) []string {
	names := make([]string, len(args))
	for i, a := range args {
		names[i] = a.Name
	}
	return names
}

// decode reads JSON with its numbers as they are written.
func decode(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errTrailing
	}
	return v, nil
}

// sameJSON compares what [decode] read.
func sameJSON(a, b any) bool {
	x, errA := json.Marshal(a)
	y, errB := json.Marshal(b)
	return errA == nil && errB == nil && bytes.Equal(x, y)
}
