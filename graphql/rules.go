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

// specified are the specification's rules, but for those about names, which are
// told with candidates (see names.go), and those about several operations.
var specified = []struct {
	code Code
	rule core.RuleFunc
}{
	{ErrFragment, rules.FragmentsOnCompositeTypesRule.RuleFunc},
	{ErrTooDeep, rules.MaxIntrospectionDepth.RuleFunc},
	{ErrFragment, rules.NoFragmentCyclesRule.RuleFunc},
	{ErrUnused, rules.NoUnusedFragmentsRule.RuleFunc},
	{ErrUnused, rules.NoUnusedVariablesRule.RuleFunc},
	{ErrConflict, rules.OverlappingFieldsCanBeMergedRule.RuleFunc},
	{ErrFragment, rules.PossibleFragmentSpreadsRule.RuleFunc},
	{ErrMissingArgument, rules.ProvidedRequiredArgumentsRule.RuleFunc},
	{ErrSelection, rules.ScalarLeafsRuleWithoutSuggestions.RuleFunc},
	{ErrDuplicate, rules.UniqueArgumentNamesRule.RuleFunc},
	{ErrDirective, rules.UniqueDirectivesPerLocationRule.RuleFunc},
	{ErrDuplicate, rules.UniqueFragmentNamesRule.RuleFunc},
	{ErrDuplicate, rules.UniqueInputFieldNamesRule.RuleFunc},
	{ErrDuplicate, rules.UniqueVariableNamesRule.RuleFunc},
	{ErrValue, rules.ValuesOfCorrectTypeRuleWithoutSuggestions.RuleFunc},
	{ErrVariable, rules.VariablesAreInputTypesRule.RuleFunc},
	{ErrVariable, rules.VariablesInAllowedPositionRule.RuleFunc},
}

// validate walks the query once, with all rules.
func (c *check) validate() {
	events := &core.Events{}
	c.names(events)
	c.literals(events)
	for _, r := range specified {
		r.rule(events, func(options ...core.ErrorOption) {
			var e gqlerror.Error
			for _, set := range options {
				set(&e)
			}
			var pos place
			if len(e.Locations) > 0 {
				pos = place{e.Locations[0].Line, e.Locations[0].Column}
			}
			var meant near
			if r.code == ErrValue {
				meant = c.options[pos]
			}
			c.add(r.code, pos, meant, "%s", e.Message)
		})
	}
	core.Walk(c.guard.schema, c.doc, events)
}

// literals adds what the rule about values leaves open: the range of an Int and
// an object where there is none. It also finds what may have been meant.
func (c *check) literals(events *core.Events) {
	events.OnValue(func(_ *core.Walker, v *ast.Value) {
		def := v.Definition
		if def == nil || v.ExpectedType == nil {
			return
		}
		switch v.Kind {
		case ast.IntValue:
			if def.Name == "Int" && !isInt32(v.Raw) {
				c.add(ErrValue, at(v.Position), near{}, "Int cannot represent non 32-bit signed integer value: %s", clip(v.Raw, 80))
			}
		case ast.ObjectValue:
			custom := def.Kind == ast.Scalar && !def.BuiltIn
			if def.Kind != ast.InputObject && !custom && len(v.Children) == 0 {
				c.add(ErrValue, at(v.Position), near{}, "Expected value of type %q, found {}.", v.ExpectedType.String())
			}
			for _, child := range v.Children {
				if def.Kind == ast.InputObject && def.Fields.ForName(child.Name) == nil {
					c.options[at(child.Position)] = near{name: child.Name, names: func() []string { return memberNames(def) }}
				}
			}
		case ast.EnumValue, ast.StringValue:
			if def.Kind == ast.Enum {
				c.options[at(v.Position)] = near{name: v.Raw, names: func() []string { return memberNames(def) }}
			}
		}
	})
}

