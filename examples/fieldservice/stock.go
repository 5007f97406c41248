package fieldservice

import "fmt"

type part struct {
	id    int
	price hundredths
}

// warehouses adds a warehouse for each branch with its stock, and orders for low stock.
func (c *company) warehouses() {
	d := newDice(4)
	for _, s := range suppliers {
		c.add("supplier", s.name, s.country)
	}
	for _, category := range partCategories {
		c.add("partCategory", orNull(category.parent+1), category.name)
	}
	for i, p := range partNames {
		id := c.add("part", p.category+1, i%len(suppliers)+1, fmt.Sprintf("FS-%05d", 10_000+i*113), p.name, p.price)
		c.parts = append(c.parts, part{id: id, price: p.price})
	}
	for _, b := range c.branches {
		warehouse := c.add("warehouse", b.id, "Warehouse "+b.city)
		for _, p := range c.parts {
			quantity, reorder := d.between(0, 60), d.between(5, 15)
			c.link("stock", warehouse, p.id, quantity, reorder)
			if d.chance(40) {
				c.add("stockCount", warehouse, p.id, day(-d.between(1, 120)), max(0, quantity+d.between(-2, 1)))
			}
		}
		for range d.between(6, 9) {
			c.order(d, warehouse)
		}
	}
}

// order adds an order from one supplier. The latest orders have not arrived.
func (c *company) order(d dice, warehouse int) {
	supplier := d.between(1, len(suppliers))
	ordered := day(-d.between(1, 330)).workday()
	expected := (ordered + day(d.between(5, 20))).workday()
	received := expected + day(d.between(-2, 6))
	if received >= 0 {
		received = never
	}
	id := c.add("order", supplier, warehouse, ordered, expected, received)
	line := 0
	for i := supplier - 1; i < len(c.parts); i += len(suppliers) {
		if d.chance(70) {
			line++
			p := c.parts[i]
			c.link("orderLine", id, line, p.id, d.between(2, 30), p.price.times(hundredths(d.between(55, 75))))
		}
	}
}
