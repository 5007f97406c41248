package shipping

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	server "github.com/graph-gophers/graphql-go"
	"github.com/graph-gophers/graphql-go/relay"

	"github.com/qedkit/qed/query/graphql"
)

//go:embed data/schema.graphql
var sdl string

// NewGuard returns the guard of the GraphQL server. Code adds the company to each query;
// a query cannot name another one.
func NewGuard() (*graphql.Guard, error) {
	schema, err := graphql.ParseSDL(sdl)
	if err != nil {
		return nil, err
	}
	own := map[string]any{"company": Company}
	return graphql.NewGuard(schema, &graphql.GuardOptions{Fixed: map[string]map[string]any{
		"Query.shipment": own, "Query.container": own, "Vessel.shipments": own,
	}})
}

// Server is a GraphQL server for single shipments, containers, ports and vessels. It
// listens on localhost only.
type Server struct {
	// URL is the endpoint.
	URL string

	http *http.Server
	done chan struct{}
}

// Serve starts a Server. Close stops it.
func Serve(ctx context.Context) (*Server, error) {
	schema, err := server.ParseSchema(sdl, newRoot(Story()), server.MaxDepth(20))
	if err != nil {
		return nil, fmt.Errorf("shipping: %w", err)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("shipping: the GraphQL server: %w", err)
	}
	s := &Server{
		URL:  "http://" + listener.Addr().String() + "/graphql",
		http: &http.Server{Handler: &relay.Handler{Schema: schema}, ReadHeaderTimeout: 10 * time.Second},
		done: make(chan struct{}),
	}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(listener) // returns after Close
	}()
	return s, nil
}

// Close stops the server and waits for it.
func (s *Server) Close() error {
	err := s.http.Close()
	<-s.done
	return err
}

// root resolves the queries.
type root struct {
	world      *World
	shipments  map[string]*Shipment
	containers map[string]*Container
}

func newRoot(w *World) *root {
	r := &root{w, map[string]*Shipment{}, map[string]*Container{}}
	for i := range w.Shipments {
		r.shipments[w.Shipments[i].ID] = &w.Shipments[i]
	}
	for i := range w.Containers {
		r.containers[w.Containers[i].Number] = &w.Containers[i]
	}
	return r
}

func (r *root) Shipment(args struct{ ID, Company server.ID }) *shipmentNode {
	s := r.shipments[string(args.ID)]
	if s == nil || s.Company != string(args.Company) {
		return nil
	}
	return &shipmentNode{r, s}
}

func (r *root) Container(args struct{ Number, Company server.ID }) *containerNode {
	c := r.containers[string(args.Number)]
	if c == nil || c.Company != string(args.Company) {
		return nil
	}
	return &containerNode{r, c}
}

func (r *root) Port(args struct {
	ID   *server.ID
	Name *string
}) (*portNode, error) {
	if (args.ID == nil) == (args.Name == nil) {
		return nil, errors.New("port takes an id or a name")
	}
	for i := range r.world.Ports {
		if p := &r.world.Ports[i]; args.ID != nil && p.ID == string(*args.ID) || args.Name != nil && strings.EqualFold(p.Name, *args.Name) {
			return &portNode{p}, nil
		}
	}
	return nil, nil
}

func (r *root) Vessel(args struct {
	IMO  *server.ID
	Name *string
}) (*vesselNode, error) {
	if (args.IMO == nil) == (args.Name == nil) {
		return nil, errors.New("vessel takes an imo or a name")
	}
	for i := range r.world.Vessels {
		if v := &r.world.Vessels[i]; args.IMO != nil && v.IMO == string(*args.IMO) || args.Name != nil && strings.EqualFold(v.Name, *args.Name) {
			return &vesselNode{r, v}, nil
		}
	}
	return nil, nil
}

// port returns the port with an id that exists.
func (r *root) port(id string) *portNode {
	i := slices.IndexFunc(r.world.Ports, func(p Port) bool { return p.ID == id })
	return &portNode{&r.world.Ports[i]}
}

// latest returns a company's shipments on a vessel, the latest departure first.
func (r *root) latest(vessel, company string) []*Shipment {
	var found []*Shipment
	for i := range r.world.Shipments {
		if s := &r.world.Shipments[i]; s.VesselIMO == vessel && s.Company == company {
			found = append(found, s)
		}
	}
	slices.SortStableFunc(found, func(a, b *Shipment) int {
		return cmp.Or(b.Departure.Compare(a.Departure), strings.Compare(a.ID, b.ID))
	})
	return found
}
