package graphql

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/qedkit/qed/internal/prompt"
)

const (
	describeBytes = 32 << 10
	maxComment    = 200 // bytes of a description
)

// Describe returns what a query may name, for the prompt of a model: the query
// type first and then the types that it refers to, in the schema definition
// language. It leaves out what is sensitive and the fixed arguments. Descriptions
// are texts of the server: they are quoted, shortened, and written as comments.
//
// maxBytes limits the text; 0 means 32 KiB. The number of types that do not fit is
// given at the end.
func (g *Guard) Describe(maxBytes int) string {
	if maxBytes <= 0 {
		maxBytes = describeBytes
	}
	d := describer{guard: g, left: maxBytes, queued: map[string]bool{}}
	d.queue(g.schema.Query.Name)
	omitted := 0
	for i := 0; i < len(d.types); i++ {
		def := g.schema.Types[d.types[i]]
		lines := d.definition(def)
		if len(lines) == 0 {
			continue
		}
		if omitted > 0 || !d.write(lines) {
			omitted++
		}
	}
	if omitted > 0 {
		fmt.Fprintf(&d.out, "# %d more types are left out\n", omitted)
	}
	return d.out.String()
}

type describer struct {
	guard  *Guard
	out    strings.Builder
	left   int      // bytes
	types  []string // in the order in which other types refer to them
	queued map[string]bool
}

func (d *describer) queue(name string) {
	if def := d.guard.schema.Types[name]; def != nil && !d.queued[name] && !strings.HasPrefix(name, "__") {
		d.queued[name] = true
		d.types = append(d.types, name)
	}
}

// write writes a definition and reports whether it fits. The first definition is
// cut if it is too long; later ones are written whole or not at all.
func (d *describer) write(lines []string) bool {
	text := strings.Join(lines, "\n") + "\n"
	if len(text) <= d.left {
		d.left -= len(text)
		d.out.WriteString(text)
		return true
	}
	if d.out.Len() > 0 {
		return false
	}
	for i, l := range lines {
		if len(l)+1 > d.left {
			fmt.Fprintf(&d.out, "  # %d more are left out\n}\n", max(len(lines)-i-1, 1))
			break
		}
		d.left -= len(l) + 1
		d.out.WriteString(l + "\n")
	}
	d.left = 0
	return true
}

func (d *describer) definition(def *ast.Definition) []string {
	switch def.Kind {
	case ast.Scalar:
		if def.BuiltIn {
			return nil
		}
		return []string{"scalar " + def.Name + comment(def.Description, nil)}
	case ast.Union:
		for _, t := range def.Types {
			d.queue(t)
		}
		return []string{"union " + def.Name + " = " + strings.Join(def.Types, " | ") + comment(def.Description, nil)}
	case ast.Enum:
		lines := []string{"enum " + def.Name + " {" + comment(def.Description, nil)}
		for _, v := range def.EnumValues {
			lines = append(lines, "  "+v.Name+comment(v.Description, v.Directives))
		}
		return append(lines, "}")
	}
	return d.object(def)
}

func (d *describer) object(def *ast.Definition) []string {
	keyword := map[ast.DefinitionKind]string{ast.Object: "type ", ast.Interface: "interface ",
		ast.InputObject: "input "}[def.Kind]
	head := keyword + def.Name
	if len(def.Interfaces) > 0 {
		head += " implements " + strings.Join(def.Interfaces, " & ")
	}
	if def.Directives.ForName("oneOf") != nil {
		head += " @oneOf"
	}
	lines := []string{head + " {" + comment(def.Description, nil)}
	for _, f := range def.Fields {
		if strings.HasPrefix(f.Name, "__") {
			continue
		}
		d.queue(f.Type.Name())
		line := "  " + f.Name + d.arguments(def, f) + ": " + f.Type.String()
		lines = append(lines, line+d.preset(f.Type, f.DefaultValue)+comment(f.Description, f.Directives))
	}
	if def.Kind == ast.Interface {
		for _, t := range d.guard.schema.GetPossibleTypes(def) {
			d.queue(t.Name)
		}
	}
	return append(lines, "}")
}

func (d *describer) arguments(def *ast.Definition, f *ast.FieldDefinition) string {
	fixed := map[string]bool{}
	for _, a := range d.guard.fixed[def.Name+"."+f.Name] {
		fixed[a.name] = true
	}
	var list []string
	for _, a := range f.Arguments {
		if !fixed[a.Name] {
			d.queue(a.Type.Name())
			list = append(list, a.Name+": "+a.Type.String()+d.preset(a.Type, a.DefaultValue))
		}
	}
	if len(list) == 0 {
		return ""
	}
	return "(" + strings.Join(list, ", ") + ")"
}

// preset returns a default value. It hides a value that names what is sensitive.
func (d *describer) preset(t *ast.Type, v *ast.Value) string {
	if v != nil && !d.visible(t, v) {
		return ` = "..."`
	}
	return preset(v)
}

// visible reports whether v names nothing that is sensitive.
func (d *describer) visible(t *ast.Type, v *ast.Value) bool {
	def := d.guard.schema.Types[t.Name()]
	switch {
	case def == nil || def.Kind == ast.Scalar || v.Kind == ast.NullValue:
		return true
	case v.Kind == ast.ListValue:
		return !slices.ContainsFunc(v.Children, func(c *ast.ChildValue) bool { return !d.visible(t, c.Value) })
	case def.Kind == ast.Enum:
		return def.EnumValues.ForName(v.Raw) != nil
	}
	return v.Kind == ast.ObjectValue && !slices.ContainsFunc(v.Children, func(c *ast.ChildValue) bool {
		f := def.Fields.ForName(c.Name)
		return f == nil || !d.visible(f.Type, c.Value)
	})
}

// preset returns a default value as in SDL. Strings, lists and objects are quoted
// as a whole, because their texts are the server's.
func preset(v *ast.Value) string {
	if v == nil {
		return ""
	}
	switch v.Kind {
	case ast.IntValue, ast.FloatValue, ast.BooleanValue, ast.NullValue, ast.EnumValue:
		return " = " + clip(v.Raw, maxComment)
	case ast.StringValue, ast.BlockValue:
		return " = " + prompt.Quote(prompt.Clip(v.Raw, maxComment))
	}
	return " = " + prompt.Quote(prompt.Clip(v.String(), maxComment))
}

func comment(description string, directives ast.DirectiveList) string {
	var c string
	if old := directives.ForName("deprecated"); old != nil {
		c = " # deprecated"
		if reason := old.Arguments.ForName("reason"); reason != nil && reason.Value.Raw != "" {
			c += " " + prompt.Quote(prompt.Clip(reason.Value.Raw, maxComment))
		}
	}
	if description != "" {
		c += " # " + prompt.Quote(prompt.Clip(description, maxComment))
	}
	return c
}
