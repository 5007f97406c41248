package shipping

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// seed determines the whole world. Changing it changes every shipment.
const seed = 20250115

// dice is the only source of random values.
type dice struct{ *rand.Rand }

func newDice() dice { return dice{rand.New(rand.NewPCG(seed, 1))} }

// between returns a number from low to high, both included.
func (d dice) between(low, high int) int { return low + d.IntN(high-low+1) }

// chance returns true with a probability in percent.
func (d dice) chance(percent int) bool { return d.IntN(100) < percent }

func pick[T any](d dice, from []T) T { return from[d.IntN(len(from))] }

const (
	pastDays   = 28 // days with arrivals
	futureDays = 20 // days with shipments in transit or booked
)

// lastWeek is the number of the company's arrivals at the Port of Miami on each day of
// the week before Now: 142 in total.
var lastWeek = [7]int{22, 18, 21, 24, 15, 17, 25}

// writer makes a world, day by day.
type writer struct {
	dice
	world  *World
	landed map[time.Time]int // the company's shipments at the Port of Miami, by day
}

func (w *writer) write() {
	today := Now.Truncate(24 * time.Hour)
	for offset := -pastDays; offset < futureDays; offset++ {
		day := today.AddDate(0, 0, offset)
		for _, port := range w.world.Ports {
			for range w.arrivals(port, offset) {
				w.shipment(Company, port, day, offset)
			}
			if w.chance(40) || port.ID == miamiPort {
				w.shipment(rival, port, day, offset)
			}
		}
	}
	w.edges(today)
}

// arrivals returns the number of the company's arrivals at a port on a day, given as an
// offset from today.
func (w *writer) arrivals(port Port, offset int) int {
	switch usual := traffic[port.ID].arrivals; {
	case port.ID == miamiPort && offset < 0 && offset >= -7:
		return lastWeek[offset+7]
	case usual > 4:
		return w.between(usual-4, usual+3)
	default:
		return w.between(usual-1, usual+1)
	}
}

// shipment makes a shipment that arrives at a port on a day. Events after Now have not
// happened yet.
func (w *writer) shipment(company string, port Port, day time.Time, offset int) {
	vessel := pick(w.dice, w.world.Vessels)
	origin := pick(w.dice, w.world.Ports)
	for origin.ID == port.ID || origin.City == port.City {
		origin = pick(w.dice, w.world.Ports)
	}
	delay := w.delay(company, port, vessel, offset)
	arrival := day.Add(time.Duration(w.between(1, 47)) * 30 * time.Minute)
	w.add(Shipment{
		Company: company, Carrier: vessel.Carrier, VesselName: vessel.Name, VesselIMO: vessel.IMO,
		OriginID: origin.ID, OriginName: origin.Name, PortID: port.ID, PortName: port.Name,
		Departure: arrival.AddDate(0, 0, -traffic[port.ID].days-w.between(-3, 3)).Truncate(time.Hour),
		Arrival:   arrival, DelayHours: &delay,
		WeightKG: w.between(40, 260) * 100,
	})
}

// delay returns the delay of a shipment in half hours. Most shipments arrive within a
// few hours of the ETA. The arrivals at the Port of Miami in the week before Now have
// two patterns: one carrier is most of a day late, and all delays grow from day to day.
func (w *writer) delay(company string, port Port, vessel Vessel, offset int) float64 {
	halves := w.between(-6, 8)
	if company == Company && port.ID == miamiPort && offset >= -7 {
		halves += 2 * (offset + 7)
		if vessel.Carrier == late {
			halves += w.between(28, 44)
		}
	}
	return float64(halves) / 2
}

// outliers are the very late shipments of the last week at the Port of Miami, by the
// day and the number of the arrival on that day.
var outliers = map[[2]int]float64{{2, 5}: 96, {4, 11}: 118.5, {6, 3}: 104}

// add completes the dependent fields of a shipment and adds it with its containers.
func (w *writer) add(s Shipment) {
	s.ID = fmt.Sprintf("SH-%d", 10001+len(w.world.Shipments))
	if s.Company == Company && s.PortID == miamiPort {
		w.standOut(&s)
	}
	s.ETA = s.Arrival.Add(-time.Duration(*s.DelayHours * float64(time.Hour)))
	state := "delivered"
	switch {
	case s.Departure.After(Now):
		state = "booked"
	case s.Arrival.After(Now):
		state = "at_sea"
	case Now.Sub(s.Arrival) < 72*time.Hour:
		state = "discharged"
	}
	s.Status = map[string]string{"booked": "booked", "at_sea": "in_transit", "discharged": "arrived", "delivered": "delivered"}[state]
	moved := s.Arrival
	if s.Arrival.After(Now) {
		s.Arrival, s.DelayHours, moved = time.Time{}, nil, s.Departure
	}
	for range w.between(1, 3) {
		c := w.container(&s, state, moved)
		s.Containers = append(s.Containers, c.Number)
		w.world.Containers = append(w.world.Containers, c)
	}
	w.world.Shipments = append(w.world.Shipments, s)
}

// standOut makes the next shipment an outlier if the outliers list it.
func (w *writer) standOut(s *Shipment) {
	day := s.Arrival.Truncate(24 * time.Hour)
	number := w.landed[day]
	w.landed[day]++
	from := Now.Truncate(24*time.Hour).AddDate(0, 0, -7)
	if delay, ok := outliers[[2]int{int(day.Sub(from) / (24 * time.Hour)), number}]; ok {
		s.DelayHours = &delay
	}
}

func (w *writer) container(s *Shipment, state string, moved time.Time) Container {
	c := Container{
		Company:    s.Company,
		Number:     containerNumber(pick(w.dice, []string{"MSCU", "BACU", "TIIU"}), 100000+7*len(w.world.Containers)),
		Kind:       pick(w.dice, []string{"20GP", "40HC", "40HC", "40RF"}),
		Status:     state,
		ShipmentID: s.ID,
		MovedAt:    moved,
	}
	if state == "discharged" && w.chance(8) {
		c.Status = "customs_hold"
	}
	switch state {
	case "booked":
		c.PortID, c.PortName, c.MovedAt = s.OriginID, s.OriginName, Now.AddDate(0, 0, -2).Truncate(time.Hour)
	case "discharged":
		c.PortID, c.PortName = s.PortID, s.PortName
	}
	return c
}

// edges adds arrivals at the Port of Miami just inside and outside of the last week, so
// that a range with a wrong bound finds a wrong number of rows.
func (w *writer) edges(today time.Time) {
	for _, at := range []time.Time{today, today.AddDate(0, 0, -7).Add(-time.Minute)} {
		vessel := w.world.Vessels[2]
		delay := 0.5
		w.add(Shipment{
			Company: Company, Carrier: vessel.Carrier, VesselName: vessel.Name, VesselIMO: vessel.IMO,
			OriginID: "NLRTM", OriginName: "Port of Rotterdam", PortID: miamiPort, PortName: "Port of Miami",
			Departure: at.AddDate(0, 0, -16).Truncate(time.Hour), Arrival: at, DelayHours: &delay, WeightKG: 12000,
		})
	}
}
