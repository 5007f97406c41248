package fieldservice

type template struct {
	id        int
	questions []int
}

// inspections adds inspections to two completed jobs in five. Each failed answer gets a
// corrective action.
func (c *company) inspections() {
	d := newDice(6)
	all := c.templates()
	for _, j := range c.jobs {
		if j.status != statusCompleted || !d.chance(40) {
			continue
		}
		used := pick(d, all)
		inspected := min(j.done+day(d.between(0, 5)), 0)
		inspection := c.add("inspection", j.id, used.id, j.branch.inspector, inspected)
		for n, question := range used.questions {
			// The first questions of a form fail more often, so that a ranking is clear.
			result, comment := "pass", any(nil)
			switch roll := d.IntN(100); {
			case roll < 16-2*n:
				result, comment = "fail", "see corrective action"
			case roll > 94:
				result = "n/a"
			}
			answer := c.add("inspectionAnswer", inspection, question, result, comment)
			if result == "fail" {
				c.correct(d, j, answer, inspected)
			}
		}
	}
}

func (c *company) templates() []template {
	var all []template
	for _, text := range templates {
		t := template{id: c.add("inspectionTemplate", text.name)}
		for n, question := range text.questions {
			t.questions = append(t.questions, c.add("inspectionQuestion", t.id, n+1, question, n < 2))
		}
		all = append(all, t)
	}
	return all
}

func (c *company) correct(d dice, j *job, answer int, inspected day) {
	assigned := any(j.crews[0][0])
	if d.chance(20) {
		assigned = nil
	}
	due := (inspected + day(d.between(7, 30))).workday()
	closed := inspected + day(d.between(1, 40))
	if closed > 0 || d.chance(15) {
		closed = never
	}
	c.add("correctiveAction", answer, assigned, due, closed)
}
