package graphql_test

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/query/graphql"
	"github.com/qedkit/qed/refusal"
)

// shop is the schema of most tests.
const shop = `
directive @cached(seconds: Int) on QUERY | FIELD
directive @defer(if: Boolean) on INLINE_FRAGMENT
scalar DateTime
enum Status { OPEN SHIPPED "never told" FRAUD }
interface Node { id: ID! }
interface Person implements Node { id: ID! name: String email: String orders(tenant: ID, first: Int): [Order!]! }
type Customer implements Node & Person {
  id: ID! name: String email: String ssn: String
  orders(tenant: ID, first: Int): [Order!]!
}
type Employee implements Node & Person {
  id: ID! name: String email: String salary: Float
  orders(tenant: ID, first: Int): [Order!]!
}
type Order implements Node { id: ID! number: Int! placed: DateTime status: Status! customer: Customer items(first: Int = 5): ItemConnection! tags: [String!]! parent: Order }
type ItemConnection { edges: [ItemEdge!]! pageInfo: PageInfo! }
type ItemEdge { node: Item! }
type PageInfo { hasNextPage: Boolean! }
type Item { sku: String! price: Float }
union Found = Customer | Order
input Range { from: DateTime! to: DateTime }
input OrderFilter { status: Status number: Int placed: Range ssn: String and: [OrderFilter!] }
input By @oneOf { id: ID number: Int }
type Query {
  orders(tenant: ID!, filter: OrderFilter, first: Int, ids: [ID!]): [Order!]!
  order(by: By!): Order
  people(first: Int): [Person!]!
  customer(id: ID!): Customer
  search(text: String!, limit: Int = 10): [Found!]!
  rate(of: Float!, exact: Boolean): Float
  grid: [[Item!]!]!
}
type Mutation { cancel(id: ID!): Order }
type Subscription { placed: Order }
`

func newGuard(t testing.TB, sdl string, opt *graphql.GuardOptions) *graphql.Guard {
	t.Helper()
	schema, err := graphql.ParseSDL(sdl)
	if err != nil {
		t.Fatal(err)
	}
	g, err := graphql.NewGuard(schema, opt)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// problems returns the problems of err, which must be a [*refusal.Error].
func problems(t testing.TB, err error) []refusal.Problem {
	t.Helper()
	var e *refusal.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want an *Error", err)
	}
	if len(e.Problems) == 0 {
		t.Fatalf("%v has no problems", err)
	}
	return e.Problems
}