// names finds fields, arguments, types, directives, fragments and variables that
// do not exist.
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
			c.add(ErrUnknownDirective, at(d.Position), near{name: d.Name, names: func() []string { return slices.Sorted(maps.Keys(c.guard.schema.Directives)) }},
				"the directive @%s does not exist, or is not allowed", clip(d.Name, 80))
			return
		case !slices.Contains(d.Definition.Locations, d.Location):
			c.add(ErrDirective, at(d.Position), near{}, "the directive @%s cannot stand on a %s", d.Name, d.Location)
		}
		c.arguments(d.Arguments, d.Definition.Arguments, "the directive @"+d.Name)
	})
	events.OnInlineFragment(func(_ *core.Walker, f *ast.InlineFragment) {
		if f.TypeCondition != "" {
			c.typeName(f.TypeCondition, at(f.Position), (*ast.Definition).IsCompositeType)
		}
	})
	events.OnFragment(func(_ *core.Walker, f *ast.FragmentDefinition) {
		c.typeName(f.TypeCondition, at(f.Position), (*ast.Definition).IsCompositeType)
	})
	events.OnVariable(func(_ *core.Walker, v *ast.VariableDefinition) {
		c.typeName(v.Type.Name(), at(v.Position), (*ast.Definition).IsInputType)
	})
	events.OnFragmentSpread(func(_ *core.Walker, s *ast.FragmentSpread) {
		if s.Definition == nil {
			c.add(ErrUnknownFragment, at(s.Position), near{name: s.Name, names: func() []string { return slices.Sorted(maps.Keys(c.fragments)) }},
				"the fragment %q is not defined", clip(s.Name, 80))
		}
	})
	events.OnValue(func(w *core.Walker, v *ast.Value) {
		if v.Kind == ast.Variable && v.VariableDefinition == nil && w.CurrentOperation != nil {
			c.add(ErrUnknownVariable, at(v.Position), near{name: v.Raw, names: c.declared}, "the variable $%s is not declared by the query", clip(v.Raw, 80))
		}
	})
}

func (c *check) unknownField(f *ast.Field) {
	parent, name := f.ObjectDefinition, clip(f.Name, 80)
	if f.Name == "__schema" || f.Name == "__type" {
		c.add(ErrIntrospection, at(f.Position), near{}, "introspection (%s) is not allowed: use what is known of the schema", name)
		return
	}
	if !parent.IsCompositeType() || c.full() {
		return // a selection on a scalar, which a rule reports
	}
	var inside []string
	if parent.IsAbstractType() {
		for _, t := range c.guard.schema.GetPossibleTypes(parent) {
			if t.Fields.ForName(f.Name) != nil && len(inside) < maxCandidates {
				inside = append(inside, "... on "+t.Name+" { "+name+" }")
			}
		}
	}
	if len(inside) > 0 {
		c.add(ErrUnknownField, at(f.Position), near{known: inside}, "the type %s has no field %q, but some of its types have: use an inline fragment", parent.Name, name)
		return
	}
	names := func() []string {
		return slices.DeleteFunc(memberNames(parent), func(s string) bool { return strings.HasPrefix(s, "__") })
	}
	c.add(ErrUnknownField, at(f.Position), near{name: f.Name, names: names}, "the type %s has no field %q", parent.Name, name)
}

func (c *check) arguments(given ast.ArgumentList, declared ast.ArgumentDefinitionList, of string) {
	for _, arg := range given {
		if declared.ForName(arg.Name) == nil {
			c.add(ErrUnknownArgument, at(arg.Position), near{name: arg.Name, names: func() []string { return argumentNames(declared) }}, "%s has no argument %q", of, clip(arg.Name, 80))
		}
	}
}

func (c *check) typeName(name string, pos place, fits func(*ast.Definition) bool) {
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
	c.add(ErrUnknownType, pos, near{name: name, names: names}, "the type %q does not exist", clip(name, 80))
}
