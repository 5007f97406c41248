package shipping_test

import (
	"testing"
	"time"

	"github.com/qedkit/qed/examples/shipping"
)

// lastWeek returns the company's shipments that arrived at the Port of Miami in the
// week before Now.
func lastWeek() []shipping.Shipment {
	end := shipping.Now.Truncate(24 * time.Hour)
	var found []shipping.Shipment
	for _, s := range shipping.Story().Shipments {
		if s.Company == shipping.Company && s.PortName == "Port of Miami" && !s.Arrival.Before(end.AddDate(0, 0, -7)) && s.Arrival.Before(end) {
			found = append(found, s)
		}
	}
	return found
}

func TestLastWeekAtMiami(t *testing.T) {
	if got := len(lastWeek()); got != 142 {
		t.Errorf("%d shipments, want 142", got)
	}
}

// TestStory checks the consistency of the data, and that it contains every status and
// both companies.
func TestStory(t *testing.T) {
	w := shipping.Story()
	ports, vessels, containers := map[string]bool{}, map[string]bool{}, map[string]string{}
	for _, p := range w.Ports {
		ports[p.ID] = true
	}
	for _, v := range w.Vessels {
		vessels[v.IMO] = true
	}
	for _, c := range w.Containers {
		if containers[c.Number] != "" {
			t.Errorf("container %s is there twice", c.Number)
		}
		if c.MovedAt.After(shipping.Now) {
			t.Errorf("container %s moves in the future", c.Number)
		}
		containers[c.Number] = c.ShipmentID
	}
	companies, statuses, ids := map[string]int{}, map[string]int{}, map[string]bool{}
	for _, s := range w.Shipments {
		companies[s.Company]++
		statuses[s.Status]++
		switch {
		case ids[s.ID]:
			t.Errorf("shipment %s is there twice", s.ID)
		case !ports[s.PortID] || !ports[s.OriginID] || s.PortID == s.OriginID || !vessels[s.VesselIMO]:
			t.Errorf("shipment %s goes from %s to %s on %s", s.ID, s.OriginID, s.PortID, s.VesselIMO)
		case s.Arrival.After(shipping.Now), (s.DelayHours == nil) != s.Arrival.IsZero(), s.Arrival.IsZero() == (s.Status == "arrived" || s.Status == "delivered"):
			t.Errorf("shipment %s: %s, arrived %v", s.ID, s.Status, s.Arrival)
		case !s.Arrival.IsZero() && s.Arrival.Sub(s.ETA).Hours() != *s.DelayHours:
			t.Errorf("shipment %s was due at %v, arrived at %v, and was %v hours late", s.ID, s.ETA, s.Arrival, *s.DelayHours)
		case !s.Departure.Before(s.ETA):
			t.Errorf("shipment %s is due at %v, before it departs at %v", s.ID, s.ETA, s.Departure)
		}
		for _, number := range s.Containers {
			if containers[number] != s.ID {
				t.Errorf("container %s of %s is of %q", number, s.ID, containers[number])
			}
		}
		ids[s.ID] = true
	}
	if len(companies) != 2 {
		t.Errorf("companies: %v, want two", companies)
	}
	for _, status := range []string{"booked", "in_transit", "arrived", "delivered"} {
		if statuses[status] == 0 {
			t.Errorf("no shipment is %s: %v", status, statuses)
		}
	}
}

// TestDelays checks the patterns in the data: one carrier is late, delays grow from day
// to day, and three shipments are outliers.
func TestDelays(t *testing.T) {
	carriers, days, outliers := map[bool][]float64{}, map[int][]float64{}, 0
	for _, s := range lastWeek() {
		if *s.DelayHours > 90 {
			outliers++
			continue
		}
		meridian := s.Carrier == "Meridian Lines"
		carriers[meridian] = append(carriers[meridian], *s.DelayHours)
		if !meridian {
			days[s.Arrival.Day()] = append(days[s.Arrival.Day()], *s.DelayHours)
		}
	}
	if outliers != 3 {
		t.Errorf("%d shipments stand out, want 3", outliers)
	}
	if late, others := mean(carriers[true]), mean(carriers[false]); late < others+12 {
		t.Errorf("the late carrier is %.1f hours late, the others %.1f", late, others)
	}
	if first, last := mean(days[8]), mean(days[14]); last < first+4 {
		t.Errorf("the mean delay is %.1f hours on the first day and %.1f on the last", first, last)
	}
}

func mean(of []float64) float64 {
	sum := 0.0
	for _, v := range of {
		sum += v
	}
	return sum / float64(len(of))
}
