package graphqlsource_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/qedkit/qed/query/graphql"
	"github.com/qedkit/qed/query/graphql/graphqlsource"
)

func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"data":{"vessel":{"name":"MSC Anna","calls":[{"port":{"name":"Miami"},"hours":31.5},{"port":{"name":"Tampa"},"hours":12}]}}}`)
	}))
	defer server.Close()

	schema, err := graphql.ParseSDL(`
		type Query { vessel(imo: ID!): Vessel }
		type Vessel { name: String! calls: [Call!]! }
		type Call { port: Port! hours: Float }
		type Port { name: String! }`)
	if err != nil {
		fmt.Println(err)
		return
	}
	guard, err := graphql.NewGuard(schema, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	client, err := graphql.NewClient(server.URL, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	vessels, err := graphqlsource.New("vessels", "", client, guard)
	if err != nil {
		fmt.Println(err)
		return
	}

	found, err := vessels.Run(context.Background(), json.RawMessage(`{"query":"{ vessel(imo: 9839284) { name calls { port { name } hours } } }"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(found.Table.Columns)
	for _, row := range found.Table.Rows {
		fmt.Println(row...)
	}
	fmt.Println(found.HowToRetrieve)
	// Output:
	// [{vessel.name String} {port.name String} {hours Float}]
	// MSC Anna Miami 31.5
	// MSC Anna Tampa 12
	// GraphQL service vessels: vessel(imo: 9839284)
}
