package fieldservice

import "fmt"

type client struct {
	id      int
	sites   []site
	billing int // the head office's customerLocation.id
}

type site struct {
	id, region, client int
	equipment          []int
}

// customers adds the clients with their sites, contacts and equipment. A client's first
// site is its head office, which pays.
func (c *company) customers() {
	d := newDice(2)
	for _, m := range manufacturers {
		c.add("manufacturer", m.name, m.country)
	}
	for _, m := range equipmentModels {
		c.add("equipmentModel", m.manufacturer+1, m.name, m.kind)
	}
	for i, name := range clientNames {
		bank := d.sealedMostly(70)
		id := c.add("customer", c.managers[i%len(c.managers)], name.name, name.industry,
			day(-d.between(420, 3200)), i%12 != 11, d.sealed(), bank)
		each := client{id: id}
		for n := range d.between(1, 4) {
			each.sites = append(each.sites, c.site(d, id, n))
		}
		each.billing = each.sites[0].id
		for n := range d.between(1, 3) {
			first, last := personName(300 + c.ids["customerContact"])
			c.add("customerContact", id, first, last, pick(d, positions), d.sealed(), d.sealedMostly(80), n == 0)
		}
		c.clients = append(c.clients, each)
	}
}

func (c *company) site(d dice, client, n int) site {
	at := pick(d, siteCities)
	s := site{region: at.region, client: client}
	s.id = c.add("customerLocation", client, at.region, siteNames[n], at.city, d.sealed(), d.sealedMostly(60), n == 0)
	for room := range d.between(1, 2) {
		floor := any(d.between(-1, 6))
		if d.chance(25) {
			floor = nil
		}
		place := c.add("serviceLocation", s.id, roomNames[(s.id+room)%len(roomNames)], floor)
		for range d.between(1, 2) {
			installed := day(-d.between(200, 4000))
			warranty := installed + 1825
			if d.chance(20) {
				warranty = never
			}
			model := d.IntN(len(equipmentModels))
			serial := fmt.Sprintf("%c%c-%06d", equipmentModels[model].name[0], equipmentModels[model].kind[0], 100_000+c.ids["equipment"]*37)
			s.equipment = append(s.equipment, c.add("equipment", place, model+1, serial, installed, warranty))
		}
	}
	return s
}

// contracts adds service contracts for two clients in three, with a line for each piece of
// equipment. Visits follow later, because they refer to work orders.
func (c *company) contracts() {
	d := newDice(3)
	for _, each := range c.clients {
		if each.id%3 == 0 {
			continue
		}
		ends := day(d.between(-60, 700))
		if d.chance(30) {
			ends = never
		}
		contract := c.add("contract", each.id, d.between(1, 3), fmt.Sprintf("C-%04d", 1000+each.id), day(-d.between(400, 1400)), ends)
		line := 0
		for _, s := range each.sites {
			for _, equipment := range s.equipment {
				line++
				visits := d.between(1, 4)
				c.link("contractLine", contract, line, equipment, visits, hundredths(visits*d.between(3, 14)*500+900))
				c.lines = append(c.lines, contractLine{contract: contract, line: line, site: s.id})
			}
		}
	}
}

type contractLine struct{ contract, line, site int }