func TestAccepts(t *testing.T) {
	g := newGuard(t, shop, nil)
	for _, test := range []struct{ name, query, vars string }{
		{name: "shorthand", query: `{ people { id } }`},
		{name: "named", query: `query Q { people(first: 3) { __typename id name } }`},
		{name: "aliases", query: `{ a: people(first: 1) { n: name } b: people(first: 2) { n: name } }`},
		{name: "variables", query: `query($t: ID!, $f: OrderFilter) { orders(tenant: $t, filter: $f) { id } }`,
			vars: `{"t": 7, "f": {"status": "OPEN", "placed": {"from": "2024-01-01"}, "and": {"number": 3}}}`},
		{name: "variable that may be missing", query: `query($n: Int) { people(first: $n) { id } }`},
		{name: "variable with a default", query: `query($n: Int! = 3) { people(first: $n) { id } }`},
		{name: "default of the argument lets a nullable variable in", query: `query($n: Int) { search(text: "x", limit: $n) { __typename } }`},
		{name: "null variables", query: `{ people { id } }`, vars: ` null `},
		{name: "a value for a list", query: `query($i: [ID!]) { orders(tenant: 1, ids: $i) { id } }`, vars: `{"i": "a"}`},
		{name: "a literal for a list", query: `{ orders(tenant: 1, ids: "a") { id } }`},
		{name: "an Int for a Float", query: `query($f: Float!) { rate(of: $f) a: rate(of: 1) }`, vars: `{"f": 2}`},
		{name: "fragments", query: `{ people { ... on Person { id ... on Customer { ssn } } ... on Employee { salary } } }`},
		{name: "union", query: `{ search(text: "a") { __typename ... on Order { number } ... on Node { id } } }`},
		{name: "same field twice", query: `{ people { id id name } people { id } }`},
		{name: "differing fields of types that exclude each other", query: `{ people { ... on Employee { x: name } ... on Customer { x: ssn } } }`},
		{name: "skip and include", query: `query($b: Boolean!) { people @include(if: $b) { id name @skip(if: true) } }`, vars: `{"b": false}`},
		{name: "oneOf", query: `query($i: ID!) { order(by: {id: $i}) { id } b: order(by: {number: 3}) { id } }`, vars: `{"i": "1"}`},
		{name: "oneOf as a variable", query: `query($b: By!) { order(by: $b) { id } }`, vars: `{"b": {"number": 4}}`},
		{name: "descriptions", query: `"""Ids""" query Q("how many" $n: Int = 3) { people(first: $n) { id } }`},
		{name: "nested lists", query: `{ grid { sku } }`},
		{name: "custom scalar", query: `{ orders(tenant: 1, filter: {placed: {from: {any: [1, "thing"]}}}) { id } }`},
		{name: "comments and strings", query: "# a\n{ search(text: \"\"\"\n  block \\\"\"\" \"quoted\"\n\"\"\") { __typename } } # }"},
		{name: "text outside ASCII", query: `{ search(text: "Größe 大 \u00e9 \"q\" \\ \n") { __typename } }`},
	} {
		t.Run(test.name, func(t *testing.T) {
			q, err := g.Check(test.query, json.RawMessage(test.vars))
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(q.Text(), "how many") {
				t.Errorf("a description is sent: %s", q.Text())
			}
			again, err := g.Check(q.Text(), q.Variables())
			if err != nil {
				t.Fatalf("the printed query is refused: %v\n%s", err, q.Text())
			}
			if again.Text() != q.Text() {
				t.Errorf("printed again it differs:\n%s\n%s", q.Text(), again.Text())
			}
		})
	}
}

