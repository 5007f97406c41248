package resolve_test

import (
	"errors"
	"testing"

	"github.com/qedkit/qed/resolve"
)

func shipments() []resolve.Field {
	return append(typedFields("shipments", "shipment_id", "keyword", "arrival_date", "date", "departureDate", "date", "created_at", "timestamp", "delay_hours", "float",
		"status", "keyword", "vessel.name", "keyword", "vessel.imo", "keyword", "port.name", "keyword", "port.country", "keyword", "gross_weight_kg", "double",
		"cargo.customer.name", "text", "containerCount", "integer", "FREIGHT_COST_USD", "decimal(12,2)", "is_hazardous", "boolean", "origin.location", "geo_point"),
		resolve.Field{Source: "shipments", Name: "eta", Type: "date", Description: "estimated time at which the vessel reaches the port", Aliases: []string{"expected arrival"}})
}

var fieldTerms = []labelledTerm{
	{"", "arrival date", "arrival_date"}, {"", "Arrival Date", "arrival_date"}, {"", "date of arrival", "arrival_date"}, {"", "arrivalDate", "arrival_date"}, {"", "ARRIVAL_DATE", "arrival_date"},
	{"", "arrival dates", "arrival_date"}, {"", "arival date", "?arrival_date"}, {"", "delay", "delay_hours"}, {"", "delays", "delay_hours"}, {"", "delayed", "delay_hours"}, {"", "delay in hours", "delay_hours"},
	{"", "hours of delay", "delay_hours"}, {"", "departure date", "departureDate"}, {"", "date of departure", "departureDate"}, {"", "when was it created", "created_at"}, {"", "created", "created_at"},
	{"", "creation date", "-"}, {"", "created date", "created_at"}, {"", "status", "status"}, {"", "vessel name", "vessel.name"}, {"", "name of the vessel", "vessel.name"}, {"", "vessel", "?vessel.name|vessel.imo"},
	{"", "imo", "vessel.imo"}, {"", "IMO number", "?vessel.imo"}, {"", "port", "?port.name|port.country"}, {"", "port name", "port.name"}, {"", "country", "port.country"}, {"", "port country", "port.country"},
	{"", "gross weight", "gross_weight_kg"}, {"", "weight", "?gross_weight_kg"}, {"", "gross weight in kg", "gross_weight_kg"}, {"", "customer name", "cargo.customer.name"}, {"", "customer", "cargo.customer.name"},
	{"", "name", "?vessel.name|port.name"}, {"", "container count", "containerCount"}, {"", "number of containers", "?containerCount"}, {"", "freight cost", "FREIGHT_COST_USD"}, {"", "freight costs", "FREIGHT_COST_USD"},
	{"", "hazardous", "is_hazardous"}, {"", "origin location", "origin.location"}, {"", "origin", "?origin.location"}, {"", "ETA", "eta"}, {"", "expected arrival", "eta"}, {"", "estimated time", "?eta"},
	{"", "shipment id", "shipment_id"}, {"", "shipmentid", "shipment_id"}, {"", "shipment", "shipment_id"}, {"", "date", "?arrival_date|departureDate"}, {"", "price", "-"}, {"", "crew", "-"}, {"", "captain's name", "-"},
	{"", "arrival port", "-"}, {"", "port of arrival", "-"}, {"", "temperature", "-"}, {"", "net weight", "-"}, {"", "cost", "?FREIGHT_COST_USD"},
}

func TestFieldAccuracy(t *testing.T) {
	c, err := resolve.NewFieldCatalog(shipments())
	if err != nil {
		t.Fatal(err)
	}
	var got tally
	for _, l := range fieldTerms {
		res, err := c.Resolve(t.Context(), l.term, "")
		if err != nil {
			t.Fatal(err)
		}
		names := make([]string, len(res.Candidates))
		shown := ""
		for i, c := range res.Candidates {
			names[i] = c.Value.Name
			shown += c.Value.Name + " " + c.Match + " " + formatScore(c.Score) + "; "
		}
		if problem := got.count(l.want, res.Status, names); problem != "" {
			t.Logf("%s: %q is %s: %s", problem, l.term, res.Status, shown)
		}
	}
	got.check(t, 1, 0.95)
}

// TestFieldSource checks that a field of two sources is ambiguous without a source.
func TestFieldSource(t *testing.T) {
	c, err := resolve.NewFieldCatalog(append(fields("shipments", "arrival_date", "delay_hours"), fields("trucks", "arrival_date")...))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		source string
		want   resolve.Status
		n      int
	}{{"", resolve.Ambiguous, 2}, {"trucks", resolve.Resolved, 1}} {
		res, err := c.Resolve(t.Context(), "arrival date", tt.source)
		if err != nil || res.Status != tt.want || len(res.Candidates) != tt.n {
			t.Errorf("in %q: %+v, %v", tt.source, res, err)
		}
	}
	if _, err := c.Resolve(t.Context(), "arrival date", "planes"); !errors.Is(err, resolve.ErrUnknownSource) {
		t.Errorf("an unknown source: %v", err)
	}
	if res, err := c.Resolve(t.Context(), "delay", "trucks"); err != nil || res.Status != resolve.Unresolved || len(res.Candidates) > 0 {
		t.Errorf("a field of another source: %+v, %v", res, err)
	}
}

func TestFieldCatalogRefuses(t *testing.T) {
	for name, list := range map[string][]resolve.Field{
		"a name without a letter": {{Source: "s", Name: "_"}},
		"a field twice":           {{Source: "s", Name: "a"}, {Source: "s", Name: "a"}},
	} {
		if _, err := resolve.NewFieldCatalog(list); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}
