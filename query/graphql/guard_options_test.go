package graphql_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/query/graphql"
	"github.com/qedkit/qed/refusal"
)

var secrets = []string{"Customer.ssn", "Employee.salary", "OrderFilter.ssn", "Status.FRAUD"}

func TestSensitiveFieldsDoNotExist(t *testing.T) {
	g := newGuard(t, shop, &graphql.GuardOptions{Sensitive: secrets})
	if text := g.Describe(0); strings.Contains(text, "ssn") || strings.Contains(text, "salary") || strings.Contains(text, "FRAUD") {
		t.Errorf("the description names what is sensitive:\n%s", text)
	}
	// A query that names something sensitive gets the same error as a query with a
	// name that does not exist.
	for _, test := range []struct{ name, query, vars string }{
		{name: "field", query: `{ customer(id: 1) { %s } }`},
		{name: "alias", query: `{ customer(id: 1) { id: %s } }`},
		{name: "inline fragment", query: `{ people { ... on Customer { %s } } }`},
		{name: "union", query: `{ search(text: "") { ... on Customer { %s } } }`},
		{name: "interface", query: `{ people { %s } }`},
		{name: "input field", query: `{ orders(tenant: 1, filter: {%s: "1"}) { id } }`},
		{name: "input field in a variable", query: `query($f: OrderFilter) { orders(tenant: 1, filter: $f) { id } }`, vars: `{"f": {"and": [{"%s": "1"}]}}`},
		{name: "default of a variable", query: `query($f: OrderFilter = {%s: "1"}) { orders(tenant: 1, filter: $f) { id } }`},
		{name: "enum value", query: `{ orders(tenant: 1, filter: {status: %s}) { id } }`},
	} {
		t.Run(test.name, func(t *testing.T) {
			messages := map[string]string{}
			for _, name := range []string{"ssn", "zzz", "salary", "FRAUD"} {
				fill := func(s string) string { return strings.ReplaceAll(s, "%s", name) }
				_, err := g.Check(fill(test.query), json.RawMessage(fill(test.vars)))
				if err == nil {
					t.Fatalf("accepted with %s", name)
				}
				text, _ := json.Marshal(problems(t, err))
				text = []byte(strings.ReplaceAll(string(text), name, "?"))
				for _, secret := range []string{"ssn", "salary", "FRAUD"} {
					if strings.Contains(string(text), secret) {
						t.Errorf("the error about %s names %s: %s", name, secret, text)
					}
				}
				messages[name] = string(text)
			}
			if messages["ssn"] != messages["zzz"] {
				t.Errorf("the error differs:\n%s\n%s", messages["ssn"], messages["zzz"])
			}
		})
	}
	// Default values of the server do not reveal sensitive names.
	g = newGuard(t, `type Query { a(s: Status = FRAUD, l: [Status] = [OPEN, FRAUD], f: F = {ssn: "x"}, ok: Status = OPEN): Int }
		enum Status { OPEN FRAUD } input F { ssn: String = "y" s: Status = FRAUD n: Int = 3 }`, &graphql.GuardOptions{Sensitive: []string{"Status.FRAUD", "F.ssn"}})
	text := g.Describe(0)
	if strings.Contains(text, "FRAUD") || strings.Contains(text, "ssn") || !strings.Contains(text, "ok: Status = OPEN") || !strings.Contains(text, "n: Int = 3") {
		t.Errorf("the defaults:\n%s", text)
	}
	g = newGuard(t, shop, &graphql.GuardOptions{Sensitive: secrets})
	// Candidates do not reveal sensitive names.
	for _, query := range []string{`{ customer(id: 1) { snn } }`, `{ people { salry } }`, `{ people { ... on Employee { salry } } }`,
		`{ orders(tenant: 1, filter: {sns: 1}) { id } }`, `{ orders(tenant: 1, filter: {status: FRUD}) { id } }`} {
		_, err := g.Check(query, nil)
		for _, p := range problems(t, err) {
			for _, c := range append(p.Candidates, p.Message) {
				if strings.Contains(c, "ssn") || strings.Contains(c, "salary") || strings.Contains(c, "FRAUD") {
					t.Errorf("%s: %+v", query, p)
				}
			}
		}
	}
	if _, err := g.Check(`{ customer(id: 1) { id name } people { name } }`, nil); err != nil {
		t.Errorf("what is not sensitive is refused: %v", err)
	}
}

