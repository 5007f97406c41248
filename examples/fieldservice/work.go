package fieldservice

import (
	"fmt"
	"slices"
)

// job is a work order with what later parts of the data need.
type job struct {
	id, kind, status          int
	client                    *client
	site                      site
	branch                    *branch
	created, due, start, done day // done is never for an open job
	crews                     [][]int
	hours                     hundredths
	used                      []usage
}

type usage struct {
	part     part
	quantity int
}

const (
	jobCount   = 300
	firstDay   = -330
	maxDailyH  = 1000 // hundredths of an hour per person and day
	minLoggedH = 100
)

// work adds the work orders in the order of their creation, with crews, hours and parts.
func (c *company) work() {
	d := newDice(5)
	logged := map[shift]hundredths{}
	for n := range jobCount {
		j := c.planned(d, n)
		c.jobs = append(c.jobs, j)
		c.writeJob(d, j, n)
		c.history(d, j)
		if j.status == statusNew {
			c.add("appointment", j.id, nil, j.start.at(9, 0), j.start.at(10, 30)) // without a crew yet
		}
		if j.status == statusNew || j.status == statusCancelled {
			continue
		}
		for i, members := range j.crews {
			c.crew(d, j, i, members)
		}
		if j.start < 0 && j.status != statusScheduled {
			for _, members := range j.crews {
				for _, member := range members {
					c.logHours(d, j, member, logged)
				}
			}
			c.useParts(d, j)
		}
		if j.status == statusCompleted && d.chance(40) {
			comment := any(pick(d, comments))
			if d.chance(50) {
				comment = nil
			}
			c.add("customerFeedback", j.id, min(5, d.between(2, 6)), comment, min(j.done+day(d.between(1, 10)), 0))
		}
	}
	c.visits(d)
}

type shift struct {
	employee int
	on       day
}

// planned sets the dates and the status of a job. A job that is due in the last weeks can
// be overdue.
func (c *company) planned(d dice, n int) *job {
	// The lower of two values: the first clients have more jobs than the last.
	owner := &c.clients[min(d.IntN(len(c.clients)), d.IntN(len(c.clients)))]
	j := &job{client: owner, site: pick(d, owner.sites), created: day(firstDay + n*(-firstDay-1)/jobCount).workday(), done: never}
	j.branch = c.branchIn(d, j.site.region)
	j.start = (j.created + day(d.between(1, 10))).workday()
	j.due = (j.start + day(d.between(2, 20))).workday()
	finish := (j.start + day(d.between(0, 14))).workday()
	switch {
	case d.chance(5):
		j.status = statusCancelled
	case finish < 0 && (j.due < -90 || d.chance(45)):
		j.status, j.done = statusCompleted, finish
	case j.start < 0:
		j.status = pick(d, []int{statusInProgress, statusInProgress, statusOnHold, statusScheduled})
	default:
		j.status = pick(d, []int{statusNew, statusScheduled})
	}
	for range 1 + d.IntN(8)/7 {
		j.crews = append(j.crews, c.team(d, j))
	}
	return j
}

func (c *company) branchIn(d dice, region int) *branch {
	var near []*branch
	for i := range c.branches {
		if c.branches[i].region == region {
			near = append(near, &c.branches[i])
		}
	}
	return pick(d, near)
}

// team returns two or three technicians of the branch who are in no other crew of the job.
// The first one leads.
func (c *company) team(d dice, j *job) []int {
	var members []int
	for _, n := range d.Perm(len(j.branch.technicians)) {
		member := j.branch.technicians[n]
		if len(j.crews) == 0 || !slices.Contains(j.crews[0], member) {
			members = append(members, member)
		}
	}
	return members[:min(len(members), d.between(2, 3))]
}

