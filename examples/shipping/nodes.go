package shipping

import (
	"slices"
	"time"

	server "github.com/graph-gophers/graphql-go"
)

// These types implement the types of the GraphQL schema.
type (
	shipmentNode struct {
		root *root
		*Shipment
	}
	containerNode struct {
		root *root
		*Container
	}
	portNode   struct{ *Port }
	vesselNode struct {
		root *root
		*Vessel
	}
)

func (n *shipmentNode) ID() server.ID              { return server.ID(n.Shipment.ID) }
func (n *shipmentNode) Status() string             { return n.Shipment.Status }
func (n *shipmentNode) Carrier() string            { return n.Shipment.Carrier }
func (n *shipmentNode) Origin() *portNode          { return n.root.port(n.OriginID) }
func (n *shipmentNode) Destination() *portNode     { return n.root.port(n.PortID) }
func (n *shipmentNode) DepartureDate() server.Time { return server.Time{Time: n.Departure} }
func (n *shipmentNode) ETA() server.Time           { return server.Time{Time: n.Shipment.ETA} }
func (n *shipmentNode) ArrivalDate() *server.Time  { return timeOf(n.Arrival) }
func (n *shipmentNode) DelayHours() *float64       { return n.Shipment.DelayHours }
func (n *shipmentNode) WeightKg() int32            { return int32(n.WeightKG) }

func (n *shipmentNode) Vessel() *vesselNode {
	i := slices.IndexFunc(n.root.world.Vessels, func(v Vessel) bool { return v.IMO == n.VesselIMO })
	return &vesselNode{n.root, &n.root.world.Vessels[i]}
}

func (n *shipmentNode) Containers() []*containerNode {
	nodes := []*containerNode{}
	for _, number := range n.Shipment.Containers {
		nodes = append(nodes, &containerNode{n.root, n.root.containers[number]})
	}
	return nodes
}

func (n *containerNode) Number() server.ID        { return server.ID(n.Container.Number) }
func (n *containerNode) Kind() string             { return n.Container.Kind }
func (n *containerNode) Status() string           { return n.Container.Status }
func (n *containerNode) LastMovedAt() server.Time { return server.Time{Time: n.MovedAt} }

func (n *containerNode) Shipment() *shipmentNode {
	return &shipmentNode{n.root, n.root.shipments[n.ShipmentID]}
}

func (n *containerNode) Port() *portNode {
	if n.PortID == "" {
		return nil
	}
	return n.root.port(n.PortID)
}

func (n *portNode) ID() server.ID   { return server.ID(n.Port.ID) }
func (n *portNode) Name() string    { return n.Port.Name }
func (n *portNode) City() string    { return n.Port.City }
func (n *portNode) Country() string { return n.Port.Country }

func (n *vesselNode) IMO() server.ID  { return server.ID(n.Vessel.IMO) }
func (n *vesselNode) Name() string    { return n.Vessel.Name }
func (n *vesselNode) Carrier() string { return n.Vessel.Carrier }
func (n *vesselNode) Flag() string    { return n.Vessel.Flag }
func (n *vesselNode) TEU() int32      { return int32(n.Vessel.TEU) }

func (n *vesselNode) Shipments(args struct {
	Company server.ID
	Limit   int32
}) []*shipmentNode {
	nodes := []*shipmentNode{}
	for _, s := range n.root.latest(n.Vessel.IMO, string(args.Company)) {
		if len(nodes) >= int(args.Limit) {
			break
		}
		nodes = append(nodes, &shipmentNode{n.root, s})
	}
	return nodes
}

// timeOf returns nil for the zero time.
func timeOf(t time.Time) *server.Time {
	if t.IsZero() {
		return nil
	}
	return &server.Time{Time: t}
}
