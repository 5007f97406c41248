package graphqlsource

import (
	"testing"

	"github.com/qedkit/qed/query/graphql"
)

func TestTypesOfFields(t *testing.T) {
	schema, err := graphql.ParseSDL(`
		type Query { port: Port }
		type Port { id: ID! teu: Float tags: [String!]! kind: Kind ships: [Ship] }
		type Ship { name: String }
		enum Kind { SEA AIR }`)
	if err != nil {
		t.Fatal(err)
	}
	guard, err := graphql.NewGuard(schema, nil)
	if err != nil {
		t.Fatal(err)
	}
	q, err := guard.Check(`{ p: port { id __typename ... on Port { size: teu tags } ... { kind } ships { name } } }`, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	var visit func(prefix string, fields []*field)
	visit = func(prefix string, fields []*field) {
		for _, f := range fields {
			got[prefix+f.key] = f.typ
			visit(prefix+f.key+".", f.fields)
		}
	}
	visit("", fieldsOf(q.Selection()))
	for path, want := range map[string]string{
		"p": "", "p.id": "ID", "p.__typename": "String", "p.size": "Float", "p.tags": "[String]", "p.kind": "Kind",
		"p.ships": "", "p.ships.name": "String",
	} {
		if typ, ok := got[path]; !ok || typ != want {
			t.Errorf("the type of %s is %q, want %q", path, typ, want)
		}
	}
}
