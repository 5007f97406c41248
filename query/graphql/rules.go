package graphql

import (
	"maps"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// specified are the rules of the specification, without three kinds of rules: about
// names, which [check.names] reports with candidates, about introspection, which is
// never allowed, and about several operations.
var specified = []core.RuleFunc{
	rules.FragmentsOnCompositeTypesRule.RuleFunc,
	rules.NoUnusedVariablesRule.RuleFunc,
	rules.OverlappingFieldsCanBeMergedRule.RuleFunc,
	rules.PossibleFragmentSpreadsRule.RuleFunc,
	rules.ProvidedRequiredArgumentsRule.RuleFunc,
	rules.ScalarLeafsRuleWithoutSuggestions.RuleFunc,
	rules.UniqueArgumentNamesRule.RuleFunc,
	rules.UniqueDirectivesPerLocationRule.RuleFunc,
	rules.UniqueInputFieldNamesRule.RuleFunc,
	rules.UniqueVariableNamesRule.RuleFunc,
	rules.ValuesOfCorrectTypeRuleWithoutSuggestions.RuleFunc,
	rules.VariablesAreInputTypesRule.RuleFunc,
	rules.VariablesInAllowedPositionRule.RuleFunc,
}

// validate walks the query once and applies all rules.
func (c *check) validate() {
	events := &core.Events{}
	c.names(events)
	c.literals(events)
	for _, rule := range specified {
		rule(events, func(options ...core.ErrorOption) {
			var e gqlerror.Error
			for _, set := range options {
				set(&e)
			}
			var pos position
			if len(e.Locations) > 0 {
				pos = position{e.Locations[0].Line, e.Locations[0].Column}
			}
			c.add(ErrInvalid, pos, c.meant[pos], "%s", e.Message)
		})
	}
	core.Walk(c.guard.schema, c.doc, events)
}

// literals checks what the rule about values does not: the range of an Int, and
// objects whose type is not an input object. It also records the names that may
// have been meant.
func (c *check) literals(events *core.Events) {
	events.OnValue(func(_ *core.Walker, v *ast.Value) {
		def := v.Definition
		if def == nil || v.ExpectedType == nil {
			return
		}
		switch v.Kind {
		case ast.IntValue:
			if def.Name == "Int" && !isInt32(v.Raw) {
				c.add(ErrInvalid, at(v.Position), meant{},
					"Int cannot represent non 32-bit signed integer value: %s", clip(v.Raw, 80))
			}
		case ast.ObjectValue:
			custom := def.Kind == ast.Scalar && !def.BuiltIn
			if def.Kind != ast.InputObject && !custom && len(v.Children) == 0 {
				c.add(ErrInvalid, at(v.Position), meant{}, "Expected value of type %q, found {}.", v.ExpectedType.String())
			}
			for _, child := range v.Children {
				if def.Kind == ast.InputObject && def.Fields.ForName(child.Name) == nil {
					c.meant[at(child.Position)] = meant{name: child.Name, names: func() []string { return memberNames(def) }}
				}
			}
		case ast.EnumValue, ast.StringValue:
			if def.Kind == ast.Enum {
				c.meant[at(v.Position)] = meant{name: v.Raw, names: func() []string { return memberNames(def) }}
			}
		}
	})
}

// names reports fields, arguments, types, directives, fragments and variables
// that do not exist.
func (c *check) names(events *core.Events) {
	events.OnField(func(_ *core.Walker, f *ast.Field) {
		if f.ObjectDefinition == nil {
			return
		}
		if f.Definition == nil {
			c.unknownField(f)
			return
		}
		c.arguments(f.Arguments, f.Definition.Arguments, "the field "+f.ObjectDefinition.Name+"."+f.Name)
	})
	events.OnDirective(func(_ *core.Walker, d *ast.Directive) {
		switch {
		case d.Definition == nil:
			c.add(ErrUnknownName, at(d.Position),
				meant{name: d.Name, names: func() []string { return slices.Sorted(maps.Keys(c.guard.schema.Directives)) }},
				"the directive @%s does not exist or is not allowed", clip(d.Name, 80))
			return
		case !slices.Contains(d.Definition.Locations, d.Location):
			c.add(ErrInvalid, at(d.Position), meant{}, "the directive @%s is not allowed on a %s", d.Name, d.Location)
		}
		c.arguments(d.Arguments, d.Definition.Arguments, "the directive @"+d.Name)
	})
	events.OnInlineFragment(func(_ *core.Walker, f *ast.InlineFragment) {
		if f.TypeCondition != "" {
			c.typeName(f.TypeCondition, at(f.Position), (*ast.Definition).IsCompositeType)
		}
	})
	events.OnVariable(func(_ *core.Walker, v *ast.VariableDefinition) {
		c.typeName(v.Type.Name(), at(v.Position), (*ast.Definition).IsInputType)
	})
	events.OnValue(func(w *core.Walker, v *ast.Value) {
		if v.Kind == ast.Variable && v.VariableDefinition == nil && w.CurrentOperation != nil {
			c.add(ErrUnknownName, at(v.Position), meant{name: v.Raw, names: c.declared},
				"the variable $%s is not declared by the query", clip(v.Raw, 80))
		}
	})
}

// unknownField reports a field that its type does not have.
func (c *check) unknownField(f *ast.Field) {
	parent, name := f.ObjectDefinition, clip(f.Name, 80)
	if f.Name == "__schema" || f.Name == "__type" {
		c.add(ErrNotAllowed, at(f.Position), meant{},
			"introspection (%s) is not allowed: use the schema that was given", name)
		return
	}
	if !parent.IsCompositeType() || c.full() {
		return // a rule reports a selection on a scalar
	}
	var inTypes []string
	if parent.IsAbstractType() {
		for _, t := range c.guard.schema.GetPossibleTypes(parent) {
			if t.Fields.ForName(f.Name) != nil && len(inTypes) < maxCandidates {
				inTypes = append(inTypes, "... on "+t.Name+" { "+name+" }")
			}
		}
	}
	if len(inTypes) > 0 {
		c.add(ErrUnknownField, at(f.Position), meant{name: f.Name, known: inTypes},
			"the type %s has no field %q, but some of its types have one: use an inline fragment", parent.Name, name)
		return
	}
	names := func() []string {
		return slices.DeleteFunc(memberNames(parent), func(s string) bool { return strings.HasPrefix(s, "__") })
	}
	c.add(ErrUnknownField, at(f.Position), meant{name: f.Name, names: names},
		"the type %s has no field %q", parent.Name, name)
}

func (c *check) arguments(given ast.ArgumentList, declared ast.ArgumentDefinitionList, of string) {
	for _, arg := range given {
		if declared.ForName(arg.Name) == nil {
			names := func() []string { return argumentNames(declared) }
			c.add(ErrUnknownName, at(arg.Position), meant{name: arg.Name, names: names},
				"%s has no argument %q", of, clip(arg.Name, 80))
		}
	}
}

func (c *check) typeName(name string, pos position, fits func(*ast.Definition) bool) {
	if c.guard.schema.Types[name] != nil {
		return
	}
	names := func() []string {
		var names []string
		for n, def := range c.guard.schema.Types {
			if fits(def) {
				names = append(names, n)
			}
		}
		return names
	}
	c.add(ErrUnknownName, pos, meant{name: name, names: names}, "the type %q does not exist", clip(name, 80))
}
