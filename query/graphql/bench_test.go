package graphql_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/qedkit/qed/query/graphql"
)

func BenchmarkCheck(b *testing.B) {
	var sdl strings.Builder
	sdl.WriteString(shop)
	for i := range 100 { // a schema of the size that companies have
		n := strings.Repeat("x", i%7) + string(rune('a'+i%26)) + string(rune('a'+i/26))
		sdl.WriteString("type T" + n + " { id: ID! name: String other: [Order!] a: Int b: Int c: Float d: DateTime e: Boolean f: String g: String }\n")
		sdl.WriteString("extend type Query { t" + n + "(id: ID!): T" + n + " }\n")
	}
	g := newGuard(b, sdl.String(), &graphql.GuardOptions{Sensitive: secrets, Fixed: map[string]map[string]any{"Query.orders": {"tenant": "acme"}}})
	query := `query Q($n: Int!, $f: OrderFilter) { orders(first: $n, filter: $f) { id number placed status tags customer { name email } items(first: 5) { edges { node { sku price } } } }
		search(text: "x") { __typename ... on Order { id number placed status tags } ... on Customer { name } } }`
	variables := json.RawMessage(`{"n": 10, "f": {"status": "OPEN", "placed": {"from": "2024-01-01"}}}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := g.Check(query, variables); err != nil {
			b.Fatal(err)
		}
	}
}