func (c *company) writeJob(d dice, j *job, n int) {
	task := pick(d, tasks)
	j.kind = task.kind
	assigned := any(j.crews[0][0])
	if j.status == statusNew {
		assigned = nil
	}
	estimate := any(hundredths(d.between(4, 60) * 50))
	if d.chance(15) {
		estimate = nil
	}
	j.id = c.add("workOrder", fmt.Sprintf("WO-%d", 10_001+n), task.title, j.client.id, j.site.id, task.kind, j.status,
		d.between(1, 4), j.branch.dispatcher, assigned, j.created, j.due, j.done, estimate, d.sealedMostly(70))
	for i, equipment := range j.site.equipment {
		if i == n%len(j.site.equipment) || d.chance(20) {
			c.link("workOrderEquipment", j.id, equipment)
		}
	}
}

// history adds the status changes of a job.
func (c *company) history(d dice, j *job) {
	type change struct {
		status int
		on     day
	}
	changes := []change{{statusNew, j.created}}
	if j.status == statusCancelled {
		changes = append(changes, change{statusCancelled, min(j.created+1, 0)})
	} else {
		if j.status != statusNew {
			changes = append(changes, change{statusScheduled, j.created})
		}
		if j.status == statusInProgress || j.status == statusOnHold || j.status == statusCompleted {
			changes = append(changes, change{statusInProgress, j.start})
		}
		if j.status == statusOnHold {
			changes = append(changes, change{statusOnHold, min(j.start+1, 0)})
		}
		if j.status == statusCompleted {
			changes = append(changes, change{statusCompleted, j.done})
		}
	}
	before := 0
	for i, next := range changes {
		c.add("workOrderStatusChange", j.id, orNull(before), next.status, j.branch.dispatcherUser, next.on.at(7+2*i, d.between(0, 59)))
		before = next.status
	}
}

func (c *company) crew(d dice, j *job, n int, members []int) {
	creator := j.branch.dispatcherUser
	if d.chance(20) {
		creator = j.branch.managerUser
	}
	id := c.add("crew", j.id, fmt.Sprintf("%s crew %c", j.branch.city, 'A'+rune(n)), creator, j.created)
	for i, member := range members {
		c.link("employeeCrew", member, id, i == 0)
	}
	hour := d.between(7, 14)
	c.add("appointment", j.id, id, j.start.at(hour, 0), j.start.at(hour+d.between(1, 4), 30))
}

// logHours adds the hours of a crew member on the working days of the job.
func (c *company) logHours(d dice, j *job, member int, logged map[shift]hundredths) {
	last := min(j.start+10, -1)
	if j.done != never {
		last = j.done
	}
	on := j.start
	for range d.between(2, 5) {
		if on > last {
			return
		}
		at := shift{member, on}
		hours := min(hundredths(d.between(10, 34)*25), maxDailyH-logged[at])
		if hours >= minLoggedH {
			logged[at] += hours
			j.hours += hours
			remark := any(nil)
			if d.chance(10) {
				remark = pick(d, remarks)
			}
			c.add("workTime", member, j.id, on, hours, logged[at] > 800, remark)
		}
		on = (on + 1).workday()
	}
}

// useParts adds parts from the branch's warehouse, whose id is the branch's.
func (c *company) useParts(d dice, j *job) {
	for _, n := range d.Perm(len(c.parts))[:d.between(0, 3)] {
		u := usage{part: c.parts[n], quantity: d.between(1, 4)}
		c.add("partUsage", j.id, j.branch.id, u.part.id, u.quantity, j.start)
		j.used = append(j.used, u)
	}
}

// visits adds the planned visits of contracts. Past visits have a maintenance order,
// future ones have none.
func (c *company) visits(d dice) {
	const maintenance = 1
	for _, line := range c.lines {
		for _, j := range c.jobs {
			if j.site.id == line.site && j.kind == maintenance && j.status == statusCompleted {
				c.add("contractVisit", line.contract, line.line, j.id, j.start)
			}
		}
		c.add("contractVisit", line.contract, line.line, nil, day(d.between(5, 90)).workday())
	}
}
