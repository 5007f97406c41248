package integration_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	server "github.com/graph-gophers/graphql-go"
	"github.com/graph-gophers/graphql-go/relay"

	"github.com/qedkit/qed/query/graphql"
	"github.com/qedkit/qed/retry"
)

const shopSDL = `
schema { query: Root mutation: Change }
"A point in time"
scalar Time
enum Status { OPEN SHIPPED }
interface Party { id: ID! name: String! }
type Person implements Party { id: ID! name: String! ssn: String! boss: Person old: String @deprecated(reason: "use name") }
type Firm implements Party { id: ID! name: String! staff(first: Int = 2): [Person!]! }
union Found = Person | Firm
input Span { from: Time! to: Time }
input Filter { status: Status placed: Span any: [Filter!] minimum: Float ssn: String }
input Key { id: ID number: Int }
type Order { number: Int! total: Float! status: Status! buyer: Party! note: String tags: [String!]! }
type Root {
  orders(tenant: ID!, filter: Filter, first: Int = 10): [Order!]!
  order(by: Key!): Order
  party(id: ID!): Party
  find(text: String!, limit: Int): [Found!]!
  rate(of: Float!, exact: Boolean, at: [Int!]): Float
}
type Change { cancel(number: Int!): Order }
`

// The server has one person, one firm and two orders. The note of one order is an error.
type (
	shopRoot   struct{ tenants chan string }
	shopPerson struct{}
	shopFirm   struct{}
	shopParty  struct{ is any }
	shopOrder  struct{ number int32 }
	shopSpan   struct {
		From server.Time
		To   *server.Time
	}
	shopFilter struct {
		Status  *string
		Placed  *shopSpan
		Any     *[]shopFilter
		Minimum *float64
		Ssn     *string
	}
)

func (shopPerson) ID() server.ID     { return "p1" }
func (shopPerson) Name() string      { return "Ada" }
func (shopPerson) Ssn() string       { return "123-45-6789" }
func (shopPerson) Boss() *shopPerson { return nil }
func (shopPerson) Old() *string      { return nil }
func (shopFirm) ID() server.ID       { return "f1" }
func (shopFirm) Name() string        { return "Acme" }
func (shopFirm) Staff(struct{ First int32 }) []*shopPerson {
	return []*shopPerson{{}}
}

func (p shopParty) ID() server.ID                 { return "p1" }
func (p shopParty) Name() string                  { return "Ada" }
func (p shopParty) ToPerson() (*shopPerson, bool) { v, ok := p.is.(*shopPerson); return v, ok }
func (p shopParty) ToFirm() (*shopFirm, bool)     { v, ok := p.is.(*shopFirm); return v, ok }

func (o shopOrder) Number() int32     { return o.number }
func (o shopOrder) Total() float64    { return 12.5 }
func (o shopOrder) Status() string    { return "OPEN" }
func (o shopOrder) Buyer() *shopParty { return &shopParty{&shopPerson{}} }
func (o shopOrder) Tags() []string    { return []string{"a", "b"} }
func (o shopOrder) Note() (*string, error) {
	if o.number == 2 {
		return nil, errors.New("the notes are down")
	}
	note := "hello"
	return &note, nil
}

func (r shopRoot) Orders(args struct {
	Tenant server.ID
	Filter *shopFilter
	First  int32
}) []*shopOrder {
	select {
	case r.tenants <- string(args.Tenant):
	default:
	}
	return []*shopOrder{{1}, {2}}
}

func (shopRoot) Order(struct {
	By struct {
		ID     *server.ID
		Number *int32
	}
}) *shopOrder {
	return &shopOrder{1}
}
func (shopRoot) Party(struct{ ID server.ID }) *shopParty { return &shopParty{&shopPerson{}} }
func (shopRoot) Find(struct {
	Text  string
	Limit *int32
}) []*shopParty {
	return []*shopParty{{&shopPerson{}}, {&shopFirm{}}}
}
func (shopRoot) Rate(struct {
	Of    float64
	Exact *bool
	At    *[]int32
}) *float64 {
	return nil
}
func (shopRoot) Cancel(struct{ Number int32 }) *shopOrder { return nil }

