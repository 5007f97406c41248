package orders

import (
	"encoding/json"
	"slices"
	"strings"

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

// The titles of the charts.
const (
	byJobChart     = "Orders on time, by job and team"
	byQuarterChart = "Waiting days by quarter"
)

type object = map[string]any

// Transcript returns the rules of a model that explores the orders. Each reply needs
// what the results before it say: without the planted faults in them it is not given.
// [Model] writes the reports.
func Transcript() []llmtest.Rule {
	return []llmtest.Rule{
		rule("report", "", nil, ""),

		// The second question.
		rule("step", Recorded[1], []string{`"verdict":"not_checked"`, "\"quarter\\\" may explain it"}, loginsText),
		rule("step", Recorded[1], []string{"2023-Q1", "2024-Q4"}, "",
			call("7", "createVisualization", object{
				"chartType": "line", "title": byQuarterChart, "sqlQuery": byQuarter,
				"spec": object{"mark": "line", "encoding": object{
					"x": object{"field": "quarter", "type": "ordinal"}, "y": object{"field": "wait", "type": "quantitative"},
				}},
			}),
			call("8", "validateAnalysis", object{
				"finding": "Customers log in more often because they wait longer.", "relatedQuery": byQuarter,
				"claim": object{
					"causal": true, "kind": "correlation", "metric": "app_logins", "with": "wait_days", "comparison": "more",
					"stratifiers": []string{"quarter"},
				},
			})),
		rule("step", Recorded[1], nil, "",
			call("6", "executeSQLQuery", object{"query": byQuarter, "reason": "both over time"})),

		// The first question.
		rule("step", Recorded[0], []string{`"verdict":"contradicted"`, `"name":"simpson"`, "2024-07", "2024-03-17"}, teamsText),
		rule("step", Recorded[0], []string{`["overhaul","Alpha",`, `["overhaul","Beta",`}, "",
			call("3", "validateAnalysis", object{
				"finding": "Beta is on time more often than Alpha.", "relatedQuery": byTeam,
				"claim": object{
					"causal": false, "kind": "shares", "metric": "on_time", "outcome": "1",
					"by": "team", "groups": []string{"Beta", "Alpha"}, "comparison": "more",
				},
			}),
			call("4", "createVisualization", object{
				"chartType": "bar", "title": byJobChart, "sqlQuery": byJob,
				"spec": object{"mark": "bar", "encoding": object{
					"x": object{"field": "job", "type": "nominal"}, "y": object{"field": "on_time_percent", "type": "quantitative"},
					"xOffset": object{"field": "team"}, "color": object{"field": "team", "type": "nominal"},
				}},
			}),
			call("5", "executeSQLQuery", object{"query": byMonth, "reason": "the profile has outliers of the invoice"}),
			call("5b", "executeSQLQuery", object{"query": doubled, "reason": "the profile has equal order numbers"})),
		{Name: "step", Contains: []string{"60575"}, Match: results(Recorded[0], nil), Repeat: true, Replies: []llmtest.Reply{{
			ToolCalls: []llm.ToolCall{
				call("1", "profileData", object{"columns": []string{"order_id", "invoice", "on_time", "rating"}}),
				call("2", "executeSQLQuery", object{"query": byTeam, "reason": "compare the teams"}),
				call("2b", "executeSQLQuery", object{"query": byJob, "reason": "the same for each kind of job"}),
			},
		}}},
	}
}

// rule has the reply to a question after results that contain all texts.
func rule(name, question string, contains []string, text string, calls ...llm.ToolCall) llmtest.Rule {
	return llmtest.Rule{
		Name: name, Match: results(question, contains), Repeat: true,
		Replies: []llmtest.Reply{{Text: text, ToolCalls: calls}},
	}
}

// results matches requests whose last message of the user has the question, with all texts
// after it: what was said before in the conversation does not count.
func results(question string, contains []string) func(*llm.Request) bool {
	return func(r *llm.Request) bool {
		asked := len(r.Messages) - 1
		for asked > 0 && r.Messages[asked].Role != llm.RoleUser {
			asked--
		}
		var after strings.Builder
		for _, m := range r.Messages[asked:] {
			after.WriteString(m.Text() + "\n")
		}
		missing := func(text string) bool { return !strings.Contains(after.String(), text) }
		return !missing(question) && !slices.ContainsFunc(contains, missing)
	}
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
	"- Repairs: Alpha is on time for {t3.r5.on_time_percent:1} %, Beta for {t3.r6.on_time_percent:1} %.\n" +
	"- The mean invoice of {t4.r1.month} is {t4.r1.mean_invoice / t4.r2.mean_invoice:0} times that of {t4.r2.month}, " +
	"the month with the next highest: it may be in cents.\n" +
	"- {t5.r1.extra_rows} orders from {t5.r1.first_day} to {t5.r1.last_day} are in the file twice."

const loginsText = "The data do not show that. Logins and waiting days both grow from quarter to quarter, " +
	"and within a quarter they have nothing to do with each other.\n" +
	"- Waiting grew from {t1.r1.wait:1} to {t1.r8.wait:1} days, and logins from {t1.r1.logins:0} to {t1.r8.logins:0}.\n" +
	"- The check of the correlation objects: the quarter may explain it."
