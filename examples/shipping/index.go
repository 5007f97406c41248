package shipping

import (
	"context"
	_ "embed"
	"encoding/json"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/examples/internal/cluster"
)

// The names of the indices.
const (
	ShipmentIndex  = "qed-shipments"
	ContainerIndex = "qed-containers"
)

var indices = []string{ShipmentIndex, ContainerIndex}

// tenantField is the field with the company that owns a document.
const tenantField = "tenant_id"

// about describes the sources of queries to the model.
var about = map[string]string{
	ShipmentIndex: "shipments, one document each; port_name and port_id are the destination, origin_port_name and origin_port_id the origin; " +
		"arrival_date is missing before the arrival; delay_hours is from eta to arrival_date, negative for an early arrival; " +
		"status is booked, in_transit, arrived or delivered",
	ContainerIndex: "the containers of shipments; port_name is the location of a container, and is missing at sea and with a customer; " +
		"status is booked, at_sea, discharged, customs_hold or delivered",
	graphqlSource: "one shipment, container, port or vessel, by its number or name, with what belongs to it",
}

//go:embed data/shipments.json
var shipmentMapping []byte

//go:embed data/containers.json
var containerMapping []byte

var mappings = map[string][]byte{ShipmentIndex: shipmentMapping, ContainerIndex: containerMapping}

// Recording holds the answers of Elasticsearch to the scenarios, for package estest.
//
//go:embed data/recording.jsonl
var Recording []byte

// NewValidator returns the validator of searches. The users of [Company] see only its
// own shipments and containers.
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

// Fill creates the indices, with the documents of both companies, if the cluster does
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
