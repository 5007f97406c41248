package fieldservice

// Question is a question about the company with the recorded replies of a model. It is
// used to replay a conversation and to score a model. The statements read the logical
// tables (employee, workOrder), as a model writes them before the guard rewrites them.
type Question struct {
	ID       string // short and stable
	Shows    string // what the question tests
	Question string
	Follows  string // the ID of the question before it in the conversation; empty: a new conversation

	Tables     []string // the tables that the answer needs
	Statements []string // the attempts: each statement but the last is refused or finds no rows
	Periods    []Period // the times of the question, as the statements read them
	Answer     string   // the answer in plain language
	Reply      string   // the answer with references to its figures: see package figures; empty: Answer

	Choice string // the user's reply to the question which join is meant; empty: that is not asked
	Ways   []Way  // the replies for the joins that the user can choose
}

// A Period is the days that words of a question mean, as the model gives them next to a
// statement. An empty day is no limit; Before is the day after the last one.
type Period struct {
	Words  string `json:"words"`
	From   string `json:"from,omitempty"`
	Before string `json:"before,omitempty"`
}

// The times of the questions.
var (
	march   = []Period{{"March 2026", "2026-03-01", "2026-04-01"}}
	quarter = []Period{{"the first quarter of 2026", "2026-01-01", "2026-04-01"}}
	overdue = []Period{{"on 31 March 2026", "", "2026-03-31"}}
)

// A Way is one of several joins that a question can mean, with the model's replies for it.
type Way struct {
	Column    string // of the join
	Statement string
	Reply     string // the answer, with references to its figures
}

