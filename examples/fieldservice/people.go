package fieldservice

import "fmt"

// Ids of lookup rows, in the order in which lookups adds them.
const (
	jobDirector = iota + 1
	jobBranchManager
	jobDispatcher
	jobInspector
	jobTechnician
	jobSeniorTechnician
	jobKeyAccountManager
	jobAccountant
)

const (
	statusNew = iota + 1
	statusScheduled
	statusInProgress
	statusOnHold
	statusCompleted
	statusCancelled
)

type branch struct {
	id, region  int
	city        string
	manager     int // this and the next fields are employee ids
	inspector   int
	dispatcher  int
	technicians []int

	dispatcherUser, managerUser int // user ids
}

func (c *company) lookups() {
	for _, r := range regions {
		c.add("region", r.code, r.name)
	}
	for _, name := range []string{"Field operations", "Sales", "Finance", "Management"} {
		c.add("department", name)
	}
	for _, title := range []struct {
		name    string
		isField bool
	}{
		{"Director", false}, {"Branch manager", false}, {"Dispatcher", false}, {"Inspector", true},
		{"Technician", true}, {"Senior technician", true}, {"Key account manager", false}, {"Accountant", false},
	} {
		c.add("jobTitle", title.name, title.isField)
	}
	for i, name := range []string{"Low", "Normal", "High", "Emergency"} {
		c.add("priority", name, i+1)
	}
	for i, name := range []string{"New", "Scheduled", "In progress", "On hold", "Completed", "Cancelled"} {
		c.add("workOrderStatus", name, i+1 < statusCompleted)
	}
	for _, name := range []string{"Maintenance", "Repair", "Installation", "Inspection"} {
		c.add("workOrderType", name)
	}
	for _, level := range []struct {
		name  string
		hours int
	}{{"Basic", 72}, {"Standard", 24}, {"Premium", 4}} {
		c.add("serviceLevel", level.name, level.hours)
	}
	for _, rate := range []struct {
		name    string
		percent hundredths
	}{{"Standard", 2000}, {"Reduced", 750}, {"Exempt", 0}} {
		c.add("taxRate", rate.name, rate.percent)
	}
	for _, name := range []string{"Bank transfer", "Card", "Direct debit"} {
		c.add("paymentMethod", name)
	}
	for _, s := range skills {
		c.add("skill", s.name, s.group, s.licence)
	}
}

// people adds the employees: the head office first, then each branch with its manager,
// dispatcher, inspector and technicians.
func (c *company) people() {
	d := newDice(1)
	for i, b := range branchCities {
		c.branches = append(c.branches, branch{id: i + 1, region: b.region, city: b.city})
	}
	head := &c.branches[headOffice]

	const management, field, sales, finance = 4, 1, 2, 3
	director, _ := c.hire(d, head.id, management, jobDirector, 0)
	for range 3 {
		id, _ := c.hire(d, head.id, sales, jobKeyAccountManager, director)
		c.managers = append(c.managers, id)
	}
	c.hire(d, head.id, finance, jobAccountant, director)
	for i := range c.branches {
		b := &c.branches[i]
		b.manager, b.managerUser = c.hire(d, b.id, field, jobBranchManager, director)
		b.dispatcher, b.dispatcherUser = c.hire(d, b.id, field, jobDispatcher, b.manager)
		b.inspector, _ = c.hire(d, b.id, field, jobInspector, b.manager)
		for n := range 5 {
			title := jobTechnician
			if n == 0 {
				title = jobSeniorTechnician
			}
			id, _ := c.hire(d, b.id, field, title, b.manager)
			b.technicians = append(b.technicians, id)
		}
		c.hireLeaver(d, b)
		c.add("branch", b.region, b.manager, b.city, day(-9000+i*700))
	}
	for i, role := range []string{"import", "scheduler"} {
		c.add("user", fmt.Sprintf("system%d", i+1), "System "+role, "system", d.sealed(), d.sealed(), true, nil)
	}
	c.absences(d)
	c.vehicles(d)
}

// hire adds an employee with a user account; manager 0 is nobody.
func (c *company) hire(d dice, branch, department, title, manager int) (employee, user int) {
	n := c.ids["employee"]
	first, last := personName(n)
	user = c.add("user", fmt.Sprintf("fs%04d", n+1), first+" "+last, roleOf(title), d.sealed(), d.sealed(), true,
		day(-d.between(0, 12)).at(d.between(6, 17), d.between(0, 59)))
	employee = c.add("employee", user, branch, department, title, orNull(manager), first, last,
		d.sealed(), d.sealedMostly(90), d.sealed(), d.sealed(), day(-d.between(400, 5000)).workday(), never, true)
	if title == jobTechnician || title == jobSeniorTechnician || title == jobInspector {
		c.train(d, employee)
	}
	return employee, user
}

// hireLeaver adds a technician who has left and does no current work.
func (c *company) hireLeaver(d dice, b *branch) {
	n := c.ids["employee"]
	first, last := personName(n)
	user := c.add("user", fmt.Sprintf("fs%04d", n+1), first+" "+last, roleOf(jobTechnician), d.sealed(), d.sealed(), false, nil)
	c.add("employee", user, b.id, 1, jobTechnician, b.manager, first, last,
		d.sealed(), nil, d.sealed(), d.sealed(), day(-d.between(2500, 5000)).workday(), day(-d.between(420, 900)).workday(), false)
}

func (c *company) train(d dice, employee int) {
	for _, skill := range d.Perm(len(skills))[:d.between(2, 4)] {
		certified := day(-d.between(30, 1500))
		expires := never
		if skills[skill].licence {
			expires = certified + day(365*d.between(2, 5))
		}
		c.link("employeeSkill", employee, skill+1, d.between(1, 5), certified, expires)
	}
}

func (c *company) absences(d dice) {
	for _, b := range c.branches {
		for _, technician := range b.technicians {
			for range d.between(1, 2) {
				start := day(d.between(-300, 60)).workday()
				approved := b.manager
				if start > 0 && d.chance(40) {
					approved = 0
				}
				reason := pick(d, []string{"holiday", "holiday", "sick", "training"})
				c.add("timeOff", technician, orNull(approved), reason, start, start+day(d.between(0, 9)))
			}
		}
	}
}

func (c *company) vehicles(d dice) {
	for _, b := range c.branches {
		for n, technician := range b.technicians[:3] {
			van := pick(d, vans)
			id := c.add("vehicle", b.id, fmt.Sprintf("FS-%d%02d-%c", b.id, n+11, 'A'+rune(d.IntN(26))), van.make, van.model, d.between(8_000, 190_000))
			switched := day(-d.between(60, 200))
			c.link("vehicleAssignment", id, b.technicians[4], day(-400), switched-1)
			c.link("vehicleAssignment", id, technician, switched, never)
		}
	}
}

func roleOf(title int) string {
	switch title {
	case jobDirector, jobBranchManager:
		return "manager"
	case jobDispatcher:
		return "dispatcher"
	case jobInspector, jobTechnician, jobSeniorTechnician:
		return "technician"
	}
	return "office"
}

func orNull(id int) any {
	if id == 0 {
		return nil
	}
	return id
}

// sealedMostly returns a sealed value with a probability in percent, else NULL.
func (d dice) sealedMostly(percent int) any {
	if value := d.sealed(); d.chance(percent) {
		return value
	}
	return nil
}
