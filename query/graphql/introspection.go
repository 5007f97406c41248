package graphql

import (
	"encoding/json"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
)

// ParseIntrospection parses the response to an introspection query, with or
// without its envelope {"data": ...}. The response is not trusted: its size is
// limited. The error of a response that cannot be used is a [*refusal.Error] with
// the code [ErrInvalidSchema].
func ParseIntrospection(response []byte) (*Schema, error) {
	if len(response) > maxSchemaBytes {
		return nil, refused(ErrInvalidSchema, "", "the introspection response is longer than %d bytes", maxSchemaBytes)
	}
	if countValues(response) > maxValues {
		return nil, refused(ErrInvalidSchema, "", "the introspection response has more than %d values", maxValues)
	}
	var envelope struct {
		Schema *introspected `json:"__schema"`
		Data   *struct {
			Schema *introspected `json:"__schema"`
		} `json:"data"`
	}
	if err := json.Unmarshal(response, &envelope); err != nil {
		return nil, refused(ErrInvalidSchema, "", "the introspection response is not JSON of the form in the specification")
	}
	found := envelope.Schema
	if found == nil && envelope.Data != nil {
		found = envelope.Data.Schema
	}
	if found == nil {
		return nil, refused(ErrInvalidSchema,
			"__schema", "the introspection response has no __schema: if the server does not allow introspection, use its SDL")
	}
	return newReader().read(found)
}

// A reader makes a schema of an introspection response. It records the first
// error.
type reader struct {
	limits
	schema *ast.Schema
	source *ast.Source
}

func newReader() *reader {
	r := &reader{source: &ast.Source{Name: "introspection"}}
	r.schema = &ast.Schema{
		Types:         map[string]*ast.Definition{},
		Directives:    map[string]*ast.DirectiveDefinition{}, // of the specification
		PossibleTypes: map[string][]*ast.Definition{},
		Implements:    map[string][]*ast.Definition{},
	}
	prelude := validator.PreludeDocument()
	for _, d := range prelude.Definitions {
		r.schema.Types[d.Name] = d
		if d.Kind == ast.Object {
			r.schema.AddPossibleType(d.Name, d)
		}
	}
	for _, d := range prelude.Directives {
		r.schema.Directives[d.Name] = d
	}
	return r
}

func (r *reader) read(in *introspected) (*Schema, error) {
	r.path = "types"
	if len(in.Types) > maxTypes {
		r.fail("there are more than %d types", maxTypes)
	}
	own := make([]*ast.Definition, 0, len(in.Types))
	seen := map[string]bool{}
	for i := range in.Types {
		if r.err != nil {
			return nil, r.err
		}
		t := &in.Types[i]
		if builtin := r.schema.Types[t.Name]; strings.HasPrefix(t.Name, "__") || builtin != nil && builtin.BuiltIn {
			continue
		}
		if seen[t.Name] {
			r.path = t.Name
			r.fail("the type is defined twice")
			break
		}
		seen[t.Name] = true
		def := r.definition(t)
		r.schema.Types[t.Name] = def
		own = append(own, def)
	}
	for _, def := range own {
		r.link(def)
	}
	r.schema.Description = in.Description
	r.schema.Query = r.root("queryType", in.Query)
	r.schema.Mutation = r.root("mutationType", in.Mutation)
	r.schema.Subscription = r.root("subscriptionType", in.Subscription)
	if r.path = "queryType"; r.schema.Query == nil {
		r.fail("the schema has no query type")
	}
	if r.err != nil {
		return nil, r.err
	}
	r.schema.Query.Fields = append(r.schema.Query.Fields, validator.QueryIntrospectionFields()...)
	return &Schema{r.schema}, nil
}

func (r *reader) root(path string, ref *namedRef) *ast.Definition {
	if ref == nil {
		return nil
	}
	r.path = path
	def := r.schema.Types[ref.Name]
	if def == nil || def.Kind != ast.Object || def.BuiltIn {
		r.fail("%q is not an object type of the schema", clip(ref.Name, 80))
		return nil
	}
	return def
}

