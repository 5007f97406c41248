package graphql

import (
	"slices"
	"unicode/utf8"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
)

// Limits on schemas. The largest public schemas have some thousand types in less
// than 10 MB.
const (
	maxSchemaBytes = 32 << 20
	maxValues      = 1_000_000 // of an introspection response
	maxTypes       = 20_000
	maxMembers     = 5_000 // fields of a type, values of an enum, arguments of a field, members of a union
	maxWrappers    = 20    // nested lists of a type
	maxName        = 256   // bytes
)

// A Schema is the schema of a server. It does not change and is safe for
// concurrent use. [Client.Schema], [ParseIntrospection] and [ParseSDL] return one.
type Schema struct{ ast *ast.Schema }

// ParseSDL parses a schema in the schema definition language. Directives on
// definitions are ignored, except those of the specification, and need not be
// declared. The error of a schema that cannot be used is a [*refusal.Error] with
// the code [ErrInvalidSchema].
func ParseSDL(sdl string) (*Schema, error) {
	if len(sdl) > maxSchemaBytes {
		return nil, refused(ErrInvalidSchema, "", "the schema is longer than %d bytes", maxSchemaBytes)
	}
	if !utf8.ValidString(sdl) {
		return nil, refused(ErrInvalidSchema, "", "the schema is not UTF-8")
	}
	own, err := parser.ParseSchema(&ast.Source{Name: "schema", Input: sdl})
	if err != nil {
		return nil, schemaError(err)
	}
	return newSchema(own)
}

// newSchema returns the schema of a document.
func newSchema(own *ast.SchemaDocument) (*Schema, error) {
	prelude := validator.PreludeDocument()
	withoutBuiltins(own, prelude)
	if err := limitDocument(own); err != nil {
		return nil, err
	}
	prelude.Merge(own)
	schema, err := validator.ValidateSchemaDocument(prelude)
	if err != nil {
		return nil, schemaError(err)
	}
	if schema.Query == nil || schema.Query.BuiltIn {
		return nil, refused(ErrInvalidSchema, "schema", "the schema has no query type")
	}
	return &Schema{schema}, nil
}

// withoutBuiltins removes the built-in definitions that some servers print, and
// directives: no query may use those of a server.
func withoutBuiltins(doc, prelude *ast.SchemaDocument) {
	doc.Definitions = slices.DeleteFunc(doc.Definitions, func(d *ast.Definition) bool {
		return prelude.Definitions.ForName(d.Name) != nil
	})
	for _, lists := range [][]*ast.Definition{doc.Definitions, doc.Extensions} {
		for _, d := range lists {
			d.Directives = standard(d.Directives)
			d.Fields = withoutRepeats(d.Fields)
			for _, f := range d.Fields {
				f.Directives = standard(f.Directives)
				for _, a := range f.Arguments {
					a.Directives = standard(a.Directives)
				}
			}
			for _, v := range d.EnumValues {
				v.Directives = standard(v.Directives)
			}
		}
	}
	for _, s := range slices.Concat(doc.Schema, doc.SchemaExtension) {
		s.Directives = nil
	}
	doc.Directives, doc.DirectiveExtensions = nil, nil
}

// withoutRepeats removes exact repetitions of a field, which published schemas
// have. Different fields of one name are reported later.
func withoutRepeats(list ast.FieldList) ast.FieldList {
	seen := make(map[string]string, len(list))
	return slices.DeleteFunc(list, func(f *ast.FieldDefinition) bool {
		words := f.Type.String()
		for _, a := range f.Arguments {
			words += " " + a.Name + ":" + a.Type.String() + preset(a.DefaultValue)
		}
		first, ok := seen[f.Name]
		seen[f.Name] = words
		return ok && first == words
	})
}

func standard(list ast.DirectiveList) ast.DirectiveList {
	return slices.DeleteFunc(list, func(d *ast.Directive) bool {
		return d.Name != "deprecated" && d.Name != "specifiedBy" && d.Name != "oneOf"
	})
}

// limitDocument checks the limits, because later steps take quadratic time.
func limitDocument(doc *ast.SchemaDocument) error {
	if len(doc.Definitions)+len(doc.Extensions) > maxTypes {
		return refused(ErrInvalidSchema, "", "the schema has more than %d types", maxTypes)
	}
	members := map[string]int{}
	for _, list := range [][]*ast.Definition{doc.Definitions, doc.Extensions} {
		for _, d := range list {
			n := &limits{path: d.Name}
			members[d.Name] += len(d.Fields) + len(d.EnumValues) + len(d.Types)
			n.members(members[d.Name])
			n.name(d.Name)
			n.members(len(d.Interfaces))
			for _, f := range d.Fields {
				n.members(len(f.Arguments))
				n.typed(f.Type)
				for _, a := range f.Arguments {
					n.typed(a.Type)
				}
			}
			if n.err != nil {
				return n.err
			}
		}
	}
	return nil
}

// limits checks the limits of what is at path and records the first error.
type limits struct {
	path string
	err  error
}

func (l *limits) fail(format string, args ...any) {
	if l.err == nil {
		l.err = refused(ErrInvalidSchema, l.path, format, args...)
	}
}

func (l *limits) members(n int) {
	if n > maxMembers {
		l.fail("there are more than %d members", maxMembers)
	}
}

func (l *limits) typed(t *ast.Type) {
	for n := 0; t != nil; n, t = n+1, t.Elem {
		if n > maxWrappers {
			l.fail("there are more than %d nested lists", maxWrappers)
			return
		}
	}
}

// name accepts the names of GraphQL's grammar only, because names are printed into
// prompts and queries.
func (l *limits) name(s string) {
	if s == "" || len(s) > maxName {
		l.fail("a name is empty or longer than %d bytes", maxName)
		return
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c == '_', 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', i > 0 && '0' <= c && c <= '9':
		default:
			l.fail("%q is not a valid name", clip(s, 80))
			return
		}
	}
}

func schemaError(err error) error {
	return refusedFor(parserProblem(ErrInvalidSchema, "the schema: ", err))
}
