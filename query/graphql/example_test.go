package graphql_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/qedkit/qed/query/graphql"
	"github.com/qedkit/qed/refusal"
)

const company = `
type Query { employees(tenant: ID!, first: Int = 20): [Employee!]! }
type Employee { id: ID! name: String! salary: Float }
`

func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Println("sent:", string(body))
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"data":{"employees":[{"name":"Ada"}]}}`)
	}))
	defer server.Close()

	schema, err := graphql.ParseSDL(company) // or Client.Schema, or ParseIntrospection
	if err != nil {
		fmt.Println(err)
		return
	}
	guard, err := graphql.NewGuard(schema, &graphql.GuardOptions{
		Sensitive: []string{"Employee.salary"},
		Fixed:     map[string]map[string]any{"Query.employees": {"tenant": "acme"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	client, err := graphql.NewClient(server.URL, nil)
	if err != nil {
		fmt.Println(err)
		return
	}

	query, err := guard.Check(`query Names($n: Int) { employees(first: $n) { name } }`, json.RawMessage(`{"n": 3}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := client.Run(context.Background(), query)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("got:", string(result.Data), len(result.Errors))
	// Output:
	// sent: {"query":"query Names($n: Int, $fixed1: ID!) { employees(first: $n, tenant: $fixed1) { name } }","variables":{"fixed1":"acme","n":3}}
	// got: {"employees":[{"name":"Ada"}]} 0
}

func ExampleGuard_Check() {
	schema, err := graphql.ParseSDL(company)
	if err != nil {
		fmt.Println(err)
		return
	}
	guard, err := graphql.NewGuard(schema, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = guard.Check("{ employees(tenant: 1) { nmae } }", nil)
	fmt.Println(errors.Is(err, graphql.ErrUnknownField))
	var e *refusal.Error
	if errors.As(err, &e) {
		for _, p := range e.Problems {
			fmt.Println(p.Line, p.Column, p.Message, p.Candidates)
		}
	}
	// Output:
	// true
	// 1 26 the type Employee has no field "nmae" [name]
}

func ExampleGuard_Describe() {
	schema, err := graphql.ParseSDL(`
		type Query { employees(tenant: ID!, first: Int = 20): [Employee!]! }
		"Who works here"
		type Employee { name: String! "per month" salary: Float state: State }
		enum State { HIRED LEFT }`)
	if err != nil {
		fmt.Println(err)
		return
	}
	guard, err := graphql.NewGuard(schema, &graphql.GuardOptions{
		Sensitive: []string{"Employee.salary"},
		Fixed:     map[string]map[string]any{"Query.employees": {"tenant": "acme"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(guard.Describe(0))
	// Output:
	// type Query {
	//   employees(first: Int = 20): [Employee!]!
	// }
	// type Employee { # "Who works here"
	//   name: String!
	//   state: State
	// }
	// enum State {
	//   HIRED
	//   LEFT
	// }
}