// definition returns the definition of a type. [reader.link] checks whether the
// types that it names exist.
func (r *reader) definition(t *introType) *ast.Definition {
	r.path = t.Name
	r.name(t.Name)
	r.members(len(t.Fields) + len(t.InputFields))
	r.members(len(t.EnumValues))
	r.members(len(t.Interfaces))
	r.members(len(t.PossibleTypes))
	def := &ast.Definition{Kind: t.Kind, Name: t.Name, Description: t.Description, Position: r.pos()}
	unique := r.unique()
	switch t.Kind {
	case ast.Scalar:
	case ast.Object, ast.Interface:
		for i := range t.Fields {
			if f := &t.Fields[i]; !strings.HasPrefix(f.Name, "__") && unique(f.Name) {
				def.Fields = append(def.Fields, r.field(t.Name, f))
			}
		}
		interfaces := r.unique()
		for _, ref := range t.Interfaces {
			if interfaces(ref.Name) {
				def.Interfaces = append(def.Interfaces, ref.Name)
			}
		}
	case ast.Union:
		for _, ref := range t.PossibleTypes {
			if unique(ref.Name) {
				def.Types = append(def.Types, ref.Name)
			}
		}
	case ast.Enum:
		for _, v := range t.EnumValues {
			r.name(v.Name)
			if unique(v.Name) {
				def.EnumValues = append(def.EnumValues, &ast.EnumValueDefinition{
					Name: v.Name, Description: v.Description, Directives: r.deprecated(v.deprecation), Position: r.pos(),
				})
			}
		}
	case ast.InputObject:
		for i := range t.InputFields {
			if f := r.input(t.Name, &t.InputFields[i]); f != nil && unique(f.Name) {
				def.Fields = append(def.Fields, &ast.FieldDefinition{
					Name: f.Name, Description: f.Description, Type: f.Type,
					DefaultValue: f.DefaultValue, Directives: f.Directives, Position: r.pos(),
				})
			}
		}
		if t.IsOneOf {
			def.Directives = append(def.Directives, &ast.Directive{Name: "oneOf", Position: r.pos()})
		}
	default:
		r.fail("%q is not a kind of type", clip(string(t.Kind), 80))
	}
	return def
}

func (r *reader) field(owner string, f *introField) *ast.FieldDefinition {
	r.path = owner + "." + f.Name
	r.name(f.Name)
	return &ast.FieldDefinition{
		Name: f.Name, Description: f.Description, Type: r.typeRef(f.Type),
		Arguments: r.inputs(r.path, f.Args), Directives: r.deprecated(f.deprecation), Position: r.pos(),
	}
}

func (r *reader) inputs(owner string, args []introInput) ast.ArgumentDefinitionList {
	r.members(len(args))
	unique := r.unique()
	var list ast.ArgumentDefinitionList
	for i := range args {
		if a := r.input(owner, &args[i]); a != nil && unique(a.Name) {
			list = append(list, a)
		}
	}
	return list
}

func (r *reader) input(owner string, in *introInput) *ast.ArgumentDefinition {
	if r.err != nil {
		return nil
	}
	r.path = owner + "." + in.Name
	r.name(in.Name)
	a := &ast.ArgumentDefinition{
		Name: in.Name, Description: in.Description, Type: r.typeRef(in.Type),
		Directives: r.deprecated(in.deprecation), Position: r.pos(),
	}
	if in.DefaultValue != nil {
		a.DefaultValue = r.literal(*in.DefaultValue)
	}
	return a
}

// literal parses a default value. Some servers write texts that are not literals.
// They become strings, because a query only depends on whether there is a default.
func (r *reader) literal(text string) *ast.Value {
	asText := &ast.Value{Kind: ast.StringValue, Raw: clip(text, 200), Position: r.pos()}
	if len(text) > 10_000 {
		return asText
	}
	doc, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: "{f(a:" + text + "\n)}"}, 1000)
	if err != nil || len(doc.Operations) != 1 || len(doc.Fragments) != 0 || len(doc.Operations[0].SelectionSet) != 1 {
		return asText
	}
	f, ok := doc.Operations[0].SelectionSet[0].(*ast.Field)
	if !ok || len(f.Arguments) != 1 || len(f.Directives)+len(f.SelectionSet) != 0 ||
		f.Arguments[0].Value.Kind == ast.Variable {
		return asText
	}
	return f.Arguments[0].Value
}

func (r *reader) deprecated(d deprecation) ast.DirectiveList {
	if !d.IsDeprecated {
		return nil
	}
	return ast.DirectiveList{{Name: "deprecated", Position: r.pos(), Arguments: ast.ArgumentList{{
		Name: "reason", Value: &ast.Value{Kind: ast.StringValue, Raw: d.Reason, Position: r.pos()}, Position: r.pos(),
	}}}}
}

func (r *reader) pos() *ast.Position { return &ast.Position{Src: r.source} }

// unique returns a function that reports whether a name is new, and fails if it is
// not.
func (r *reader) unique() func(string) bool {
	seen := map[string]bool{}
	return func(name string) bool {
		if seen[name] {
			r.fail("%q is defined twice", clip(name, 80))
		}
		seen[name] = true
		return r.err == nil
	}
}
