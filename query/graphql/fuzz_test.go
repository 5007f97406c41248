package graphql_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/qedkit/qed/query/graphql"
	"github.com/qedkit/qed/refusal"
)

// A query that is accepted is printed as one query, means the same when it is
// checked again, and names nothing sensitive. A refusal has problems.
func FuzzCheck(f *testing.F) {
	for _, query := range []string{
		`{ people { id } }`, `query Q($n: Int = 3) { people(first: $n) { ...F } } fragment F on Person { id @skip(if: true) ... on Customer { a: name } }`,
		`{ orders(filter: {status: OPEN, and: [{number: -3}], placed: {from: "\u00e9\n", to: """ "block" """}}, ids: ["a", 2]) { id } }`,
		`{ search(text: "\"") { __typename } rate(of: 1.5e3) order(by: {id: "x"}) { id } }`, `{ __schema { types { name } } }`,
		`"""Ids""" query Q("how many" $n: Int = 3) { people(first: $n) { id } }`, `mutation { cancel(id: 1) { id } }`, `{ people { ...A } } fragment A on Person { ...A }`, "{ people { ssn # \n } }", `query($f: OrderFilter = {ssn: "1"}) { orders(filter: $f) { id } }`,
	} {
		f.Add(query, `{"n": 3}`)
		f.Add(query, ``)
	}
	g := newGuard(f, shop, &graphql.GuardOptions{Sensitive: secrets, Fixed: map[string]map[string]any{"Query.orders": {"tenant": "acme"}}})
	f.Fuzz(func(t *testing.T, query, variables string) {
		q, err := g.Check(query, json.RawMessage(variables))
		if err != nil {
			var e *refusal.Error
			if !errors.As(err, &e) || len(e.Problems) == 0 || len(e.Problems) > 20 {
				t.Fatalf("%v", err)
			}
			for _, p := range e.Problems {
				if p.Code == "" || p.Message == "" || len(p.Message) > 1000 || len(p.Path) > 1000 || !utf8.ValidString(p.Message) {
					t.Fatalf("%+v", p)
				}
			}
			return
		}
		if !strings.HasPrefix(q.Text(), "query") || strings.Contains(q.Text(), "\n") {
			t.Fatalf("printed %q", q.Text())
		}
		for _, field := range q.Fields() {
			if field == "Customer.ssn" || field == "Employee.salary" {
				t.Fatalf("%s passed: %s", field, q.Text())
			}
		}
		if strings.Contains(q.Text(), "orders(") && strings.Contains(q.Text(), "tenant: $fixed1") && !strings.Contains(string(q.Variables()), `"acme"`) {
			t.Fatalf("the fixed argument has another value: %s %s", q.Text(), q.Variables())
		}
		again, err := g.Check(q.Text(), q.Variables())
		if err != nil {
			t.Fatalf("the printed query is refused: %v\n%s\n%s", err, q.Text(), q.Variables())
		}
		if again.Text() != q.Text() || string(again.Variables()) != string(q.Variables()) || again.Cost() != q.Cost() {
			t.Fatalf("the printed query has another meaning:\n%s %s\n%s %s", q.Text(), q.Variables(), again.Text(), again.Variables())
		}
	})
}

// Every response of a server gives a schema that can be used, or an error.
func FuzzReadIntrospection(f *testing.F) {
	f.Add(answer(``))
	f.Add(answer(`,{"kind":"INTERFACE","name":"A","fields":[{"name":"a","args":[{"name":"x","type":{"kind":"SCALAR","name":"Int"},"defaultValue":"{a: [1]}"}],"type":{"kind":"LIST","ofType":{"kind":"INTERFACE","name":"A"}}}],"interfaces":[{"name":"A"}]}`))
	f.Add(answer(`,{"kind":"UNION","name":"U","possibleTypes":[{"name":"Root"}]},{"kind":"ENUM","name":"E","enumValues":[{"name":"A"}]},{"kind":"INPUT_OBJECT","name":"I","isOneOf":true,"inputFields":[{"name":"i","type":{"kind":"INPUT_OBJECT","name":"I"}}]}`))
	f.Add(`{"__schema":{"queryType":{"name":"__Type"},"types":[],"directives":[{"name":"skip"},{"name":"x","locations":["FIELD"],"args":null}]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		schema, err := graphql.ParseIntrospection([]byte(text))
		if err != nil {
			if !errors.Is(err, graphql.ErrInvalidSchema) {
				t.Fatal(err)
			}
			return
		}
		g, err := graphql.NewGuard(schema, nil)
		if err != nil {
			t.Fatal(err)
		}
		g.Describe(2_000)
		_, _ = g.Check(`query($a: Int) { a { ... on A { a(x: {}) { a } } ... on U { __typename } } b(i: {i: $a}, e: A) @x ...F } fragment F on A { a @skip(if: $a) }`, json.RawMessage(`{"a": {"i": 1}}`))
		if _, err := g.Check(`{ __typename }`, nil); err != nil {
			t.Fatal(err)
		}
	})
}
