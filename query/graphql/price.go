package graphql

import (
	"encoding/json"
	"math"

	"github.com/vektah/gqlparser/v2/ast"
)

const beyond = math.MaxInt / 4 // counting stops here, so that sums do not overflow

// price computes the cost. The query must be valid.
func (c *check) price() {
	c.fields = map[string]bool{}
	p := pricer{c}
	c.cost = p.set(c.operation.SelectionSet, false)
	if c.cost > maxCost {
		c.add(ErrTooExpensive, at(c.operation.Position), meant{},
			"the response could have about %d fields and the limit is %d: "+
				"ask for fewer fields, or bound lists (a list without a bound counts as %d)",
			c.cost, maxCost, listSize)
	}
}

type pricer struct{ *check }

// set returns the cost of a selection. bounded means that the field around it bounds a
// list in it.
func (p *pricer) set(set ast.SelectionSet, bounded bool) int {
	cost := 0
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			cost += p.field(s, bounded)
		case *ast.InlineFragment:
			cost += p.set(s.SelectionSet, bounded)
		}
		cost = min(cost, beyond)
	}
	return cost
}

func (p *pricer) field(f *ast.Field, bounded bool) int {
	if f.Name == "__typename" {
		return 1
	}
	p.fields[f.ObjectDefinition.Name+"."+f.Name] = true
	times, inside := 1, false
	lists := 0
	for t := f.Definition.Type; t.Elem != nil; t = t.Elem {
		lists++
	}
	size := p.size(f)
	switch {
	case size > 0:
		times, inside = size, lists == 0
		lists--
	case bounded:
		lists--
	}
	for range lists {
		times = multiply(times, listSize)
	}
	return 1 + multiply(times, p.set(f.SelectionSet, inside))
}

func multiply(a, b int) int {
	if b > 0 && a > beyond/b {
		return beyond
	}
	return a * b
}

// size returns the largest length that an argument of the field sets for its list,
// or 0.
func (p *pricer) size(f *ast.Field) int {
	size := 0
	for _, decl := range f.Definition.Arguments {
		var v any
		given := false
		if arg := f.Arguments.ForName(decl.Name); arg != nil {
			v, given = p.resolve(arg.Value)
		}
		if !given { // this includes a variable without a value
			v, _ = p.resolve(decl.DefaultValue)
		}
		if object, ok := v.(map[string]any); ok {
			size = max(size, p.sizeWithin(decl.Type, object))
		} else if sizes[fold(decl.Name)] {
			size = max(size, length(v))
		}
	}
	return size
}

// sizeWithin returns the largest length that a field of an input object sets, by
// its value or by its default.
func (p *pricer) sizeWithin(t *ast.Type, object map[string]any) int {
	size := 0
	for name, v := range object {
		if sizes[fold(name)] {
			size = max(size, length(v))
		}
	}
	def := p.guard.schema.Types[t.Name()]
	if def == nil { // a type of introspection as the type of an argument
		return size
	}
	for _, f := range def.Fields {
		if _, given := object[f.Name]; !given && f.DefaultValue != nil && sizes[fold(f.Name)] {
			v, _ := p.resolve(f.DefaultValue)
			size = max(size, length(v))
		}
	}
	return size
}

// length returns the length that v stands for, or 0. Custom scalars may hold a
// number in a string.
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

// resolve returns the value of a literal or variable. It reports false if there is
// no value.
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
