package graphql

import (
	"encoding/json"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
)

// ParseIntrospection parses the response to an introspection query, with or
// without its envelope {"data": ...}. The response is not trusted: its size is
// limited. The error of a response that cannot be used, or whose schema breaks the
// specification, is a [*refusal.Error] with the code [ErrInvalidSchema].
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
	r := reader{source: &ast.Source{Name: "introspection"}}
	doc := r.document(found)
	if r.err != nil {
		return nil, r.err
	}
	return newSchema(doc)
}

// A reader reads an introspection response as a document in the schema definition
// language. It records the first error.
type reader struct {
	limits
	source *ast.Source
}

func (r *reader) document(in *introspected) *ast.SchemaDocument {
	doc := &ast.SchemaDocument{}
	if r.path = "types"; len(in.Types) > maxTypes {
		r.fail("there are more than %d types", maxTypes)
		return doc
	}
	for i := range in.Types {
		if r.err != nil {
			return doc
		}
		if t := &in.Types[i]; !strings.HasPrefix(t.Name, "__") {
			doc.Definitions = append(doc.Definitions, r.definition(t))
		}
	}
	roots := &ast.SchemaDefinition{Description: in.Description, Position: r.pos()}
	for _, root := range []struct {
		operation ast.Operation
		of        *namedRef
	}{{ast.Query, in.Query}, {ast.Mutation, in.Mutation}, {ast.Subscription, in.Subscription}} {
		if root.of == nil {
			continue
		}
		if r.path = string(root.operation) + "Type"; strings.HasPrefix(root.of.Name, "__") {
			r.fail("%q is not a type of the schema", clip(root.of.Name, 80))
		}
		roots.OperationTypes = append(roots.OperationTypes, &ast.OperationTypeDefinition{
			Operation: root.operation, Type: root.of.Name, Position: r.pos(),
		})
	}
	doc.Schema = ast.SchemaDefinitionList{roots}
	return doc
}

// definition returns the definition of a type. Whether the types that it names exist is
// checked later.
func (r *reader) definition(t *introType) *ast.Definition {
	r.path = t.Name
	r.name(t.Name)
	def := &ast.Definition{Kind: t.Kind, Name: t.Name, Description: t.Description, Position: r.pos()}
	switch t.Kind {
	case ast.Scalar:
	case ast.Object, ast.Interface:
		for i := range t.Fields {
			if f := &t.Fields[i]; !strings.HasPrefix(f.Name, "__") {
				def.Fields = append(def.Fields, r.field(t.Name, f))
			}
		}
		for _, ref := range t.Interfaces {
			def.Interfaces = append(def.Interfaces, ref.Name)
		}
	case ast.Union:
		for _, ref := range t.PossibleTypes {
			def.Types = append(def.Types, ref.Name)
		}
	case ast.Enum:
		for _, v := range t.EnumValues {
			r.name(v.Name)
			def.EnumValues = append(def.EnumValues, &ast.EnumValueDefinition{
				Name: v.Name, Description: v.Description, Directives: r.deprecated(v.deprecation), Position: r.pos(),
			})
		}
	case ast.InputObject:
		for i := range t.InputFields {
			if f := r.input(t.Name, &t.InputFields[i]); f != nil {
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
	var list ast.ArgumentDefinitionList
	for i := range args {
		if a := r.input(owner, &args[i]); a != nil {
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

// typeRef returns the type that ref describes, with its lists and non-nulls.
func (r *reader) typeRef(ref *introRef) *ast.Type {
	var outer *ast.Type
	inner := &outer
	nonNull := false
	for n := 0; ref != nil && n <= maxWrappers; n, ref = n+1, ref.OfType {
		switch ref.Kind {
		case "NON_NULL":
			if nonNull {
				r.fail("a type is non-null twice")
				return nil
			}
			nonNull = true
		case "LIST":
			*inner = &ast.Type{NonNull: nonNull, Position: r.pos()}
			inner, nonNull = &(*inner).Elem, false
		default:
			r.name(ref.Name)
			*inner = &ast.Type{NamedType: ref.Name, NonNull: nonNull, Position: r.pos()}
			return outer
		}
	}
	r.fail("a type is missing, or nested deeper than the response shows")
	return nil
}
