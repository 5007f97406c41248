package shipping

import (
	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/resolve"
)

// newNames returns the entities that a name can mean: ports and vessels, by their names
// and by the user's aliases.
func newNames(user User) (*resolve.Catalog, error) {
	world := Story()
	var all []resolve.Entity
	for _, p := range world.Ports {
		e := resolve.Entity{Kind: "port", Name: p.Name, ID: p.ID, Attributes: map[string]string{"city": p.City, "country": p.Country}}
		for alias, id := range user.Aliases {
			if id == p.ID {
				e.Aliases = append(e.Aliases, alias)
			}
		}
		all = append(all, e)
	}
	for _, v := range world.Vessels {
		all = append(all, resolve.Entity{Kind: "vessel", Name: v.Name, ID: v.IMO, Attributes: map[string]string{"carrier": v.Carrier, "flag": v.Flag}})
	}
	return resolve.NewCatalog(all, &resolve.CatalogOptions{KindAliases: map[string][]string{
		"port":   {"harbour", "harbor"},
		"vessel": {"ship"},
	}})
}

// newTerms returns the fields that a business term can mean: those of the indices
// without the tenant's.
func newTerms() (*resolve.FieldCatalog, error) {
	var all []resolve.Field
	for _, index := range indices {
		m, err := esquery.ParseMapping(mappings[index])
		if err != nil {
			return nil, err
		}
		for _, f := range m.Fields() {
			if f.Parent == "" && f.Path != tenantField {
				all = append(all, resolve.Field{Source: index, Name: f.Path, Type: f.Type, Aliases: terms[index][f.Path]})
			}
		}
	}
	return resolve.NewFieldCatalog(all)
}

// terms are the business terms for the fields of an index.
var terms = map[string]map[string][]string{
	ShipmentIndex: {
		"port_name":        {"destination", "destination port", "port of arrival"},
		"port_id":          {"destination code"},
		"origin_port_name": {"origin", "origin port", "port of departure"},
		"vessel_name":      {"vessel", "ship"},
		"carrier":          {"shipping line"},
		"eta":              {"expected arrival", "due date"},
		"arrival_date":     {"arrived"},
		"delay_hours":      {"delay", "lateness"},
		"status":           {"shipment status"},
	},
	ContainerIndex: {
		"status":        {"container status"},
		"port_name":     {"container location"},
		"last_moved_at": {"last movement"},
	},
}