func TestRefuses(t *testing.T) {
	g := newGuard(t, shop, nil)
	for _, test := range []struct {
		name, query, vars string
		code              refusal.Code
		path              string
		candidates        []string
	}{
		{name: "nothing", query: ``, code: graphql.ErrNotAllowed},
		{name: "a fragment alone", query: `fragment F on Order { id }`, code: graphql.ErrNotAllowed},
		{name: "two queries", query: `query A { people { id } } query B { people { id } }`, code: graphql.ErrNotAllowed},
		{name: "a query before a mutation", query: `query A { people { id } } mutation B { cancel(id: 1) { id } }`, code: graphql.ErrNotAllowed},
		{name: "mutation", query: `mutation { cancel(id: 1) { id } }`, code: graphql.ErrNotAllowed},
		{name: "subscription", query: `subscription { placed { id } }`, code: graphql.ErrNotAllowed},
		{name: "schema definition", query: `type Query { a: Int }`, code: graphql.ErrSyntax},
		{name: "prose", query: `Here is the query: { people { id } }`, code: graphql.ErrSyntax},
		{name: "unclosed", query: `{ people { id }`, code: graphql.ErrSyntax},
		{name: "unclosed string", query: `{ search(text: "abc) { __typename } }`, code: graphql.ErrSyntax},
		{name: "not UTF-8", query: "{ search(text: \"\xff\") { __typename } }", code: graphql.ErrSyntax},
		{name: "NUL", query: "{ people { id } \x00}", code: graphql.ErrSyntax},
		{name: "named fragment", query: `{ people { ...F } } fragment F on Person { id }`, code: graphql.ErrNotAllowed},

		{name: "introspection", query: `{ __schema { types { name } } }`, code: graphql.ErrNotAllowed},
		{name: "introspection in a fragment", query: `{ ... on Query { a: __type(name: "Order") { name } } }`, code: graphql.ErrNotAllowed},
		{name: "unknown field", query: `{ people { nme } }`, code: graphql.ErrUnknownField, candidates: []string{"name"}},
		{name: "unknown field under an alias", query: `{ p: people { n: nme } }`, code: graphql.ErrUnknownField, candidates: []string{"name"}},
		{name: "field of an implementation", query: `{ people { salary } }`, code: graphql.ErrUnknownField, candidates: []string{"... on Employee { salary }"}},
		{name: "field of a union", query: `{ search(text: "") { number } }`, code: graphql.ErrUnknownField, candidates: []string{"... on Order { number }"}},
		{name: "unknown argument", query: `{ people(frst: 1) { id } }`, code: graphql.ErrUnknownName, candidates: []string{"first"}},
		{name: "unknown input field", query: `{ orders(tenant: 1, filter: {statsu: OPEN}) { id } }`, code: graphql.ErrInvalid, candidates: []string{"status"}},
		{name: "unknown enum value", query: `{ orders(tenant: 1, filter: {status: OPN}) { id } }`, code: graphql.ErrInvalid, candidates: []string{"OPEN"}},
		{name: "enum value as a string", query: `{ orders(tenant: 1, filter: {status: "OPEN"}) { id } }`, code: graphql.ErrInvalid, candidates: []string{"OPEN"}},
		{name: "unknown type", query: `{ people { ... on Custmer { id } } }`, code: graphql.ErrUnknownName, candidates: []string{"Customer"}},
		{name: "unknown type of a variable", query: `query($f: OrderFilte) { orders(tenant: 1, filter: $f) { id } }`, code: graphql.ErrUnknownName, candidates: []string{"OrderFilter"}},
		{name: "unknown fragment", query: `{ people { ...People } }`, code: graphql.ErrUnknownName},
		{name: "unknown variable", query: `query($name: String!) { search(text: $nme) { __typename } a: search(text: $name) { __typename } }`, vars: `{"name": "x"}`, code: graphql.ErrUnknownName, candidates: []string{"name"}},
		{name: "unknown directive", query: `{ people @inclde(if: true) { id } }`, code: graphql.ErrUnknownName, candidates: []string{"include"}},
		{name: "directive of the schema that is not allowed", query: `{ people @cached { id } }`, code: graphql.ErrUnknownName},
		{name: "defer", query: `{ people { ... @defer { id } } }`, code: graphql.ErrUnknownName},
		{name: "directive where it cannot stand", query: `query @skip(if: true) { people { id } }`, code: graphql.ErrInvalid},
		{name: "directive twice", query: `{ people @skip(if: true) @skip(if: false) { id } }`, code: graphql.ErrInvalid},

		{name: "missing argument", query: `{ orders { id } }`, code: graphql.ErrInvalid},
		{name: "missing argument of a directive", query: `{ people @skip { id } }`, code: graphql.ErrInvalid},
		{name: "literal of another type", query: `{ people(first: "3") { id } }`, code: graphql.ErrInvalid},
		{name: "Int beyond 32 bits", query: `{ people(first: 3000000000) { id } }`, code: graphql.ErrInvalid},
		{name: "Int beyond 64 bits", query: `{ people(first: 30000000000000000000000) { id } }`, code: graphql.ErrInvalid},
		{name: "object for a scalar", query: `{ people(first: {}) { id } }`, code: graphql.ErrInvalid},
		{name: "object for an enum", query: `{ orders(tenant: 1, filter: {status: {}}) { id } }`, code: graphql.ErrInvalid},
		{name: "null for what is required", query: `{ orders(tenant: null) { id } }`, code: graphql.ErrInvalid},
		{name: "missing input field", query: `{ orders(tenant: 1, filter: {placed: {to: "x"}}) { id } }`, code: graphql.ErrInvalid},
		{name: "oneOf with two", query: `{ order(by: {id: 1, number: 2}) { id } }`, code: graphql.ErrInvalid},
		{name: "oneOf with a variable that may be null", query: `query($i: ID) { order(by: {id: $i}) { id } }`, code: graphql.ErrInvalid},
		{name: "wrong default", query: `query($n: Int = "x") { people(first: $n) { id } }`, code: graphql.ErrInvalid},
		{name: "variable in a place of another type", query: `query($n: String) { people(first: $n) { id } }`, code: graphql.ErrInvalid},
		{name: "nullable variable for what is required", query: `query($t: ID) { orders(tenant: $t) { id } }`, code: graphql.ErrInvalid},
		{name: "variable of an output type", query: `query($o: Order) { people(first: $o) { id } }`, code: graphql.ErrInvalid},

		{name: "no selection", query: `{ people }`, code: graphql.ErrInvalid},
		{name: "selection on a scalar", query: `{ people { id { x } } }`, code: graphql.ErrInvalid},
		{name: "fragment that never matches", query: `{ people { ... on Order { id } } }`, code: graphql.ErrInvalid},
		{name: "fragment on a scalar", query: `{ people { ... on Int { id } } }`, code: graphql.ErrInvalid},
		{name: "argument twice", query: `{ people(first: 1, first: 2) { id } }`, code: graphql.ErrInvalid},
		{name: "input field twice", query: `{ orders(tenant: 1, filter: {number: 1, number: 2}) { id } }`, code: graphql.ErrInvalid},
		{name: "variable twice", query: `query($n: Int, $n: Int) { people(first: $n) { id } }`, code: graphql.ErrInvalid},
		{name: "conflict", query: `{ a: people(first: 1) { id } a: people(first: 2) { id } }`, code: graphql.ErrInvalid},
		{name: "conflict of types that exclude each other", query: `{ people { ... on Employee { x: salary } ... on Customer { x: ssn } } }`, code: graphql.ErrInvalid},
		{name: "unused variable", query: `query($n: Int) { people { id } }`, code: graphql.ErrInvalid},

		{name: "variables that are no JSON", query: `{ people { id } }`, vars: `{`, code: graphql.ErrInvalid, path: "variables"},
		{name: "more than one JSON value", query: `{ people { id } }`, vars: `{} {}`, code: graphql.ErrInvalid, path: "variables"},
		{name: "variables that are a list", query: `{ people { id } }`, vars: `[]`, code: graphql.ErrInvalid, path: "variables"},
		{name: "missing value", query: `query($n: Int!) { people(first: $n) { id } }`, code: graphql.ErrInvalid, path: "$n"},
		{name: "null value", query: `query($n: Int!) { people(first: $n) { id } }`, vars: `{"n": null}`, code: graphql.ErrInvalid, path: "$n"},
		{name: "value of another type", query: `query($n: Int) { people(first: $n) { id } }`, vars: `{"n": "3"}`, code: graphql.ErrInvalid, path: "$n"},
		{name: "fraction for an Int", query: `query($n: Int) { people(first: $n) { id } }`, vars: `{"n": 3.5}`, code: graphql.ErrInvalid, path: "$n"},
		{name: "value beyond 32 bits", query: `query($n: Int) { people(first: $n) { id } }`, vars: `{"n": 3000000000}`, code: graphql.ErrInvalid, path: "$n"},
		{name: "number for a String", query: `query($s: String!) { search(text: $s) { __typename } }`, vars: `{"s": 3}`, code: graphql.ErrInvalid, path: "$s"},
		{name: "string for a Float", query: `query($s: Float!) { rate(of: $s) }`, vars: `{"s": "NaN"}`, code: graphql.ErrInvalid, path: "$s"},
		{name: "string for a Boolean", query: `query($s: Boolean) { rate(of: 1, exact: $s) }`, vars: `{"s": "true"}`, code: graphql.ErrInvalid, path: "$s"},
		{name: "enum in another case", query: `query($f: OrderFilter) { orders(tenant: 1, filter: $f) { id } }`, vars: `{"f": {"status": "open"}}`, code: graphql.ErrInvalid, path: "$f.status", candidates: []string{"OPEN"}},
		{name: "unknown field of a value", query: `query($f: OrderFilter) { orders(tenant: 1, filter: $f) { id } }`, vars: `{"f": {"and": [{"numbr": 1}]}}`, code: graphql.ErrInvalid, path: "$f.and.0.numbr", candidates: []string{"number"}},
		{name: "missing field of a value", query: `query($f: OrderFilter) { orders(tenant: 1, filter: $f) { id } }`, vars: `{"f": {"placed": {}}}`, code: graphql.ErrInvalid, path: "$f.placed.from"},
		{name: "oneOf value with null", query: `query($b: By!) { order(by: $b) { id } }`, vars: `{"b": {"id": null}}`, code: graphql.ErrInvalid, path: "$b"},
		{name: "oneOf value with two", query: `query($b: By!) { order(by: $b) { id } }`, vars: `{"b": {"id": 1, "number": 2}}`, code: graphql.ErrInvalid, path: "$b"},
		{name: "value for no variable", query: `query($name: String!) { search(text: $name) { __typename } }`, vars: `{"name": "", "nam": 1}`, code: graphql.ErrInvalid, path: "$nam", candidates: []string{"name"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			q, err := g.Check(test.query, json.RawMessage(test.vars))
			if err == nil {
				t.Fatalf("accepted: %s", q.Text())
			}
			found := problems(t, err)
			if !errors.Is(err, test.code) {
				t.Fatalf("got %+v, want %s", found, test.code)
			}
			for _, p := range found {
				if p.Code != test.code {
					continue
				}
				if test.path != "" && p.Path != test.path {
					t.Errorf("path %q, want %q", p.Path, test.path)
				}
				if test.candidates != nil && (len(p.Candidates) == 0 || p.Candidates[0] != test.candidates[0]) {
					t.Errorf("candidates %q, want first %q", p.Candidates, test.candidates[0])
				}
				return
			}
		})
	}
}