// shopServer is a GraphQL server on loopback, and a client of it.
func shopServer(t *testing.T) (*graphql.Client, *server.Schema, *shopRoot) {
	t.Helper()
	root := &shopRoot{make(chan string, 1)}
	schema, err := server.ParseSchema(shopSDL, root, server.MaxDepth(30), server.UseStringDescriptions())
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(&relay.Handler{Schema: schema})
	t.Cleanup(s.Close)
	client, err := graphql.NewClient(s.URL, &graphql.ClientOptions{Retry: retry.Policy{Attempts: 1}})
	if err != nil {
		t.Fatal(err)
	}
	return client, schema, root
}

func TestGraphQLRun(t *testing.T) {
	client, _, root := shopServer(t)
	schema, err := client.Schema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	guard, err := graphql.NewGuard(schema, &graphql.GuardOptions{
		Sensitive: []string{"Person.ssn", "Filter.ssn"},
		Fixed:     map[string]map[string]any{"Root.orders": {"tenant": "acme"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	text := guard.Describe(0)
	for _, want := range []string{"type Root {", "orders(filter: Filter, first: Int = 10): [Order!]!", `scalar Time # "A point in time"`, `deprecated "use name"`, "union Found = Person | Firm"} {
		if !strings.Contains(text, want) {
			t.Errorf("the description lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "ssn") || strings.Contains(text, "tenant") || strings.Contains(text, "cancel") {
		t.Errorf("the description has too much:\n%s", text)
	}

	query, err := guard.Check(`query($s: Status) { orders(filter: {status: $s}) { number total note buyer { ... on Person { name } } } }`, json.RawMessage(`{"s": "OPEN"}`))
	if err != nil {
		t.Fatal(err)
	}
	result, err := client.Run(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	var got, want any
	if err := json.Unmarshal(result.Data, &got); err != nil {
		t.Fatal(err)
	}
	_ = json.Unmarshal([]byte(`{"orders": [{"number": 1, "total": 12.5, "note": "hello", "buyer": {"name": "Ada"}}, {"number": 2, "total": 12.5, "note": null, "buyer": {"name": "Ada"}}]}`), &want)
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if len(result.Errors) != 1 || result.Errors[0].Message != "the notes are down" || cmp.Diff([]any{"orders", 1, "note"}, result.Errors[0].Path) != "" {
		t.Errorf("errors %+v", result.Errors)
	}
	if tenant := <-root.tenants; tenant != "acme" {
		t.Errorf("tenant %q", tenant)
	}

	// All paths to sensitive fields and to another tenant.
	for _, text := range []string{
		`{ party(id: 1) { ... on Person { ssn } } }`,
		`{ find(text: "") { ...F } } fragment F on Person { x: ssn }`,
		`{ find(text: "") { ... on Firm { staff { boss { ssn } } } } }`,
		`{ orders(filter: {ssn: "1"}) { number } }`,
		`{ orders(tenant: "evil") { number } }`,
		`mutation { cancel(number: 1) { number } }`,
		`{ __type(name: "Person") { fields { name } } }`,
	} {
		if q, err := guard.Check(text, nil); err == nil {
			t.Errorf("accepted: %s", q.Text())
		}
	}
}

// The server accepts what the Guard accepts. If the server refuses a query or its
// variables, the Guard does too.
func TestGraphQLAgreement(t *testing.T) {
	client, schema, _ := shopServer(t)
	fromServer, err := client.Schema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	fromSDL, err := graphql.ParseSDL(shopSDL)
	if err != nil {
		t.Fatal(err)
	}
	cases := shopQueries()
	for name, s := range map[string]*graphql.Schema{"introspection": fromServer, "SDL": fromSDL} {
		guard, err := graphql.NewGuard(s, nil)
		if err != nil {
			t.Fatal(err)
		}
		accepted, taken := 0, 0
		for _, c := range cases {
			query, err := guard.Check(c.query, json.RawMessage(c.variables))
			var values map[string]any
			if c.variables != "" {
				if err := json.Unmarshal([]byte(c.variables), &values); err != nil {
					t.Fatal(err)
				}
			}
			var faults []string
			for _, e := range schema.Exec(t.Context(), c.query, "", values).Errors {
				if e.Message != "the notes are down" {
					faults = append(faults, e.Message)
				}
			}
			if len(faults) == 0 {
				taken++
			}
			if err == nil {
				accepted++
				if result, err := client.Run(t.Context(), query); err != nil {
					t.Errorf("%s: accepted, and refused by the server: %v\n%s", name, err, query.Text())
				} else if len(result.Errors) > 0 && result.Errors[0].Message != "the notes are down" {
					t.Errorf("%s: accepted, and %s\n%s", name, result.Errors[0].Message, query.Text())
				}
			}
			named := strings.Contains(c.query, "} fragment ") // the Guard refuses these
			if named && !errors.Is(err, graphql.ErrNotAllowed) {
				t.Errorf("%s: %v\n%s", name, err, c.query)
			}
			if err != nil && len(faults) == 0 && !named {
				t.Errorf("%s: refused, and taken by the server: %v\n%s %s", name, err, c.query, c.variables)
			}
		}
		t.Logf("%s: %d queries, %d accepted, %d taken by the server", name, len(cases), accepted, taken)
		if accepted < 40 || len(cases)-accepted < 60 {
			t.Errorf("%s: %d of %d accepted: the queries say too little", name, accepted, len(cases))
		}
	}
}

type shopQuery struct{ query, variables string }

// shopQueries returns all combinations of a position and a value, right and wrong.
func shopQueries() []shopQuery {
	list := []shopQuery{
		{query: ``}, {query: `{`}, {query: `{ rate(of: 1) } }`}, {query: `{ rate(of: 1) } { rate(of: 2) }`}, {query: `query A { rate(of: 1) } query B { rate(of: 2) }`}, {query: `{ rate(of: 1, ) }`},
	}
	add := func(format string, fills ...string) {
		for _, fill := range fills {
			list = append(list, shopQuery{query: strings.ReplaceAll(format, "%", fill)})
		}
	}
	add(`{ party(id: 1) { % } }`, `id`, `name`, `__typename`, `a: id b: id`, `nme`, `ssn`, `id { x }`, `... on Person { ssn boss { name } }`, `... on Firm { staff { name } }`,
		`... on Order { number }`, `... on Nope { id }`, `... on Status { id }`, `id @skip(if: true)`, `id @skip`, `id @include(if: "x")`, `id @nope`, `id(x: 1)`, `... @include(if: true) { id }`,
		`...F`, `a: id a: name`, `a: id a: id`, `... on Person { old }`, `... on Party { id }`)
	add(`{ orders(tenant: "a" %) { number } }`, ``, `first: 1`, `first: 1.5`, `first: "1"`, `first: 3000000000`, `first: -1`, `frst: 1`, `first: 1 first: 1`,
		`filter: {}`, `filter: null`, `filter: {status: OPEN}`, `filter: {status: "OPEN"}`, `filter: {status: GONE}`, `filter: {status: null}`, `filter: {sttus: OPEN}`, `filter: {status: OPEN status: OPEN}`,
		`filter: {minimum: 1}`, `filter: {minimum: 1.5}`, `filter: {minimum: "1"}`, `filter: {any: [{status: OPEN}, {}]}`, `filter: {any: {status: OPEN}}`, `filter: {any: [null]}`, `filter: {any: 1}`,
		`filter: {placed: {from: "2024-01-01T00:00:00Z"}}`, `filter: {placed: {}}`, `filter: {placed: {to: "2024-01-01T00:00:00Z"}}`, `filter: []`, `filter: "x"`, `filter: $f`)
	add(`{ rate(%) }`, `of: 1`, `of: 1.5`, `of: "1"`, `of: true`, `of: null`, ``, `of: 1 exact: true`, `of: 1 exact: "true"`, `of: 1 exact: 1`, `of: 1 at: 1`, `of: 1 at: [1, 2]`, `of: 1 at: [1, null]`, `of: 1 at: [[1]]`, `of: 1 at: "x"`, `of: 1 at: null`)
	add(`{ % }`, `orders(tenant: 1) { number tags status buyer { name } }`, `orders { number }`, `orders(tenant: 1)`, `orders(tenant: 1) { tags { x } }`, `orders(tenant: 1.5) { number }`, `find(text: "a") { __typename }`,
		`find(text: "a") { id }`, `find(text: "a") { ... on Party { id } }`, `find(text: "a", limit: 1) { ... on Person { id } ... on Firm { id } }`, `find(text: 1) { __typename }`, `find(text: """a""") { __typename }`,
		`order(by: {id: 1}) { number }`, `order(by: {number: 1}) { number note }`, `nope`, `Root { id }`, `x: rate(of: 1) y: rate(of: 2)`, `x: rate(of: 1) x: rate(of: 2)`, `rate(of: 1) rate(of: 1)`)
	add(`query % { rate(of: 1) }`, `Q`, `Q($a: Int)`, `@skip(if: true)`, `($a: Nope)`, `($a: Order)`)
	add(`{ party(id: 1) { ...F } } %`, `fragment F on Party { id }`, `fragment F on Person { ssn }`, `fragment F on Order { number }`, `fragment G on Party { id }`, `fragment F on Party { ...F }`,
		`fragment F on Party { ...G } fragment G on Party { id }`, `fragment F on Party { ...G } fragment G on Party { ...F }`, `fragment F on Party { id } fragment G on Party { id }`, `fragment F on Nope { id }`, `fragment F on Status { id }`)
	variables := func(query string, values ...string) {
		for _, v := range values {
			list = append(list, shopQuery{query: query, variables: v})
		}
	}
	variables(`query($v: Float!) { rate(of: $v) }`, `{"v": 1}`, `{"v": 1.5}`, `{"v": "1"}`, `{"v": null}`, `{}`, `{"v": true}`, `{"v": []}`)
	variables(`query($v: Int) { orders(tenant: 1, first: $v) { number } }`, `{"v": 1}`, `{"v": 1.5}`, `{"v": "1"}`, `{"v": true}`)
	variables(`query($v: Filter) { orders(tenant: 1, filter: $v) { number } }`, `{"v": {}}`, `{"v": null}`, `{}`, `{"v": {"status": "OPEN"}}`, `{"v": {"status": "GONE"}}`, `{"v": {"status": 1}}`,
		`{"v": {"placed": {"from": "2024-01-01T00:00:00Z"}}}`, `{"v": {"placed": {}}}`, `{"v": {"any": [{"minimum": 1}]}}`, `{"v": {"minimum": "x"}}`, `{"v": 1}`)
	variables(`query($v: String!) { find(text: $v) { __typename } }`, `{"v": "a"}`, `{"v": 1}`, `{"v": null}`)
	variables(`query($v: Boolean) { rate(of: 1, exact: $v) }`, `{"v": true}`, `{"v": "true"}`, `{"v": 1}`)
	variables(`query($v: [Int!]) { rate(of: 1, at: $v) }`, `{"v": [1]}`, `{"v": []}`, `{"v": ["x"]}`, `{"v": [null]}`)
	variables(`query($v: Int) { rate(of: $v) }`, `{"v": 1}`)
	variables(`query($v: Float) { rate(of: $v) }`, `{"v": 1}`)
	variables(`query($v: Float = 1) { rate(of: $v) }`, `{"v": 1}`, `{}`)
	variables(`query($v: Float = "x") { rate(of: $v) }`, `{"v": 1}`)
	variables(`query($v: Float) { rate(of: 1) }`, `{"v": 1}`)
	variables(`query($w: Float!) { rate(of: $v) }`, `{"v": 1, "w": 1}`)
	return list
}

// The schema of a server that fails.
func TestGraphQLServerIsDown(t *testing.T) {
	var calls atomic.Int32
	schema := server.MustParseSchema(shopSDL, &shopRoot{})
	handler := &relay.Handler{Schema: schema}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1) <= 2 {
			w.WriteHeader(http.StatusBadGateway)
			fmt.Fprint(w, "<html>down</html>")
			return
		}
		handler.ServeHTTP(w, r)
	}))
	defer s.Close()
	for _, test := range []struct {
		attempts int
		want     error
	}{
		{1, graphql.ErrUnavailable},
		{3, nil},
	} {
		client, err := graphql.NewClient(s.URL, &graphql.ClientOptions{Retry: retry.Policy{Attempts: test.attempts, Wait: time.Millisecond}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.Schema(t.Context()); !errors.Is(err, test.want) {
			t.Errorf("got %v, want %v", err, test.want)
		}
	}
}
