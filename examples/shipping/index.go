package shipping

import (
	"context"
	_ "embed"
	"encoding/json"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/examples/internal/cluster"
)

// The indices.
const (
	ShipmentIndex  = "qed-shipments"
	ContainerIndex = "qed-containers"
)

var indices = []string{ShipmentIndex, ContainerIndex}

// tenantField says whose a document is.
const tenantField = "tenant_id"

// about says what the sources of queries hold, for a model.
var about = map[string]string{
	ShipmentIndex: "shipments, one document each; port_name and port_id are where it goes, origin_port_name and origin_port_id where it comes from; " +
		"arrival_date is when it arrived, and is missing before; delay_hours is from eta to arrival_date, negative where it was early; " +
		"status is booked, in_transit, arrived or delivered",
	ContainerIndex: "the containers of shipments; port_name is where a container is, and is missing at sea and with a customer; " +
		"status is booked, at_sea, discharged, customs_hold or delivered",
	graphqlSource: "one shipment, container, port or vessel, by its number or name, with what belongs to it",
}

//go:embed data/shipments.json
var shipmentMapping []byte

//go:embed data/containers.json
var containerMapping []byte

var mappings = map[string][]byte{ShipmentIndex: shipmentMapping, ContainerIndex: containerMapping}

// Recording is what Elasticsearch answers to the scenarios, for package estest.
//
//go:embed data/recording.jsonl
var Recording []byte

// NewValidator returns what stands before the indices: the [Company]'s users see its
// own shipments and containers alone.
func NewValidator() (*esquery.Validator, error) {
	parsed := map[string]*esquery.Mapping{}
	for _, index := range indices {
		m, err := esquery.ParseMapping(mappings[index])
		if err != nil {
			return nil, err
		}
		parsed[index] = m
	}
	return esquery.NewValidator(parsed, &esquery.Options{
		Filter:    json.RawMessage(`{"term":{"` + tenantField + `":"` + Company + `"}}`),
		Sensitive: []string{tenantField},
	})
}

// Fill makes the indices, with the documents of both companies, where the cluster does
// not have them.
func Fill(ctx context.Context, transport esapi.Transport) error {
	world := Story()
	return cluster.Fill(ctx, transport,
		cluster.Index{Name: ShipmentIndex, Mapping: shipmentMapping, Documents: func(yield func(string, any) bool) {
			for _, s := range world.Shipments {
				if !yield(s.ID, s) {
					return
				}
			}
		}},
		cluster.Index{Name: ContainerIndex, Mapping: containerMapping, Documents: func(yield func(string, any) bool) {
			for _, c := range world.Containers {
				if !yield(c.Number, c) {
					return
				}
			}
		}},
	)
}