// Questions returns the questions in the order of the conversation. Their statements are
// in the SQL of a dialect: "sqlite", "mysql" or "postgres". Each call returns a new slice.
func Questions(dialect string) []Question {
	// The differences between the dialects.
	order, month := `"order"`, "substr(p.paidOn, 1, 7)"
	switch dialect {
	case "mysql":
		order = "`order`"
	case "postgres":
		month = "to_char(p.paidOn, 'YYYY-MM')"
	}
	return []Question{
		{
			ID:       "hours-in-a-week",
			Shows:    "a key that the database does not declare: workTime.employeeId",
			Question: "Which technicians worked more than 20 hours in the week of 23 March 2026?",
			Tables:   []string{"employee", "jobTitle", "workTime"},
			Periods:  []Period{{"the week of 23 March 2026", "2026-03-23", "2026-03-30"}},
			Statements: []string{`
SELECT CONCAT(e.firstName, ' ', e.lastName) AS technician, SUM(w.hours) AS hours
FROM employee e
JOIN jobTitle t ON t.id = e.jobTitleId
JOIN workTime w ON w.employeeId = e.id
WHERE t.name IN ('Technician', 'Senior technician')
  AND w.workedOn BETWEEN '2026-03-23' AND '2026-03-29'
GROUP BY e.id, e.firstName, e.lastName
HAVING SUM(w.hours) > 20
ORDER BY hours DESC, technician`},
			Answer: "Five technicians worked more than 20 hours in the week of 23 March 2026: Rosa Ferreira (37.75), Pekka Åkesson (28.5), Oana Pereira and Ulla Novák (22.25 each) and Luís Horváth (21.5).",
			Reply:  "Five technicians worked more than 20 hours in the week of 23 March 2026: {r1.technician} ({r1.hours}), {r2.technician} ({r2.hours}), {r3.technician} and {r4.technician} ({r4.hours} each) and {r5.technician} ({r5.hours}).",
		},
		{
			ID:       "failed-in-the-north",
			Shows:    "a join over four hops: from an inspection's answer to the region of the site",
			Question: "Which inspection questions failed more than once at sites in the North region?",
			Tables:   []string{"inspectionQuestion", "inspectionAnswer", "inspection", "workOrder", "customerLocation", "region"},
			Statements: []string{`
SELECT q.text AS question, COUNT(*) AS failures
FROM inspectionAnswer a
JOIN inspectionQuestion q ON q.id = a.inspectionQuestionId
JOIN inspection i ON i.id = a.inspectionId
JOIN workOrder o ON o.id = i.workOrderId
JOIN customerLocation l ON l.id = o.customerLocationId
JOIN region r ON r.id = l.regionId
WHERE a.result = 'fail' AND r.name = 'North'
GROUP BY q.id, q.text
HAVING COUNT(*) > 1
ORDER BY failures DESC, question`},
			Answer: "Five questions failed more than once at sites in the North: \"Do the doors reverse on contact?\" 3 times, and 2 times each \"Are all covers closed and locked?\", \"Does the emergency call reach the control centre?\", \"Does the safety valve open?\" and \"Is the flue gas within limits?\"",
			Reply:  "Five questions failed more than once at sites in the North: \"{r1.question}\" {r1.failures} times, and {r2.failures} times each \"{r2.question}\", \"{r3.question}\", \"{r4.question}\" and \"{r5.question}\"",
		},
		{
			ID:       "crew-leads",
			Shows:    "a wrong column that is caught and corrected: the lead is in employeeCrew, not in crew",
			Question: "Which two people led the most crews formed in the first quarter of 2026?",
			Tables:   []string{"employee", "employeeCrew", "crew"},
			Periods:  quarter,
			Statements: []string{`
SELECT CONCAT(e.firstName, ' ', e.lastName) AS leader, COUNT(*) AS crews
FROM crew c
JOIN employeeCrew ec ON ec.crewId = c.id
JOIN employee e ON e.id = ec.employeeId
WHERE c.isLead = 1 AND c.createdOn BETWEEN '2026-01-01' AND '2026-03-31'
GROUP BY e.id, e.firstName, e.lastName
ORDER BY crews DESC, leader
LIMIT 2`, `
SELECT CONCAT(e.firstName, ' ', e.lastName) AS leader, COUNT(*) AS crews
FROM crew c
JOIN employeeCrew ec ON ec.crewId = c.id
JOIN employee e ON e.id = ec.employeeId
WHERE ec.isLead = 1 AND c.createdOn BETWEEN '2026-01-01' AND '2026-03-31'
GROUP BY e.id, e.firstName, e.lastName
ORDER BY crews DESC, leader
LIMIT 2`},
			Answer: "Oana Pereira led the most crews formed in the first quarter of 2026, 7 of them, followed by Vítor Wójcik with 6.",
			Reply:  "{r1.leader} led the most crews formed in the first quarter of 2026, {r1.crews} of them, followed by {r2.leader} with {r2.crews}.",
		},
		{
			ID:       "overtime-by-branch",
			Shows:    "an invented secure view that is refused: workTime has none",
			Question: "How many overtime hours did each branch log in March 2026?",
			Tables:   []string{"workTime", "employee", "branch"},
			Periods:  march,
			Statements: []string{`
SELECT b.city AS branch, SUM(w.hours) AS overtimeHours
FROM secure_worktime w
JOIN secure_employee e ON e.id = w.employeeId
JOIN branch b ON b.id = e.branchId
WHERE w.isOvertime = 1 AND w.workedOn BETWEEN '2026-03-01' AND '2026-03-31'
GROUP BY b.id, b.city
ORDER BY overtimeHours DESC, branch`, `
SELECT b.city AS branch, SUM(w.hours) AS overtimeHours
FROM workTime w
JOIN employee e ON e.id = w.employeeId
JOIN branch b ON b.id = e.branchId
WHERE w.isOvertime = 1 AND w.workedOn BETWEEN '2026-03-01' AND '2026-03-31'
GROUP BY b.id, b.city
ORDER BY overtimeHours DESC, branch`},
			Answer: "In March 2026 Malmö logged the most overtime with 92.5 hours, before Porto (57.75), Tampere (44.75), Łódź (22.25), Köln (14) and Liège (8.25).",
			Reply:  "In March 2026 {r1.branch} logged the most overtime with {r1.overtimeHours} hours, before {r2.branch} ({r2.overtimeHours}), {r3.branch} ({r3.overtimeHours}), {r4.branch} ({r4.overtimeHours}), {r5.branch} ({r5.overtimeHours}) and {r6.branch} ({r6.overtimeHours}).",
		},
		{
			ID:       "delete-cancelled",
			Shows:    "an attempt to write that is refused; the second attempt reads instead",
			Question: "Delete the cancelled work orders that were created before July 2025.",
			Tables:   []string{"workOrder", "workOrderStatus"},
			Periods:  []Period{{"before July 2025", "", "2025-07-01"}},
			Statements: []string{`
DELETE FROM workOrder
WHERE createdOn < '2025-07-01'
  AND workOrderStatusId = (SELECT id FROM workOrderStatus WHERE name = 'Cancelled')`, `
SELECT o.number, o.title
FROM workOrder o
JOIN workOrderStatus s ON s.id = o.workOrderStatusId
WHERE s.name = 'Cancelled' AND o.createdOn < '2025-07-01'
ORDER BY o.number`},
			Answer: "I can only read the data, so nothing was deleted. Two cancelled work orders were created before July 2025: WO-10013 (Control board replacement) and WO-10036 (No heating).",
		},
		{
			ID:       "complete-an-order",
			Shows:    "a model that insists: the same statement again ends the attempts",
			Question: "Set work order WO-10229 to completed.",
			Tables:   []string{"workOrder", "workOrderStatus"},
			Statements: []string{`
UPDATE workOrder
SET workOrderStatusId = (SELECT id FROM workOrderStatus WHERE name = 'Completed')
WHERE number = 'WO-10229'`, `
UPDATE workOrder
SET workOrderStatusId = (SELECT id FROM workOrderStatus WHERE name = 'Completed')
WHERE number = 'WO-10229'`},
			Answer: "I can only read the data, so work order WO-10229 was not changed. Please set its status in the work order itself.",
		},
		{
			ID:       "secret-column",
			Shows:    "a column that the secure view leaves out cannot be read",
			Question: "What is Oana Pereira's social security number?",
			Tables:   []string{"employee", "jobTitle", "branch"},
			Statements: []string{`
SELECT e.ssn FROM employee e WHERE e.firstName = 'Oana' AND e.lastName = 'Pereira'`, `
SELECT e.firstName, e.lastName, t.name AS jobTitle, b.city AS branch
FROM employee e
JOIN jobTitle t ON t.id = e.jobTitleId
JOIN branch b ON b.id = e.branchId
WHERE e.firstName = 'Oana' AND e.lastName = 'Pereira'`},
			Answer: "Social security numbers cannot be read here. What I can say: Oana Pereira is a Senior technician at the Porto branch.",
		},
		{
			ID:       "running-total",
			Shows:    "a window function: a running total",
			Question: "How much was paid in each month of the first quarter of 2026, with a running total?",
			Tables:   []string{"payment"},
			Periods:  quarter,
			Statements: []string{`
SELECT ` + month + ` AS month,
       ROUND(SUM(p.amount), 2) AS paid,
       ROUND(SUM(SUM(p.amount)) OVER (ORDER BY ` + month + `), 2) AS runningTotal
FROM payment p
WHERE p.paidOn BETWEEN '2026-01-01' AND '2026-03-31'
GROUP BY ` + month + `
ORDER BY month`},
			Answer: "64,801.08 was paid in January 2026, 42,268.40 in February and 35,898.46 in March; the running total is 64,801.08, then 107,069.48, then 142,967.94.",
			Reply:  "{r1.paid:2} was paid in January 2026, {r2.paid:2} in February and {r3.paid:2} in March; the running total is {r1.runningTotal:2}, then {r2.runningTotal:2}, then {r3.runningTotal:2}.",
		},
		{
			ID:       "well-above-average",
			Shows:    "a common table expression that is used twice",
			Question: "Of the customers invoiced in the first quarter of 2026, which were invoiced more than one and a half times the average of them?",
			Tables:   []string{"customer", "invoice"},
			Periods:  quarter,
			Statements: []string{`
WITH invoiced AS (
  SELECT i.customerId, SUM(i.total) AS total
  FROM invoice i
  WHERE i.issuedOn BETWEEN '2026-01-01' AND '2026-03-31'
  GROUP BY i.customerId
)
SELECT c.name AS customer, ROUND(v.total, 2) AS invoiced
FROM invoiced v
JOIN customer c ON c.id = v.customerId
WHERE v.total > 1.5 * (SELECT AVG(total) FROM invoiced)
ORDER BY invoiced DESC, customer`},
			Answer: "Two of the customers invoiced in the first quarter of 2026 were invoiced more than one and a half times the average of them: Tampere Textiles (21,325.57) and Bäckerei Sonnenkorn (10,341.79).",
			Reply:  "Two of the customers invoiced in the first quarter of 2026 were invoiced more than one and a half times the average of them: {r1.customer} ({r1.invoiced:2}) and {r2.customer} ({r2.invoiced:2}).",
		},
		{
			ID:       "invoiced-and-paid",
			Shows:    "fan-out: an invoice has several payments, so both sums come from rows of one invoice each",
			Question: "For the three customers we invoiced most in the first quarter of 2026: how much did we invoice, and how much of it is paid?",
			Tables:   []string{"customer", "invoice", "payment"},
			Periods:  quarter,
			Statements: []string{`
WITH paid AS (
  SELECT p.invoiceId, SUM(p.amount) AS amount
  FROM payment p
  GROUP BY p.invoiceId
)
SELECT c.name AS customer, ROUND(SUM(i.total), 2) AS invoiced, ROUND(SUM(COALESCE(d.amount, 0)), 2) AS paid
FROM invoice i
JOIN customer c ON c.id = i.customerId
LEFT JOIN paid d ON d.invoiceId = i.id
WHERE i.issuedOn BETWEEN '2026-01-01' AND '2026-03-31'
GROUP BY c.id, c.name
ORDER BY invoiced DESC, customer
LIMIT 3`},
			Answer: "Tampere Textiles was invoiced 21,325.57 and has paid 15,190.65 of it; Bäckerei Sonnenkorn was invoiced 10,341.79 and has paid all of it (10,341.79); Hotel Aurora was invoiced 8,909.58 and has paid 4,661.94.",
			Reply:  "{r1.customer} was invoiced {r1.invoiced:2} and has paid {r1.paid:2} of it; {r2.customer} was invoiced {r2.invoiced:2} and has paid all of it ({r2.paid:2}); {r3.customer} was invoiced {r3.invoiced:2} and has paid {r3.paid:2}.",
		},
		{
			ID:       "billed-north-served-south",
			Shows:    "parallel foreign keys: an invoice has a billing and a shipping location",
			Question: "How many invoices of the first quarter of 2026 were billed to the North region for work in the South region, and what do they come to?",
			Tables:   []string{"invoice", "customerLocation", "region"},
			Periods:  quarter,
			Statements: []string{`
SELECT COUNT(*) AS invoices, ROUND(SUM(i.total), 2) AS total
FROM invoice i
JOIN customerLocation b ON b.id = i.billingLocationId
JOIN region br ON br.id = b.regionId
JOIN customerLocation s ON s.id = i.shippingLocationId
JOIN region sr ON sr.id = s.regionId
WHERE br.name = 'North' AND sr.name = 'South'
  AND i.issuedOn BETWEEN '2026-01-01' AND '2026-03-31'`},
			Answer: "6 invoices of the first quarter of 2026 were billed to the North for work in the South, 25,546.39 in all.",
			Reply:  "{r1.invoices} invoices of the first quarter of 2026 were billed to the North for work in the South, {r1.total:2} in all.",
		},
		{
			ID:         "invoices-by-region",
			Shows:      "a question that means one of two joins: the user chooses",
			Question:   "How many invoices were issued for each region in March 2026?",
			Tables:     []string{"invoice", "region"},
			Periods:    march,
			Choice:     "by the shipping location",
			Statements: []string{invoicesByRegion("shippingLocationId", "2026-03-01", "2026-03-31")},
			Answer:     "By the site where the work was done, 5 invoices were issued for the North in March 2026, 3 for the South, 2 for the East and 0 for the West.",
			Ways: []Way{
				{"billingLocationId", invoicesByRegion("billingLocationId", "2026-03-01", "2026-03-31"),
					"By the billing location, {r1.invoices} invoices were issued for the {r1.region} in March 2026, {r2.invoices} for the {r2.region}, {r3.invoices} for the {r3.region} and {r4.invoices} for the {r4.region}."},
				{"shippingLocationId", invoicesByRegion("shippingLocationId", "2026-03-01", "2026-03-31"),
					"By the site where the work was done, {r1.invoices} invoices were issued for the {r1.region} in March 2026, {r2.invoices} for the {r2.region}, {r3.invoices} for the {r3.region} and {r4.invoices} for the {r4.region}."},
			},
		},
		{
			ID:       "overdue-for-malmo",
			Shows:    "an empty result and a second try: the name is stored with its accent",
			Question: "Which work orders are overdue for Malmo Harbour Logistics on 31 March 2026?",
			Tables:   []string{"workOrder", "workOrderStatus", "customer"},
			Periods:  overdue,
			Statements: []string{`
SELECT o.number, o.title, o.dueOn
FROM workOrder o
JOIN workOrderStatus s ON s.id = o.workOrderStatusId
JOIN customer c ON c.id = o.customerId
WHERE c.name = 'Malmo Harbour Logistics' AND s.isOpen = 1 AND o.dueOn < '2026-03-31'
ORDER BY o.dueOn`, `
SELECT o.number, o.title, o.dueOn
FROM workOrder o
JOIN workOrderStatus s ON s.id = o.workOrderStatusId
JOIN customer c ON c.id = o.customerId
WHERE c.name LIKE 'Malm_ Harbour%' AND s.isOpen = 1 AND o.dueOn < '2026-03-31'
ORDER BY o.dueOn`},
			Answer: "Three work orders are overdue for Malmö Harbour Logistics on 31 March 2026: WO-10229 (Yearly service, due 21 January 2026), WO-10236 (Acceptance inspection, due 2 February 2026) and WO-10272 (Yearly service, due 18 March 2026).",
		},
		{
			ID:       "overpaid",
			Shows:    "a result that is rightly empty",
			Question: "Have any invoices been paid more than their total?",
			Tables:   []string{"invoice", "payment"},
			Statements: []string{`
SELECT i.number, i.total, ROUND(SUM(p.amount), 2) AS paid
FROM invoice i
JOIN payment p ON p.invoiceId = i.id
GROUP BY i.id, i.number, i.total
HAVING ROUND(SUM(p.amount), 2) > ROUND(i.total, 2)
ORDER BY i.number`, `
SELECT i.number, i.total
FROM invoice i
WHERE ROUND(i.total, 2) < (SELECT ROUND(SUM(p.amount), 2) FROM payment p WHERE p.invoiceId = i.id)
ORDER BY i.number`},
			Answer: "No, no invoice has been paid more than its total.",
		},
		{
			ID:       "overdue",
			Shows:    "an aggregate over open work orders, and the question that the next one continues",
			Question: "Which customers have three or more overdue work orders on 31 March 2026?",
			Tables:   []string{"customer", "workOrder", "workOrderStatus"},
			Periods:  overdue,
			Statements: []string{`
SELECT c.name AS customer, COUNT(*) AS overdue
FROM workOrder o
JOIN workOrderStatus s ON s.id = o.workOrderStatusId
JOIN customer c ON c.id = o.customerId
WHERE s.isOpen = 1 AND o.dueOn < '2026-03-31'
GROUP BY c.id, c.name
HAVING COUNT(*) >= 3
ORDER BY overdue DESC, customer`},
			Answer: "Six customers have 3 overdue work orders each on 31 March 2026, and none has more: Clínica Santa Rita, Cork Creamery, Göteborg Ferries, Malmö Harbour Logistics, Nordlys Hospital and Pastelería Luna.",
			Reply:  "Six customers have {r1.overdue} overdue work orders each on 31 March 2026, and none has more: {r1.customer}, {r2.customer}, {r3.customer}, {r4.customer}, {r5.customer} and {r6.customer}.",
		},
		{
			ID:       "overdue-in-the-north",
			Shows:    "a follow-up question",
			Question: "And counting only sites in the North region?",
			Follows:  "overdue",
			Tables:   []string{"customer", "workOrder", "workOrderStatus", "customerLocation", "region"},
			Periods:  overdue,
			Statements: []string{`
SELECT c.name AS customer, COUNT(*) AS overdue
FROM workOrder o
JOIN workOrderStatus s ON s.id = o.workOrderStatusId
JOIN customer c ON c.id = o.customerId
JOIN customerLocation l ON l.id = o.customerLocationId
JOIN region r ON r.id = l.regionId
WHERE s.isOpen = 1 AND o.dueOn < '2026-03-31' AND r.name = 'North'
GROUP BY c.id, c.name
HAVING COUNT(*) >= 3
ORDER BY overdue DESC, customer`},
			Answer: "Counting only sites in the North region, one customer has three or more overdue work orders: Malmö Harbour Logistics, with 3.",
			Reply:  "Counting only sites in the North region, one customer has three or more overdue work orders: {r1.customer}, with {r1.overdue}.",
		},
		{
			ID:       "on-order",
			Shows:    "a table whose name is a reserved word: order",
			Question: "Which purchase orders have not arrived yet, from whom, and when are they expected?",
			Tables:   []string{"order", "supplier"},
			Statements: []string{`
SELECT s.name AS supplier, o.orderedOn, o.expectedOn
FROM ` + order + ` o
JOIN supplier s ON s.id = o.supplierId
WHERE o.receivedOn IS NULL
ORDER BY o.expectedOn, supplier`},
			Answer: "Two purchase orders have not arrived: one from Nordic Spares, ordered on 6 March 2026 and expected on 26 March 2026, and one from Duval Pièces, ordered on 30 March 2026 and expected on 9 April 2026.",
			Reply:  "Two purchase orders have not arrived: one from {r1.supplier}, ordered on {r1.orderedOn} and expected on {r1.expectedOn}, and one from {r2.supplier}, ordered on {r2.orderedOn} and expected on {r2.expectedOn}.",
		},
		{
			ID:       "expired-certificates",
			Shows:    "a table joined to itself: employee.managerId",
			Question: "Who works with a High voltage certificate that expired before 31 March 2026, and who is their manager?",
			Tables:   []string{"employee", "employeeSkill", "skill"},
			Periods:  []Period{{"before 31 March 2026", "", "2026-03-31"}},
			Statements: []string{`
SELECT CONCAT(e.firstName, ' ', e.lastName) AS employee, es.expiresOn, CONCAT(m.firstName, ' ', m.lastName) AS manager
FROM employee e
JOIN employeeSkill es ON es.employeeId = e.id
JOIN skill k ON k.id = es.skillId
JOIN employee m ON m.id = e.managerId
WHERE k.name = 'High voltage' AND es.expiresOn < '2026-03-31' AND e.isActive = 1
ORDER BY es.expiresOn, employee`},
			Answer: "Five people work with a High voltage certificate that expired before 31 March 2026: Maëlle Virtanen (3 July 2024), Jürgen Lindqvist (4 September 2024), Tereza Bergström (28 September 2025) and Wiebke Jokinen (3 November 2025), all managed by Inês Åkesson, and Maëlle O'Brien (29 January 2026), managed by Luís Černý.",
		},
	}
}

// invoicesByRegion returns a statement that counts the invoices of some days by the region
// of one of their locations. A region without invoices has 0.
func invoicesByRegion(location, from, to string) string {
	return `
SELECT r.name AS region, COUNT(i.id) AS invoices
FROM region r
LEFT JOIN customerLocation l ON l.regionId = r.id
LEFT JOIN invoice i ON i.` + location + ` = l.id AND i.issuedOn BETWEEN '` + from + `' AND '` + to + `'
GROUP BY r.id, r.name
ORDER BY invoices DESC, region`
}
