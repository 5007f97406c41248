package orders

import (
	"encoding/json"

	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
)

// Recorded are the questions of the transcript, in their order.
var Recorded = []string{
	"Which team is on time more often, and can we trust the invoices?",
	"Do customers log in more often because they wait longer?",
}

// The statements of the transcript.
const (
	byTeam = "SELECT team, count(*) AS orders, 100.0 * avg(on_time) AS on_time_percent " +
		"FROM t_parsed GROUP BY team ORDER BY team"
	byJob = "SELECT job, team, count(*) AS orders, 100.0 * avg(on_time) AS on_time_percent " +
		"FROM t_parsed GROUP BY job, team ORDER BY job, team"

	byMonth = "SELECT substr(ordered_on, 1, 7) AS month, avg(invoice) AS mean_invoice FROM t_parsed " +
		"GROUP BY substr(ordered_on, 1, 7) ORDER BY mean_invoice DESC LIMIT 3"
	doubled = "SELECT min(day) AS first_day, max(day) AS last_day, count(*) AS days, sum(extra) AS extra_rows FROM (" +
		"SELECT ordered_on AS day, count(*) - count(DISTINCT order_id) AS extra " +
		"FROM t_parsed GROUP BY ordered_on) AS d WHERE extra > 0"
	byQuarter = "SELECT quarter, avg(app_logins) AS logins, avg(wait_days) AS wait " +
		"FROM t_parsed GROUP BY quarter ORDER BY quarter"
)

type object = map[string]any

// Transcript returns the rules of a model that explores the orders. Each reply needs
// what the results before it say: without the planted faults in them it is not given.
func Transcript() []llmtest.Rule {
	return []llmtest.Rule{
		rule("report", []string{Recorded[0], Recorded[1], "chart_", byTeam, byQuarter}, reportText),

		// The second question.
		rule("step", []string{Recorded[1], `"verdict":"doubtful"`, "\"quarter\\\" may explain it"}, loginsText),
		rule("step", []string{Recorded[1], "2023-Q1", "2024-Q4"}, "",
			call("7", "createVisualization", object{
				"chartType": "line", "title": "Waiting days by quarter", "sqlQuery": byQuarter,
				"spec": object{"mark": "line", "encoding": object{
					"x": object{"field": "quarter", "type": "ordinal"}, "y": object{"field": "wait", "type": "quantitative"},
				}},
			}),
			call("8", "validateAnalysis", object{
				"finding": "Customers log in more often because they wait longer.", "relatedQuery": byQuarter,
				"claim": object{
					"kind": "correlation", "metric": "app_logins", "with": "wait_days", "comparison": "more",
					"stratifiers": []string{"quarter"},
				},
			})),
		rule("step", []string{Recorded[1]}, "",
			call("6", "executeSQLQuery", object{"query": byQuarter, "reason": "both over time"})),

		// The first question.
		rule("step", []string{`"verdict":"contradicted"`, `"name":"simpson"`, "2024-07", "2024-03-17"}, teamsText),
		rule("step", []string{`["overhaul","Alpha",`, `["overhaul","Beta",`}, "",
			call("3", "validateAnalysis", object{
				"finding": "Beta is on time more often than Alpha.", "relatedQuery": byTeam,
				"claim": object{
					"kind": "shares", "metric": "on_time", "outcome": "1",
					"by": "team", "groups": []string{"Beta", "Alpha"}, "comparison": "more",
				},
			}),
			call("4", "createVisualization", object{
				"chartType": "bar", "title": "Orders on time, by job and team", "sqlQuery": byJob,
				"spec": object{"mark": "bar", "encoding": object{
					"x": object{"field": "job", "type": "nominal"}, "y": object{"field": "on_time_percent", "type": "quantitative"},
					"xOffset": object{"field": "team"}, "color": object{"field": "team", "type": "nominal"},
				}},
			}),
			call("5", "executeSQLQuery", object{"query": byMonth, "reason": "the profile has outliers of the invoice"}),
			call("5b", "executeSQLQuery", object{"query": doubled, "reason": "the profile has equal order numbers"})),
		rule("step", []string{"60575"}, "",
			call("1", "profileData", object{"columns": []string{"order_id", "invoice", "on_time", "rating"}}),
			call("2", "executeSQLQuery", object{"query": byTeam, "reason": "compare the teams"}),
			call("2b", "executeSQLQuery", object{"query": byJob, "reason": "the same for each kind of job"})),
	}
}

func rule(name string, contains []string, text string, calls ...llm.ToolCall) llmtest.Rule {
	return llmtest.Rule{Name: name, Contains: contains, Replies: []llmtest.Reply{{Text: text, ToolCalls: calls}}, Repeat: true}
}

func call(id, tool string, arguments any) llm.ToolCall {
	raw, err := json.Marshal(arguments)
	if err != nil {
		panic(err) // the arguments are constants
	}
	return llm.ToolCall{ID: id, Name: tool, Arguments: raw}
}

const teamsText = "Beta is on time more often ({t2.r2.on_time_percent:1} % of its orders) than Alpha ({t2.r1.on_time_percent:1} %), " +
	"but only because Beta has the easy jobs: for each kind of job Alpha is on time more often. " +
	"The invoices of {t4.r1.month} cannot be trusted.\n" +
	"- Overhauls: Alpha is on time for {t3.r3.on_time_percent:1} %, Beta for {t3.r4.on_time_percent:1} %.\n" +
	"- Installations: Alpha is on time for {t3.r1.on_time_percent:1} %, Beta for {t3.r2.on_time_percent:1} %.\n" +
	"- The mean invoice of {t4.r1.month} is {t4.r1.mean_invoice / t4.r2.mean_invoice:0} times that of the next month: it may be in cents.\n" +
	"- {t5.r1.extra_rows} orders from {t5.r1.first_day} to {t5.r1.last_day} are in the file twice."

const loginsText = "The data do not show that. Logins and waiting days both grow from quarter to quarter, " +
	"and within a quarter they have nothing to do with each other.\n" +
	"- Waiting grew from {t1.r1.wait:1} to {t1.r8.wait:1} days, and logins from {t1.r1.logins:0} to {t1.r8.logins:0}.\n" +
	"- The check of the correlation objects: the quarter may explain it."

const reportText = "# Service orders of 2023 and 2024\n\n## Summary\n\n" +
	"Beta looks better than Alpha, {q1.r2.on_time_percent:1} % against {q1.r1.on_time_percent:1} %, because it has the easy jobs. " +
	"For each kind of job Alpha is on time more often.\n\n" +
	"| Job | Alpha | Beta |\n|---|---|---|\n" +
	"| install | {q2.r1.on_time_percent:1} % | {q2.r2.on_time_percent:1} % |\n" +
	"| overhaul | {q2.r3.on_time_percent:1} % | {q2.r4.on_time_percent:1} % |\n" +
	"| repair | {q2.r5.on_time_percent:1} % | {q2.r6.on_time_percent:1} % |\n\n" +
	"![Orders on time](chart:chart_a)\n\n" +
	"## Limitations\n\nThe invoices of {q3.r1.month} are about {q3.r1.mean_invoice / q3.r2.mean_invoice:0} times too high. " +
	"{q4.r1.extra_rows} rows from {q4.r1.first_day} to {q4.r1.last_day} are duplicates. " +
	"That customers who wait log in more often is not shown: both grow over the quarters.\n"
