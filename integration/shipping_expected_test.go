package integration_test

import (
	"strings"

	"github.com/qedkit/qed"
)

// shippingTurn is a summary of the result of a turn.
type shippingTurn struct {
	Intent   string
	Question string   // the rewritten one; empty: not rewritten
	Plan     []string // each task's key and tool; empty: the plan is an old one
	Source   string   // the kind of retrieval, and the data source
	Memory   []memoryEntry
	Asks     string
	Text     string

	Rows, Artifacts int
}

// memoryEntry is a summary of a memory entry.
type memoryEntry struct {
	TurnID int
	Key    string
	Tool   string
	Status qed.TodoStatus
	Next   string // the current task afterwards
	Query  string // its language and result
}

const (
	whichMiami = "Which Miami: Port of Miami or Miami Container Terminal?\n1. Port of Miami\n2. Miami Container Terminal"
	found142   = "elasticsearch: 142 rows found"
	allOf142   = "142 shipments arrived at the Port of Miami from 8 January up to and including 14 January 2025."

	shipmentsToMiami = "Retrieve all shipments that arrived at Miami from 2025-01-08 to 2025-01-14."
	manyFromElastic  = "multi_entity from elasticsearch"
)

var fiveTasks = []string{
	"resolve_entities by entity_resolution",
	"map_fields by field_mapping",
	"build_es_query by query_builder",
	"execute_es by es_executor",
	"summarize by llm_summary",
}

var analysisTasks = []string{
	"retrieve_query_metadata by retrieve_query_metadata",
	"run_statistical_analysis by stats_analysis",
	"identify_delay_patterns by pattern_recognition",
	"generate_insights by generate_insights",
}

var chartTasks = []string{
	"retrieve_query_metadata by retrieve_query_metadata",
	"draw_chart by visualization_generator",
}

var containerTasks = []string{
	"build_graphql_query by query_builder",
	"execute_graphql by graphql_executor",
	"summarize by llm_summary",
}

// done returns the memory entries of completed tasks, numbered from an entry on. The
// task that runs a query has the given result.
func done(from int, tasks []string, found string) []memoryEntry {
	entries := make([]memoryEntry, len(tasks))
	for i, task := range tasks {
		e := &entries[i]
		e.TurnID, e.Status = from+i, qed.TodoComplete
		e.Key, e.Tool, _ = strings.Cut(task, " by ")
		switch e.Tool {
		case "es_executor", "graphql_executor", "retrieve_query_metadata":
			e.Query = found
		}
		if i > 0 {
			entries[i-1].Next = e.Key
		}
	}
	return entries
}

// shipments is the first turn of a user whose request is clear.
var shipments = shippingTurn{
	Intent:   "new_request",
	Question: shipmentsToMiami,
	Plan:     fiveTasks,
	Source:   manyFromElastic,
	Memory:   done(1, fiveTasks, found142),
	Text:     allOf142,
	Rows:     142,
}

// asked is the first turn of a user who is asked which Miami they mean.
var asked = shippingTurn{
	Intent:   "new_request",
	Question: shipmentsToMiami,
	Plan:     fiveTasks,
	Source:   manyFromElastic,
	Memory:   []memoryEntry{{1, "resolve_entities", "entity_resolution", qed.TodoInterrupted, "resolve_entities", ""}},
	Asks:     whichMiami,
	Text:     whichMiami,
}

// expected holds the turns of each scenario.
var expected = map[int][]shippingTurn{
	1: {shipments},
	2: {asked, {
		Intent: "exact_answer",
		Source: manyFromElastic,
		Memory: done(2, fiveTasks, found142),
		Text:   allOf142,
		Rows:   142,
	}},
	3: {asked, {
		Intent:   "modification",
		Question: "Retrieve all shipments that arrived at Port of Miami from 2025-01-08 to 2025-01-14, with their arrival dates.",
		Plan:     fiveTasks,
		Source:   manyFromElastic,
		Memory:   done(2, fiveTasks, found142),
		Text:     "142 shipments arrived at the Port of Miami in that week; each is listed with its arrival date.",
		Rows:     142,
	}},
	4: {asked, {
		Intent:   "new_request",
		Question: "Retrieve the number of containers by their status.",
		Plan:     fiveTasks[1:],
		Source:   "aggregation from elasticsearch",
		Memory:   done(2, fiveTasks[1:], "elasticsearch: 5 rows found"),
		Text:     "Of the containers 2048 are delivered and 1352 at sea; 19 are held by customs.",
		Rows:     5,
	}},
	5: {shipments, {
		Intent:   "continuation",
		Question: "Analyse the delay patterns in the shipments that arrived at Port of Miami from 2025-01-08 to 2025-01-14.",
		Plan:     analysisTasks,
		Source:   "none from none",
		Memory:   done(6, analysisTasks, found142),
		Text: "- Meridian Lines is late throughout: the median delay of its 27 shipments is 21.5 hours, and that of no other carrier is above 4.\n" +
			"- Delays grow over the week: the median was 1.75 hours on 2025-01-08 and 8.5 on 2025-01-14.\n" +
			"- Single shipments stand out: SH-11141 was 118.5 hours late, SH-11211 104 and SH-11041 96.",
		Rows: 142,
	}, {
		Intent:    "continuation",
		Question:  "Draw the median delay of each carrier for the shipments that arrived at Port of Miami from 2025-01-08 to 2025-01-14.",
		Plan:      chartTasks,
		Source:    "none from none",
		Memory:    done(10, chartTasks, found142),
		Text:      "Bar chart: Median delay by carrier, in hours.",
		Rows:      142,
		Artifacts: 1,
	}},
	6: {{
		Intent:   "new_request",
		Question: "Where is container BACU1158556, and what shipment does it belong to?",
		Plan:     containerTasks,
		Source:   "single_entity from graphql",
		Memory:   done(1, containerTasks, "graphql: 1 row found"),
		Text:     "Container BACU1158556 of shipment SH-11134 is at the Port of Miami, held by customs.",
		Rows:     1,
	}},
}
