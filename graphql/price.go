package graphql

import (
	"encoding/json"
	"math"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

const beyond = math.MaxInt / 4 // where counting stops

// price works out the cost, once the query is known to be valid.
func (c *check) price() {
	c.fields = map[string]bool{}
	p := pricer{check: c, done: map[priced]int{}}
	c.cost = p.set(c.operation.SelectionSet, false, false)
	if c.cost > c.guard.opt.MaxCost {
		c.add(ErrTooExpensive, at(c.operation.Position), near{},
			"the answer could have about %d fields, and %d is the most: ask for fewer fields, or bound lists (one without a bound counts %d)",
			c.cost, c.guard.opt.MaxCost, c.guard.opt.ListSize)
	}
}

type pricer struct {
	*check
	done map[priced]int
}

// priced is a fragment in one of the ways that it can count.
type priced struct {
	name                 string
	bounded, description bool
}

// set is the cost of a selection. bounded says that the field around it bounds a
// list in it; description, that it is part of an introspection.
func (p *pricer) set(set ast.SelectionSet, bounded, description bool) int {
	cost := 0
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			cost += p.field(s, bounded, description)
		case *ast.InlineFragment:
			cost += p.set(s.SelectionSet, bounded, description)
		case *ast.FragmentSpread:
			key := priced{s.Name, bounded, description}
			once, ok := p.done[key]
			if !ok {
				once = p.set(s.Definition.SelectionSet, bounded, description)
				p.done[key] = once
			}
			cost += once
		}
		cost = min(cost, beyond)
	}
	return cost
}

func (p *pricer) field(f *ast.Field, bounded, description bool) int {
	if f.Name == "__typename" {
		return 1
	}
	p.fields[f.ObjectDefinition.Name+"."+f.Name] = true
	description = description || strings.HasPrefix(f.Name, "__")
	times, inside := 1, false
	lists := 0
	for t := f.Definition.Type; t.Elem != nil; t = t.Elem {
		lists++
	}
	if !description {
		size := p.size(f)
		switch {
		case size > 0:
			times, inside = size, lists == 0
			lists--
		case bounded:
			lists--
		}
		for range lists {
			times = multiply(times, p.guard.opt.ListSize)
		}
	}
	return 1 + multiply(times, p.set(f.SelectionSet, inside, description))
}

func multiply(a, b int) int {
	if b > 0 && a > beyond/b {
		return beyond
	}
	return a * b
}

// size is the largest length that an argument of the field gives its list; 0: none does.
func (p *pricer) size(f *ast.Field) int {
	size := 0
	for _, decl := range f.Definition.Arguments {
		var v any
		given := false
		if arg := f.Arguments.ForName(decl.Name); arg != nil {
			v, given = p.resolve(arg.Value)
		}
		if !given { // also of a variable without a value
			v, _ = p.resolve(decl.DefaultValue)
		}
		if object, ok := v.(map[string]any); ok {
			size = max(size, p.sizeWithin(decl.Type, object))
		} else if p.guard.sizes[fold(decl.Name)] {
			size = max(size, length(v))
		}
	}
	return size
}

// sizeWithin is the largest length that a field of an input object gives, by its default too.
func (p *pricer) sizeWithin(t *ast.Type, object map[string]any) int {
	size := 0
	for name, v := range object {
		if p.guard.sizes[fold(name)] {
			size = max(size, length(v))
		}
	}
	def := p.guard.schema.Types[t.Name()]
	if def == nil { // a type of introspection, of a server that takes one
		return size
	}
	for _, f := range def.Fields {
		if _, given := object[f.Name]; !given && f.DefaultValue != nil && p.guard.sizes[fold(f.Name)] {
			v, _ := p.resolve(f.DefaultValue)
			size = max(size, length(v))
		}
	}
	return size
}

// length reads a number; scalars of a server's own may have it in a string.
func length(v any) int {
	if s, ok := v.(string); ok {
		v = json.Number(s)
	}
	number, ok := v.(json.Number)
	if !ok {
		return 0
	}
	n, err := number.Float64()
	switch {
	case n >= beyond:
		return beyond
	case err != nil || !(n >= 1): // NaN is neither
		return 0
	}
	return int(n)
}

// resolve is what a literal stands for with the variables put in; false: nothing.
func (c *check) resolve(v *ast.Value) (any, bool) {
	if v == nil {
		return nil, false
	}
	switch v.Kind {
	case ast.Variable:
		if given, ok := c.variables[v.Raw]; ok {
			return given, true
		}
		if d := c.operation.VariableDefinitions.ForName(v.Raw); d != nil {
			return c.resolve(d.DefaultValue) // a constant: it has no variables
		}
		return nil, false
	case ast.IntValue, ast.FloatValue:
		return json.Number(v.Raw), true
	case ast.BooleanValue:
		return v.Raw == "true", true
	case ast.NullValue:
		return nil, true
	case ast.ListValue:
		list := make([]any, 0, len(v.Children))
		for _, child := range v.Children {
			item, _ := c.resolve(child.Value)
			list = append(list, item)
		}
		return list, true
	case ast.ObjectValue:
		object := make(map[string]any, len(v.Children))
		for _, child := range v.Children {
			if item, ok := c.resolve(child.Value); ok {
				object[child.Name] = item
			}
		}
		return object, true
	}
	return v.Raw, true
}
