package fieldservice

import "fmt"

const (
	hourlyRate hundredths = 6400
	travelRate hundredths = 95
)

// invoicing adds invoices for most completed jobs. The head office pays for all sites.
func (c *company) invoicing() {
	d := newDice(7)
	for _, j := range c.jobs {
		if j.status != statusCompleted || d.chance(12) {
			continue
		}
		issued := (j.done + day(d.between(1, 10))).workday()
		if issued > 0 {
			continue
		}
		c.invoice(d, j, issued)
	}
}

func (c *company) invoice(d dice, j *job, issued day) {
	type line struct {
		kind, text      string
		part            any
		quantity, price hundredths
	}
	lines := []line{{"labour", "Technicians' hours", nil, max(j.hours, minLoggedH), hourlyRate}}
	for _, u := range j.used {
		lines = append(lines, line{"part", "Parts used", u.part.id, hundredths(u.quantity * 100), u.part.price.times(125)})
	}
	lines = append(lines, line{"travel", "Kilometres", nil, hundredths(d.between(10, 180) * 100), travelRate})

	var net hundredths
	for _, l := range lines {
		net += l.quantity.times(l.price)
	}
	rate, percent := 1, hundredths(20)
	if d.chance(10) {
		rate, percent = 3, 0
	}
	tax := net.times(percent)
	id := c.add("invoice", fmt.Sprintf("INV-%d", 5001+c.ids["invoice"]), j.client.id, j.id, j.client.billing, j.site.id,
		rate, issued, issued+30, net, tax, net+tax)
	for n, l := range lines {
		c.link("invoiceLine", id, n+1, l.kind, l.text, l.part, l.quantity, l.price, l.quantity.times(l.price))
	}
	c.pay(d, id, issued, net+tax)
}

// pay adds the payments of an invoice: one, two or three, some in part, or none.
func (c *company) pay(d dice, invoice int, issued day, total hundredths) {
	parts := pick(d, []int{1, 1, 1, 2, 2, 3})
	method := d.between(1, 3)
	on := issued
	for n := range parts {
		on = (on + day(d.between(5, 28))).workday()
		if on > 0 || d.chance(8) {
			return
		}
		amount := total / hundredths(parts)
		if n == parts-1 {
			amount = total - amount*hundredths(parts-1)
		}
		c.add("payment", invoice, method, on, amount)
	}
}

// quotes adds quotes. An accepted quote refers to its work order.
func (c *company) quotes() {
	d := newDice(8)
	for _, j := range c.jobs {
		if !d.chance(30) {
			continue
		}
		quoted := j.created - day(d.between(1, 12))
		status, order := "accepted", any(j.id)
		if d.chance(35) {
			status, order = "declined", nil
			if quoted > -30 {
				status = "open"
			}
		}
		id := c.add("quote", j.client.id, order, fmt.Sprintf("Q-%d", 7001+c.ids["quote"]), quoted, quoted+30, status)
		for n, text := range []string{"Labour", "Material", "Travel"}[:d.between(2, 3)] {
			c.link("quoteLine", id, n+1, text, hundredths(d.between(8, 220)*1000+n*50))
		}
	}
}