func TestSensitiveThroughInterfaces(t *testing.T) {
	// A field of an object type is hidden in its interface, but not in other types.
	g := newGuard(t, shop, &graphql.GuardOptions{Sensitive: []string{"Customer.email"}})
	for query, want := range map[string]bool{
		`{ customer(id: 1) { email } }`:                          false,
		`{ people { email } }`:                                   false,
		`{ people { ... on Employee { email } } }`:               true,
		`{ people { ... on Customer { email } } }`:               false,
		`{ people { ... on Node { ... on Person { email } } } }`: false,
	} {
		if _, err := g.Check(query, nil); (err == nil) != want {
			t.Errorf("%s: %v", query, err)
		}
	}
	// A field of an interface is hidden in all its types.
	g = newGuard(t, shop, &graphql.GuardOptions{Sensitive: []string{"Person.email"}})
	for _, query := range []string{`{ people { email } }`, `{ people { ... on Employee { email } } }`, `{ customer(id: 1) { email } }`} {
		if _, err := g.Check(query, nil); !errors.Is(err, graphql.ErrUnknownField) {
			t.Errorf("%s: %v", query, err)
		}
	}
}

func TestFixedArguments(t *testing.T) {
	fixed := map[string]map[string]any{
		"Query.orders":  {"tenant": "acme"},
		"Person.orders": {"tenant": "acme"},
		"Query.search":  {"limit": 3},
	}
	g := newGuard(t, shop, &graphql.GuardOptions{Fixed: fixed})
	if text := g.Describe(0); strings.Contains(text, "tenant") || strings.Contains(text, "limit") {
		t.Errorf("the description has a fixed argument:\n%s", text)
	}
	for _, test := range []struct{ name, query, vars, want, values string }{
		{"put in", `{ orders { id } }`, ``,
			`query($fixed1: ID!) { orders(tenant: $fixed1) { id } }`, `{"fixed1":"acme"}`},
		{"everywhere", `{ a: orders { id } b: orders(first: 1) { id } ... on Query { people { orders { id } ... on Customer { c: orders { id } } } } }`, ``,
			`query($fixed1: ID!, $fixed2: ID, $fixed3: ID) { a: orders(tenant: $fixed1) { id } b: orders(first: 1, tenant: $fixed1) { id } ... on Query` +
				` { people { orders(tenant: $fixed2) { id } ... on Customer { c: orders(tenant: $fixed3) { id } } } } }`,
			`{"fixed1":"acme","fixed2":"acme","fixed3":"acme"}`},
		{"the same value as a literal", `{ orders(tenant: "acme") { id } }`, ``, `query { orders(tenant: "acme") { id } }`, ``},
		{"the same value as a variable", `query($t: ID!) { orders(tenant: $t) { id } }`, `{"t": "acme"}`,
			`query($t: ID!) { orders(tenant: $t) { id } }`, `{"t":"acme"}`},
		{"the same value as a default", `query($t: ID! = "acme") { orders(tenant: $t) { id } }`, ``,
			`query($t: ID! = "acme") { orders(tenant: $t) { id } }`, ``},
		{"a variable of the same name", `query($fixed1: Int) { orders(first: $fixed1) { id } }`, `{"fixed1": 2}`,
			`query($fixed1: Int, $fixed1_: ID!) { orders(first: $fixed1, tenant: $fixed1_) { id } }`, `{"fixed1":2,"fixed1_":"acme"}`},
		{"a number over a default", `{ search(text: "") { __typename } }`, ``,
			`query($fixed1: Int) { search(text: "", limit: $fixed1) { __typename } }`, `{"fixed1":3}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			q, err := g.Check(test.query, json.RawMessage(test.vars))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(test.want, q.Text()); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(test.values, string(q.Variables())); d != "" {
				t.Error(d)
			}
		})
	}
	for _, test := range []struct{ name, query, vars string }{
		{"another literal", `{ orders(tenant: "evil") { id } }`, ``},
		{"null", `{ orders(tenant: null) { id } }`, ``},
		{"another variable", `query($t: ID!) { orders(tenant: $t) { id } }`, `{"t": "evil"}`},
		{"another default", `query($t: ID! = "evil") { orders(tenant: $t) { id } }`, ``},
		{"a value over a default", `query($t: ID! = "acme") { orders(tenant: $t) { id } }`, `{"t": "evil"}`},
		{"a variable without a value", `query($t: ID) { people { orders(tenant: $t) { id } } }`, ``},
		{"through an interface", `{ people { orders(tenant: "evil") { id } } }`, ``},
		{"in an implementation", `{ people { ... on Employee { orders(tenant: "evil") { id } } } }`, ``},
		{"twice, the second another", `{ orders(tenant: "acme", tenant: "evil") { id } }`, ``},
		{"as a list", `query($t: ID!) { orders(tenant: $t) { id } }`, `{"t": ["acme"]}`},
		{"a name without quotes", `{ orders(tenant: acme) { id } }`, ``},
	} {
		t.Run(test.name, func(t *testing.T) {
			q, err := g.Check(test.query, json.RawMessage(test.vars))
			if !errors.Is(err, graphql.ErrFixedArgument) {
				t.Fatalf("got %v, %+v", err, q)
			}
			if strings.Contains(err.Error(), "acme") {
				t.Errorf("the error holds the value: %v", err)
			}
		})
	}
	if _, err := g.Check(`query($fixed1: ID!) { orders(tenant: $fixed1) { id } }`, json.RawMessage(`{"fixed1": "evil"}`)); !errors.Is(err, graphql.ErrFixedArgument) {
		t.Errorf("a variable with the name of a generated one: %v", err)
	}
	if _, err := g.Check(`{ orders { id } }`, json.RawMessage(`{"fixed1": "evil"}`)); !errors.Is(err, graphql.ErrInvalid) {
		t.Errorf("a value with the name of a generated variable: %v", err)
	}

	// A custom scalar may read a name without quotes as null.
	g = newGuard(t, `scalar Tenant type Query { a(t: Tenant, e: E): Int } enum E { A }`, &graphql.GuardOptions{Fixed: map[string]map[string]any{"Query.a": {"t": "acme", "e": "A"}}})
	for query, want := range map[string]bool{
		`{ a(t: "acme", e: A) }`: true, `query($e: E = A) { a(e: $e) }`: true, `{ a(t: acme) }`: false, `query($t: Tenant = acme) { a(t: $t) }`: false,
	} {
		if _, err := g.Check(query, nil); (err == nil) != want {
			t.Errorf("%s: %v", query, err)
		}
	}

	// A fixed argument may name what is sensitive.
	g = newGuard(t, shop, &graphql.GuardOptions{Sensitive: secrets,
		Fixed: map[string]map[string]any{"Query.orders": {"tenant": "acme", "filter": map[string]any{"ssn": "1", "status": "FRAUD"}}}})
	q, err := g.Check(`{ orders { id } }`, nil)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(`{"fixed1":{"ssn":"1","status":"FRAUD"},"fixed2":"acme"}`, string(q.Variables())); d != "" {
		t.Error(d)
	}

	// An argument that one type fixes hides the field in the interface.
	g = newGuard(t, shop, &graphql.GuardOptions{Fixed: map[string]map[string]any{"Customer.orders": {"tenant": "acme"}}})
	if _, err := g.Check(`{ people { orders(tenant: "evil") { id } } }`, nil); !errors.Is(err, graphql.ErrUnknownField) {
		t.Errorf("got %v", err)
	}
	if _, err := g.Check(`{ people { ... on Customer { orders { id } } ... on Employee { orders(tenant: "x") { id } } } }`, nil); err != nil && !errors.Is(err, graphql.ErrInvalid) {
		t.Errorf("got %v", err)
	}
}

func TestLimits(t *testing.T) {
	for _, test := range []struct {
		name, query string
		code        refusal.Code
	}{
		{"bytes", `{ people { id } } #` + strings.Repeat(" ", 70_000), graphql.ErrTooLarge},
		{"tokens", `{ people { id } ` + strings.Repeat("a ", 6_000) + `}`, graphql.ErrTooLarge},
		{"aliases", `{ ` + strings.Repeat("a:people{id}", 600) + `}`, graphql.ErrTooLarge},
		{"directives", `{ people { id ` + strings.Repeat("@skip(if: true) ", 101) + `} }`, graphql.ErrTooLarge},
		{"depth", `{ order(by: {id: 1}) {` + strings.Repeat("parent {", 15) + "id" + strings.Repeat("}", 17), graphql.ErrTooLarge},
		{"lists in a value", `{ orders(tenant: 1, ids: ` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `) { id } }`, graphql.ErrTooLarge},
		{"objects in a default", `query($f: OrderFilter = ` + strings.Repeat("{and:", 40) + "{}" + strings.Repeat("}", 40) + `) { orders(tenant: 1, filter: $f) { id } }`, graphql.ErrTooLarge},
		{"nesting beyond what is parsed", strings.Repeat("{a", 2_000), graphql.ErrTooLarge},
		{"lists", `{ people { orders(first: 1000) { items(first: 1000) { edges { node { sku } } } } } }`, graphql.ErrTooExpensive},
		{"lists without bounds", `{ people { orders { customer { orders { customer { orders { id } } } } } } }`, graphql.ErrTooExpensive},
		{"aliases of lists", `{ ` + strings.Repeat("A: people(first: 1000) { id }", 60) + `}`, graphql.ErrTooExpensive},
		{"a bound beyond counting", `{ people(first: 2147483647) { orders(first: 2147483647) { orders: items(first: 2147483647) { edges { node { sku } } } } } }`, graphql.ErrTooExpensive},
	} {
		t.Run(test.name, func(t *testing.T) {
			query := test.query
			for i := 0; strings.Contains(query, "A:"); i++ {
				query = strings.Replace(query, "A:", fmt.Sprintf("a%d:", i), 1)
			}
			g := newGuard(t, shop, nil)
			if _, err := g.Check(query, nil); !errors.Is(err, test.code) {
				t.Errorf("got %v", err)
			}
		})
	}
	g := newGuard(t, shop, nil)
	if _, err := g.Check(`{ people { id } }`, json.RawMessage(`{"a": "`+strings.Repeat("x", 70_000)+`"}`)); !errors.Is(err, graphql.ErrTooLarge) {
		t.Errorf("variables: %v", err)
	}
	filter := `query($f: OrderFilter) { orders(tenant: 1, filter: $f) { id } }`
	nested := func(n int) json.RawMessage {
		return json.RawMessage(`{"f": ` + strings.Repeat(`{"and":`, n) + "{}" + strings.Repeat("}", n+1))
	}
	if _, err := g.Check(filter, nested(40)); !errors.Is(err, graphql.ErrTooLarge) {
		t.Errorf("objects in a variable: %v", err)
	}
	if _, err := g.Check(filter, nested(10)); err != nil {
		t.Errorf("a few objects in a variable: %v", err)
	}
	if _, err := g.Check(`{ order(by: {id: 1}) {`+strings.Repeat("parent {", 13)+"id"+strings.Repeat("}", 15), nil); err != nil {
		t.Errorf("15 deep: %v", err)
	}
}

func TestCost(t *testing.T) {
	g := newGuard(t, shop, nil)
	for _, test := range []struct {
		query, vars string
		want        int
	}{
		{`{ rate(of: 1) }`, ``, 1},
		{`{ __typename }`, ``, 1},
		{`{ people { id } }`, ``, 1 + 25},
		{`{ people(first: 3) { id name } }`, ``, 1 + 3*2},
		{`query($n: Int) { people(first: $n) { id } }`, `{"n": 7}`, 1 + 7},
		{`query($n: Int = 8) { people(first: $n) { id } }`, ``, 1 + 8},
		{`query($n: Int) { people(first: $n) { id } }`, ``, 1 + 25},
		{`{ people(first: -1) { id } }`, ``, 1 + 25},
		{`{ people(first: 0) { id } }`, ``, 1 + 25},
		{`{ search(text: "") { __typename } }`, ``, 1 + 10},
		{`{ grid { sku } }`, ``, 1 + 625},
		{`{ a: people(first: 1) { id } b: people(first: 1) { id } }`, ``, 4},
		// the argument of a connection bounds its edges, once
		{`{ order(by: {id: 1}) { items(first: 4) { edges { node { sku } } pageInfo { hasNextPage } } } }`, ``, 1 + (1 + 4*((1+(1+1))+(1+1)))},
		{`{ order(by: {id: 1}) { items { edges { node { sku } } } } }`, ``, 1 + (1 + 5*(1+(1+1)))},
	} {
		q, err := g.Check(test.query, json.RawMessage(test.vars))
		if err != nil {
			t.Errorf("%s: %v", test.query, err)
			continue
		}
		if q.Cost() != test.want {
			t.Errorf("%s %s: cost %d, want %d", test.query, test.vars, q.Cost(), test.want)
		}
	}
	g = newGuard(t, `type Query { a(page: Page): [Query!] b(take: Int): [Query!] } input Page { page_size: Int }`, nil)
	for query, want := range map[string]int{
		`query($n: Int) { b(take: $n) { __typename } }`: 26,
		`{ a(page: {page_size: 3}) { __typename } }`:    4,
		`{ b(take: 2) { __typename } }`:                 3,
		`{ b { __typename } }`:                          26,
	} {
		if q, err := g.Check(query, nil); err != nil || q.Cost() != want {
			t.Errorf("%s: %v, %v", query, q, err)
		}
	}
}

// Default values and numbers of custom scalars count.
func TestCostOfDefaults(t *testing.T) {
	g := newGuard(t, `scalar Big type Query { a(first: Int = 70): [Query!] b(page: Page): [Query!] c(first: Big): [Query!] } input Page { limit: Int = 80 after: String }`, nil)
	for query, want := range map[string]int{
		`{ a { __typename } }`:                               71,
		`query($n: Int) { a(first: $n) { __typename } }`:     71,
		`{ a(first: null) { __typename } }`:                  26,
		`{ b { __typename } }`:                               26,
		`{ b(page: {}) { __typename } }`:                     81,
		`{ b(page: {after: "x", limit: 2}) { __typename } }`: 3,
		`{ c(first: "90") { __typename } }`:                  91,
		`{ c(first: "NaN") { __typename } }`:                 26,
		`{ c(first: "x") { __typename } }`:                   26,
	} {
		if q, err := g.Check(query, nil); err != nil || q.Cost() != want {
			t.Errorf("%s: %+v, %v", query, q, err)
		}
	}
	g = newGuard(t, `type Query { grid: [[[Query!]]] }`, nil)
	if _, err := g.Check(`{ grid { grid { grid { __typename } } } }`, nil); !errors.Is(err, graphql.ErrTooExpensive) {
		t.Errorf("got %v", err)
	}
}

func TestOptionsMustFitTheSchema(t *testing.T) {
	schema, err := graphql.ParseSDL(shop)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name      string
		opt       graphql.GuardOptions
		candidate string
	}{
		{"unknown type", graphql.GuardOptions{Sensitive: []string{"Custmer.ssn"}}, "Customer"},
		{"unknown field", graphql.GuardOptions{Sensitive: []string{"Customer.sn"}}, "ssn"},
		{"no field", graphql.GuardOptions{Sensitive: []string{"Customer"}}, ""},
		{"unknown argument", graphql.GuardOptions{Fixed: map[string]map[string]any{"Query.orders": {"tenat": 1}}}, "tenant"},
		{"value of another type", graphql.GuardOptions{Fixed: map[string]map[string]any{"Query.people": {"first": "x"}}}, ""},
		{"null for what is required", graphql.GuardOptions{Fixed: map[string]map[string]any{"Query.orders": {"tenant": nil}}}, ""},
		{"no JSON", graphql.GuardOptions{Fixed: map[string]map[string]any{"Query.orders": {"tenant": func() {}}}}, ""},
		{"field of an input", graphql.GuardOptions{Fixed: map[string]map[string]any{"OrderFilter.ssn": {"x": 1}}}, ""},
		{"two values", graphql.GuardOptions{Fixed: map[string]map[string]any{"Person.orders": {"tenant": "a"}, "Customer.orders": {"tenant": "b"}}}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := graphql.NewGuard(schema, &test.opt)
			if !errors.Is(err, graphql.ErrInvalidOptions) {
				t.Fatalf("got %v", err)
			}
			if c := problems(t, err)[0].Candidates; test.candidate != "" && (len(c) == 0 || c[0] != test.candidate) {
				t.Errorf("candidates %q", c)
			}
		})
	}
	if _, err := graphql.NewGuard(nil, nil); !errors.Is(err, graphql.ErrInvalidOptions) {
		t.Errorf("no schema: %v", err)
	}
	if _, err := graphql.NewGuard(&graphql.Schema{}, nil); !errors.Is(err, graphql.ErrInvalidOptions) {
		t.Errorf("empty schema: %v", err)
	}
}
