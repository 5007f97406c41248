package graphql

import (
	"slices"
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"
)

// fix adds the fixed arguments to the query, as variables.
func (c *check) fix() {
	if len(c.guard.fixed) == 0 {
		return
	}
	f := fixer{check: c, names: map[string]string{}}
	f.set(c.guard.schema.Query, c.operation.SelectionSet)
}

type fixer struct {
	*check
	names map[string]string // of the variables, by field and argument
}

// set adds the fixed arguments to a selection on the type parent.
func (f *fixer) set(parent *ast.Definition, set ast.SelectionSet) {
	if parent == nil {
		return // the rules report it
	}
	for _, s := range set {
		switch s := s.(type) {
		case *ast.InlineFragment:
			of := parent
			if s.TypeCondition != "" {
				of = f.guard.schema.Types[s.TypeCondition]
			}
			f.set(of, s.SelectionSet)
		case *ast.Field:
			def := parent.Fields.ForName(s.Name)
			if def == nil {
				continue
			}
			for _, arg := range f.guard.fixed[parent.Name+"."+s.Name] {
				f.field(parent.Name+"."+s.Name, s, arg)
			}
			f.set(f.guard.schema.Types[def.Type.Name()], s.SelectionSet)
		}
	}
}

func (f *fixer) field(key string, field *ast.Field, fixed fixedArgument) {
	given := false
	for _, arg := range field.Arguments {
		if arg.Name != fixed.name {
			continue
		}
		given = true
		if v, ok := f.resolve(arg.Value); !ok || !sameJSON(v, fixed.value) || !f.plain(fixed.typ, arg.Value) {
			f.add(ErrFixedArgument, at(arg.Position), meant{},
				"the argument %s of %s is set by the application: leave it out", fixed.name, key)
		}
	}
	if given {
		return // with the same value, or it was reported
	}
	field.Arguments = append(field.Arguments, &ast.Argument{
		Name: fixed.name, Position: field.Position,
		Value: &ast.Value{Kind: ast.Variable, Raw: f.variable(key, fixed, field.Position), Position: field.Position},
	})
}

// plain reports whether every server reads a literal as the JSON that it looks
// like. A name without quotes is not plain unless the type is an enum: a custom
// scalar of the server may read it as null.
func (f *fixer) plain(t *ast.Type, v *ast.Value) bool {
	if def := f.guard.schema.Types[t.Name()]; v == nil || def != nil && def.Kind == ast.Enum {
		return true
	}
	if d := f.operation.VariableDefinitions.ForName(v.Raw); v.Kind == ast.Variable && d != nil {
		return f.plain(t, d.DefaultValue)
	}
	return v.Kind != ast.EnumValue &&
		!slices.ContainsFunc(v.Children, func(c *ast.ChildValue) bool { return !f.plain(t, c.Value) })
}

// variable declares a variable for the argument and returns its name, which the
// query does not use.
func (f *fixer) variable(key string, fixed fixedArgument, pos *ast.Position) string {
	key += "(" + fixed.name + ")"
	if name, ok := f.names[key]; ok {
		return name
	}
	name := "fixed" + strconv.Itoa(len(f.names)+1)
	for f.taken(name) {
		name += "_"
	}
	f.names[key], f.own[name] = name, true
	f.variables[name] = fixed.value
	f.operation.VariableDefinitions = append(f.operation.VariableDefinitions,
		&ast.VariableDefinition{Variable: name, Type: fixed.typ, Position: pos})
	return name
}

func (f *fixer) taken(name string) bool {
	_, given := f.variables[name]
	return given || f.operation.VariableDefinitions.ForName(name) != nil
}
