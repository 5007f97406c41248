package fieldservice

import "fmt"

// notes adds remarks and files to rows of several tables. A column names the table.
func (c *company) notes() {
	d := newDice(9)
	for n := range 120 {
		j := pick(d, c.jobs)
		entity, id := "workOrder", j.id
		if n%3 == 0 {
			entity, id = "customer", j.client.id
		}
		c.add("note", j.branch.dispatcherUser, entity, id, pick(d, remarks), min(j.created+1, 0).at(d.between(8, 17), d.between(0, 59)))
	}
	for inspection := range c.ids["inspection"] {
		if d.chance(50) {
			c.attach(d, "inspection", inspection+1, "photo-%04d.jpg")
		}
	}
	for range 40 {
		c.attach(d, "workOrder", pick(d, c.jobs).id, "report-%04d.pdf")
	}
}

func (c *company) attach(d dice, entity string, id int, name string) {
	c.add("attachment", entity, id, fmt.Sprintf(name, id), d.between(80_000, 4_000_000))
}