func TestProblemsAreInPlace(t *testing.T) {
	g := newGuard(t, shop, nil)
	_, err := g.Check("query Q {\n  people(frst: 1) {\n    nme\n    größe: emial\n  }\n}", nil)
	if err == nil {
		t.Fatal("accepted")
	}
	// A letter outside ASCII is not part of a name in GraphQL.
	if p := problems(t, err)[0]; p.Code != graphql.ErrSyntax || p.Line != 4 {
		t.Errorf("got %+v", p)
	}
	_, err = g.Check("query Q {\n  people(frst: 1) {\n    nme\n    mail: emial\n  }\n}", nil)
	want := []refusal.Problem{
		{Code: graphql.ErrUnknownName, Name: "frst", Line: 2, Column: 10, Candidates: []string{"first"}},
		{Code: graphql.ErrUnknownField, Name: "nme", Line: 3, Column: 5, Candidates: []string{"name"}},
		{Code: graphql.ErrUnknownField, Name: "emial", Line: 4, Column: 5, Candidates: []string{"email"}},
	}
	got := problems(t, err)
	for i := range got {
		if got[i].Message == "" {
			t.Errorf("problem %d has no message", i)
		}
		got[i].Message = ""
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestQueryIsWhatWasChecked(t *testing.T) {
	g := newGuard(t, shop, nil)
	q, err := g.Check("# told\nquery Q($f: Float!) { rate(of: $f) people { id __typename ... on Employee { salary } } }",
		json.RawMessage(`{"f": 1.000000000000000000001, "f": 12345678901234567890.5}`))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(q.Variables()), `{"f":12345678901234567890.5}`; got != want {
		t.Errorf("variables %s, want %s", got, want)
	}
	if strings.Contains(q.Text(), "told") {
		t.Errorf("a comment survived: %s", q.Text())
	}
	if d := cmp.Diff([]string{"Employee.salary", "Person.id", "Query.people", "Query.rate"}, q.Fields()); d != "" {
		t.Error(d)
	}
}

func TestGuardIsSafeForConcurrentUse(t *testing.T) {
	g := newGuard(t, shop, &graphql.GuardOptions{Fixed: map[string]map[string]any{"Query.orders": {"tenant": "acme"}}})
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 20 {
				if _, err := g.Check(`{ orders { id customer { name } } search(text: "") { ... on Order { id } } }`, nil); err != nil {
					t.Error(err)
				}
				if _, err := g.Check(`{ orders(tenant: "evil") { nme } }`, nil); err == nil {
					t.Error("accepted")
				}
				g.Describe(0)
			}
		})
	}
	group.Wait()
}
