package graphql

import "github.com/vektah/gqlparser/v2/ast"

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

// link looks up the types that a definition names. It accepts schemas that break
// the specification in other ways, such as a type that lacks a field of its
// interface, because real servers have them.
func (r *reader) link(def *ast.Definition) {
	if r.err != nil {
		return
	}
	for _, f := range def.Fields {
		r.path = def.Name + "." + f.Name
		if def.Kind == ast.InputObject {
			r.inputType(f.Type)
			continue
		}
		if t := r.resolve(f.Type); t != nil && t.Kind == ast.InputObject {
			r.fail("a field cannot be of the input type %s", t.Name)
		}
		for _, a := range f.Arguments {
			r.inputType(a.Type)
		}
	}
	r.path = def.Name
	switch def.Kind {
	case ast.Object, ast.Interface:
		if def.Kind == ast.Object {
			r.schema.AddPossibleType(def.Name, def)
		}
		for _, name := range def.Interfaces {
			over := r.schema.Types[name]
			if over == nil || over.Kind != ast.Interface {
				r.fail("%q is not an interface of the schema", clip(name, 80))
				return
			}
			r.schema.AddPossibleType(name, def)
			r.schema.AddImplements(def.Name, over)
		}
	case ast.Union:
		for _, name := range def.Types {
			member := r.schema.Types[name]
			if member == nil || member.Kind != ast.Object {
				r.fail("%q is not an object type of the schema", clip(name, 80))
				return
			}
			r.schema.AddPossibleType(def.Name, member)
			r.schema.AddImplements(name, def)
		}
	}
}

func (r *reader) inputType(t *ast.Type) {
	if def := r.resolve(t); def != nil && !def.IsInputType() {
		r.fail("%s is not an input type", def.Name)
	}
}

func (r *reader) resolve(t *ast.Type) *ast.Definition {
	if t == nil {
		r.fail("a type is missing")
		return nil
	}
	def := r.schema.Types[t.Name()]
	if def == nil {
		r.fail("the type %q is not in the schema", clip(t.Name(), 80))
	}
	return def
}
