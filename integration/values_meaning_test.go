package integration

import (
	"testing"

	"github.com/qedkit/qed/internal/valuestest"
	"github.com/qedkit/qed/sqlagent/values"
)

// meaningQuestions are questions that name a value in words that do not look like
// it. Those without a value name none. The defaults of values.Dictionary.WithMeaning were
// chosen with the questions of the company, and not with those of the clinic.
var meaningQuestions = map[string]struct {
	values    map[string][]string
	questions map[string]string
}{
	"company": {map[string][]string{
		"asset.kind":          {"Container", "Crane", "Forklift", "Passenger Car", "Ship", "Truck"},
		"employee.department": {"Accounting", "Human Resources", "Legal", "Logistics", "Marketing", "Purchasing", "Research and Development"},
		"invoice.state":       {"Disputed", "Open", "Overdue", "Paid"},
		"site.country":        {"France", "Germany", "Netherlands", "Spain", "United States"},
		"work_order.priority": {"High", "Low", "Medium", "Urgent"},
		"work_order.status":   {"Approved", "Cancelled", "Completed", "Draft", "In Progress", "On Hold", "Rejected"},
	}, map[string]string{
		"Which orders are finished?":                              "Completed",
		"How many jobs were called off last month?":               "Cancelled",
		"Show the orders that are paused":                         "On Hold",
		"Which orders are being worked on right now?":             "In Progress",
		"Which requests were turned down?":                        "Rejected",
		"Which orders were given the go-ahead?":                   "Approved",
		"List the orders that are not yet final":                  "Draft",
		"Which orders are critical?":                              "Urgent",
		"Who works in HR?":                                        "Human Resources",
		"How many people does the R&D team have?":                 "Research and Development",
		"Which lawyers do we employ?":                             "Legal",
		"Who is in procurement?":                                  "Purchasing",
		"Who is in the advertising team?":                         "Marketing",
		"How many bookkeepers are there?":                         "Accounting",
		"Which vessels are at the dock?":                          "Ship",
		"How many lorries need new tyres?":                        "Truck",
		"Which automobiles are leased?":                           "Passenger Car",
		"How much do bills amount to that were settled?":          "Paid",
		"Which bills are past their due date?":                    "Overdue",
		"Which bills does the customer contest?":                  "Disputed",
		"Which bills are still unpaid?":                           "Open",
		"Which sites are in the USA?":                             "United States",
		"Which sites are in Holland?":                             "Netherlands",
		"Which sites are in the Federal Republic of Deutschland?": "Germany",

		"How many employees are there?":                 "",
		"What is the total revenue of last year?":       "",
		"List the ten largest customers by turnover":    "",
		"Which supplier has the lowest price per unit?": "",
		"How many hours did each technician work?":      "",
		"What is the average salary?":                   "",
		"When was the last inspection?":                 "",
		"Compare the sales of this year and last year":  "",
		"Which products were sold most often?":          "",
		"Show the address of each customer":             "",
		"How long does a delivery take on average?":     "",
		"Which day of the week has the most visitors?":  "",
	}},
	"clinic": {map[string][]string{
		"appointment.outcome":    {"Attended", "No Show", "Rescheduled"},
		"claim.state":            {"Denied", "Pending", "Reimbursed", "Submitted"},
		"patient.blood_pressure": {"Elevated", "Hypertensive", "Normal"},
		"patient.insurance":      {"Private", "Public", "Uninsured"},
		"staff.specialty":        {"Anesthesiology", "Cardiology", "Dermatology", "Oncology", "Ophthalmology", "Pediatrics"},
		"visit.kind":             {"Emergency", "Follow-up", "Routine Checkup", "Telehealth"},
	}, map[string]string{
		"Which doctors treat the heart?":                    "Cardiology",
		"Who looks after children?":                         "Pediatrics",
		"How many skin doctors do we have?":                 "Dermatology",
		"Which physicians treat cancer?":                    "Oncology",
		"Who can examine eyes?":                             "Ophthalmology",
		"How many appointments were missed by the patient?": "No Show",
		"Which appointments were moved to another day?":     "Rescheduled",
		"Which claims were refused?":                        "Denied",
		"Which claims are awaiting a decision?":             "Pending",
		"How much was paid back on claims?":                 "Reimbursed",
		"How many patients have high blood pressure?":       "Hypertensive",
		"How many patients have no health coverage?":        "Uninsured",
		"How many visits were by video call?":               "Telehealth",
		"How many visits were urgent?":                      "Emergency",
		"Which visits were yearly examinations?":            "Routine Checkup",

		"How many patients are there?":             "",
		"What is the average age of patients?":     "",
		"Which nurse worked the most hours?":       "",
		"List the phone numbers of all patients":   "",
		"How long do patients wait on average?":    "",
		"Which rooms are on the second floor?":     "",
		"What did we spend on medicine last year?": "",
		"How many staff members joined in March?":  "",
	}},
}

// BenchmarkValuesByMeaning reports how many of the values that questions mean are
// found, and how many others are found for all questions together.
func BenchmarkValuesByMeaning(b *testing.B) {
	e := embeddings(b)
	for name, set := range meaningQuestions {
		spelled := valuestest.Dictionary(b, values.Caller{}, false, set.values)
		meant, err := spelled.WithMeaning(b.Context(), e)
		if err != nil {
			b.Fatal(err)
		}
		for kind, d := range map[string]*values.Dictionary{"words": spelled, "meaning": meant} {
			b.Run(name+"/"+kind, func(b *testing.B) {
				var found, named, others int
				for b.Loop() {
					found, named, others = 0, 0, 0
					for question, want := range set.questions {
						matches, err := d.Search(b.Context(), values.Query{Text: question})
						if err != nil {
							b.Fatal(err)
						}
						if want != "" {
							named++
						}
						for _, m := range matches {
							if m.Value == want {
								found++
							} else {
								others++
							}
						}
					}
				}
				b.ReportMetric(float64(found), "found")
				b.ReportMetric(float64(named), "named")
				b.ReportMetric(float64(others), "others")
			})
		}
	}
}
