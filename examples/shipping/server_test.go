package shipping_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/examples/shipping"
	"github.com/qedkit/qed/query/graphql"
)

// serve starts the GraphQL server and returns a function that queries it as a user of
// the company.
func serve(t *testing.T) func(query string) (string, error) {
	t.Helper()
	server, err := shipping.Serve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	client, err := graphql.NewClient(server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	guard, err := shipping.NewGuard()
	if err != nil {
		t.Fatal(err)
	}
	return func(query string) (string, error) {
		q, err := guard.Check(query, nil)
		if err != nil {
			return "", err
		}
		result, err := client.Run(t.Context(), q)
		if err != nil {
			return "", err
		}
		if len(result.Errors) > 0 {
			return "", errors.New(result.Errors[0].Message)
		}
		return string(result.Data), nil
	}
}

func TestServer(t *testing.T) {
	ask := serve(t)
	var own, other shipping.Shipment
	for _, s := range shipping.Story().Shipments {
		if s.Company == shipping.Company {
			own = s
		} else {
			other = s
		}
	}
	for _, tt := range []struct{ name, query, want string }{
		{"a shipment", `{shipment(id: "` + own.ID + `") {id status destination {name} vessel {imo} containers {number}}}`, `{"shipment":{"id":"` + own.ID +
			`","status":"` + own.Status + `","destination":{"name":"` + own.PortName + `"},"vessel":{"imo":"` + own.VesselIMO + `"},"containers":` + numbers(t, own) + `}}`},
		{"its container", `{container(number: "` + own.Containers[0] + `") {shipment {id}}}`, `{"container":{"shipment":{"id":"` + own.ID + `"}}}`},
		{"a port", `{port(name: "port of miami") {id country}}`, `{"port":{"id":"USMIA","country":"United States"}}`},
		{"a vessel", `{vessel(name: "MSC ANNA") {carrier}}`, `{"vessel":{"carrier":"MSC"}}`},
		{"another company's shipment", `{shipment(id: "` + other.ID + `") {id}}`, `{"shipment":null}`},
		{"another company's container", `{container(number: "` + other.Containers[0] + `") {number}}`, `{"container":null}`},
		{"nothing of that name", `{vessel(name: "NAUTILUS") {imo}}`, `{"vessel":null}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ask(tt.query)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("the answer (-want +got):\n%s", diff)
			}
		})
	}
	if _, err := ask(`{shipment(id: "` + other.ID + `", company: "red-ensign") {id}}`); !errors.Is(err, graphql.ErrFixedArgument) {
		t.Errorf("asking for another company: error = %v, want %v", err, graphql.ErrFixedArgument)
	}
}

// TestVesselShipments checks that a user sees only the company's shipments on a vessel,
// and no more than the limit.
func TestVesselShipments(t *testing.T) {
	answer, err := serve(t)(`{vessel(name: "MSC ANNA") {shipments(limit: 40) {id}}}`)
	if err != nil {
		t.Fatal(err)
	}
	var read struct {
		Vessel struct {
			Shipments []struct{ ID string }
		}
	}
	if err := json.Unmarshal([]byte(answer), &read); err != nil {
		t.Fatal(err)
	}
	own := map[string]bool{}
	for _, s := range shipping.Story().Shipments {
		own[s.ID] = s.Company == shipping.Company
	}
	if n := len(read.Vessel.Shipments); n != 40 {
		t.Errorf("%d shipments, want 40", n)
	}
	for _, s := range read.Vessel.Shipments {
		if !own[s.ID] {
			t.Errorf("shipment %s is not the company's", s.ID)
		}
	}
}

func numbers(t *testing.T, s shipping.Shipment) string {
	t.Helper()
	type node struct {
		Number string `json:"number"`
	}
	var nodes []node
	for _, number := range s.Containers {
		nodes = append(nodes, node{number})
	}
	text, err := json.Marshal(nodes)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
