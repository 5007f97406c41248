package integration_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/examples/shipping"
)

// tableIsTrue compares the cells of an answer's table with the data of the company. It
// reports whether the answer has a table.
func tableIsTrue(t *testing.T, a qed.Answer) bool {
	t.Helper()
	if a.Table == nil {
		return false
	}
	var names []string
	for _, c := range a.Table.Columns {
		names = append(names, c.Name)
	}
	var want [][]string
	switch names[0] {
	case "shipment_id":
		for _, s := range arrivedInMiami() {
			want = append(want, cellsOf(t, names, map[string]any{
				"shipment_id": s.ID, "vessel_name": s.VesselName, "carrier": s.Carrier, "status": s.Status,
				"arrival_date": s.Arrival.Format(time.RFC3339), "delay_hours": *s.DelayHours,
			}))
		}
	case "status":
		want = containersByStatus(t, names)
	case "number":
		want = [][]string{container(t, names, "BACU1158556")}
	default:
		t.Errorf("a table that is compared with nothing: %v", names)
	}
	var got [][]string
	for _, row := range a.Table.Rows {
		var cells []string
		for _, cell := range row {
			cells = append(cells, fmt.Sprint(cell))
		}
		got = append(got, cells)
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("the cells are not those of the data (-want +got):\n%s", diff)
	}
	return true
}

// cellsOf returns the values of the columns as text.
func cellsOf(t *testing.T, names []string, values map[string]any) []string {
	t.Helper()
	var row []string
	for _, name := range names {
		v, ok := values[name]
		if !ok {
			t.Errorf("column %s is not compared with the data", name)
		}
		row = append(row, fmt.Sprint(v))
	}
	return row
}

// arrivedInMiami returns the company's shipments that arrived at the Port of Miami in
// the week before Now, the earliest first.
func arrivedInMiami() []shipping.Shipment {
	end := shipping.Now.Truncate(24 * time.Hour)
	found := slices.DeleteFunc(slices.Clone(shipping.Story().Shipments), func(s shipping.Shipment) bool {
		return s.Company != shipping.Company || s.PortName != "Port of Miami" ||
			s.Arrival.Before(end.AddDate(0, 0, -7)) || !s.Arrival.Before(end)
	})
	slices.SortFunc(found, func(a, b shipping.Shipment) int {
		return cmp.Or(a.Arrival.Compare(b.Arrival), cmp.Compare(a.ID, b.ID))
	})
	return found
}

// containersByStatus returns how many containers have each status, the most first.
func containersByStatus(t *testing.T, names []string) [][]string {
	t.Helper()
	count := map[string]int{}
	for _, c := range shipping.Story().Containers {
		if c.Company == shipping.Company {
			count[c.Status]++
		}
	}
	var statuses []string
	for status := range count {
		statuses = append(statuses, status)
	}
	slices.SortFunc(statuses, func(a, b string) int { return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b)) })
	var rows [][]string
	for _, status := range statuses {
		rows = append(rows, cellsOf(t, names, map[string]any{"status": status, "count": count[status]}))
	}
	return rows
}

// container returns a container with its shipment and where it is.
func container(t *testing.T, names []string, number string) []string {
	t.Helper()
	w := shipping.Story()
	c := w.Containers[slices.IndexFunc(w.Containers, func(c shipping.Container) bool { return c.Number == number })]
	s := w.Shipments[slices.IndexFunc(w.Shipments, func(s shipping.Shipment) bool { return s.ID == c.ShipmentID })]
	port := w.Ports[slices.IndexFunc(w.Ports, func(p shipping.Port) bool { return p.ID == c.PortID })]
	return cellsOf(t, names, map[string]any{
		"number": c.Number, "status": c.Status, "port.name": port.Name, "lastMovedAt": c.MovedAt.Format(time.RFC3339),
		"shipment.id": s.ID, "shipment.status": s.Status, "shipment.vessel.name": s.VesselName, "shipment.destination.name": s.PortName,
	})
}

// saysWhatIsTrue compares the figures of the analysis with the data.
func saysWhatIsTrue(t *testing.T, text string) {
	t.Helper()
	carriers, days := map[string][]float64{}, map[string][]float64{}
	shipments := arrivedInMiami()
	for _, s := range shipments {
		carriers[s.Carrier] = append(carriers[s.Carrier], *s.DelayHours)
		day := s.Arrival.Format(time.DateOnly)
		days[day] = append(days[day], *s.DelayHours)
	}
	others := 0.0
	for carrier, delays := range carriers {
		if carrier != "Meridian Lines" {
			others = max(others, median(delays))
		}
	}
	slices.SortFunc(shipments, func(a, b shipping.Shipment) int { return cmp.Compare(*b.DelayHours, *a.DelayHours) })
	late := shipments[:3]
	for _, want := range []string{
		fmt.Sprintf("the median delay of its %d shipments is %v hours, and that of no other carrier is above %v",
			len(carriers["Meridian Lines"]), median(carriers["Meridian Lines"]), others),
		fmt.Sprintf("the median was %v hours on 2025-01-08 and %v on 2025-01-14", median(days["2025-01-08"]), median(days["2025-01-14"])),
		fmt.Sprintf("%s was %v hours late, %s %v and %s %v",
			late[0].ID, *late[0].DelayHours, late[1].ID, *late[1].DelayHours, late[2].ID, *late[2].DelayHours),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the data say %q, but the answer says:\n%s", want, text)
		}
	}
}

func median(x []float64) float64 {
	sorted := slices.Sorted(slices.Values(x))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
