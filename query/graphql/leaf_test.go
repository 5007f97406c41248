package graphql_test

import (
	"testing"

	"github.com/qedkit/qed/query/graphql"
)

func TestLeafType(t *testing.T) {
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
	q, err := guard.Check(`{ p: port { id ... on Port { size: teu tags } ... { kind } ships { name } } }`, nil)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"p.id": "ID", "p.size": "Float", "p.tags": "[String]", "p.kind": "Kind", "p.ships.name": "String",
		"p": "", "p.ships": "", "p.teu": "", "port.id": "",
	} {
		if got := q.LeafType(path); got != want {
			t.Errorf("LeafType(%q) = %q, want %q", path, got, want)
		}
	}
}
