// Package shipping is a freight company, for examples and tests: its shipments,
// vessels, ports and containers. Indices of Elasticsearch answer questions about many of
// them, a GraphQL server questions about one. Both hold the data of another company too.
package shipping

import (
	"fmt"
	"sync"
	"time"
)

// Company is the company of the users. They must not see a shipment or container of
// another one.
const Company = "blue-anchor"

// rival is the other company in the same indices.
const rival = "red-ensign"

// Now is the time at which the company's story ends. No event has a later date. Last
// week is the seven days before this day.
var Now = time.Date(2025, time.January, 15, 10, 30, 0, 0, time.UTC)

// Port is a port, or a terminal of one.
type Port struct {
	ID      string // its UN/LOCODE, followed by the terminal if it has several
	Name    string
	City    string
	Country string
}

// Vessel is a ship, identified by its IMO number.
type Vessel struct {
	IMO     string
	Name    string
	Carrier string
	Flag    string
	TEU     int // its capacity in twenty-foot containers
}

// Shipment is a shipment of goods from one port to another.
type Shipment struct {
	Company    string    `json:"tenant_id"`
	ID         string    `json:"shipment_id"`
	Status     string    `json:"status"` // booked, in_transit, arrived or delivered
	Carrier    string    `json:"carrier"`
	VesselName string    `json:"vessel_name"`
	VesselIMO  string    `json:"vessel_imo"`
	OriginID   string    `json:"origin_port_id"`
	OriginName string    `json:"origin_port_name"`
	PortID     string    `json:"port_id"` // the destination
	PortName   string    `json:"port_name"`
	Departure  time.Time `json:"departure_date"`
	ETA        time.Time `json:"eta"`
	Arrival    time.Time `json:"arrival_date,omitzero"` // zero: not arrived
	DelayHours *float64  `json:"delay_hours,omitempty"` // from ETA to Arrival; negative: early
	WeightKG   int       `json:"weight_kg"`
	Containers []string  `json:"containers"` // their numbers
}

// Container carries a shipment or a part of it.
type Container struct {
	Company    string    `json:"tenant_id"`
	Number     string    `json:"container_number"` // according to ISO 6346
	Kind       string    `json:"kind"`             // 20GP, 40HC or 40RF
	Status     string    `json:"status"`           // booked, at_sea, discharged, customs_hold or delivered
	ShipmentID string    `json:"shipment_id"`
	PortID     string    `json:"port_id,omitempty"` // where it is; empty: at sea or with a customer
	PortName   string    `json:"port_name,omitempty"`
	MovedAt    time.Time `json:"last_moved_at"`
}

// World is the data of both companies. It is read-only.
type World struct {
	Ports      []Port
	Vessels    []Vessel
	Shipments  []Shipment
	Containers []Container
}

// Story returns the same world every time, on every platform.
var Story = sync.OnceValue(func() *World {
	w := &writer{dice: newDice(), world: &World{Ports: ports, Vessels: vessels()}, landed: map[time.Time]int{}}
	w.write()
	return w.world
})

// imo appends its check digit to the first six digits of an IMO number.
func imo(six int) string {
	sum := 0
	for rest, weight := six, 2; rest > 0; rest, weight = rest/10, weight+1 {
		sum += rest % 10 * weight
	}
	return fmt.Sprintf("%06d%d", six, sum%10)
}

// containerNumber appends its check digit to an owner's code and a serial number.
func containerNumber(owner string, serial int) string {
	text := fmt.Sprintf("%s%06d", owner, serial)
	sum := 0
	for i, c := range text {
		value := int(c - '0')
		if c >= 'A' {
			n := int(c-'A') + 10
			value = n + (n-1)/10 // the multiples of 11 are left out
		}
		sum += value << i
	}
	return fmt.Sprintf("%s%d", text, sum%11%10)
}
