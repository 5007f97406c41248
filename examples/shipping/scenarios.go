package shipping

import "fmt"

// Scenario is a conversation with the agent: the messages of the user, with the model's
// replies in each turn.
type Scenario struct {
	Number int
	Title  string
	User   User
	Turns  []Turn
}

// Turn is a message of the user, with the model's replies to the agent.
type Turn struct {
	Text string

	// Reading is the model's intent for a message that replies to a question. Empty: the
	// model is not asked, because there is no question or the message is a choice.
	Reading string

	// Intent is the model's intent for a message that follows a plan. Empty: the model is
	// not asked, because there is no plan, or because of Reading.
	Intent string

	// Question is the rewritten message. Empty: the message only answers a question, and
	// the plan stays.
	Question string

	Plan Plan
}

// Plan is the model's plan for a turn.
type Plan struct {
	Retrieval  string
	DataSource string
	Tasks      []Task
}

// Task is a task of a plan.
type Task struct {
	Key         string
	Description string
	Tool        string
	Arguments   map[string]any
	CanClarify  bool

	// Reply is the model's reply to the task's tool: a text, or a value that is encoded as
	// JSON. Nil: the tool asks no model.
	Reply any
}

// Scenarios returns the conversations in the order of their numbers, from 1.
func Scenarios() []Scenario {
	return []Scenario{
		{1, "A clear request", Ana, []Turn{shipments()}},
		{2, "The agent asks which Miami, and the user answers", Ben, []Turn{shipments(), {Text: "Port of Miami"}}},
		{3, "The reply changes the request", Ben, []Turn{shipments(), shipmentsWithArrival()}},
		{4, "The user wants something else instead", Ben, []Turn{shipments(), containerStatus()}},
		{5, "The rows are analysed", Ana, []Turn{shipments(), delayPatterns(), delayChart()}},
		{6, "One container, from the GraphQL server", Ana, []Turn{oneContainer()}},
	}
}

func shipments() Turn {
	const question = "Retrieve all shipments that arrived at Miami from 2025-01-08 to 2025-01-14."
	return Turn{
		Text:     "Show shipments to Miami last week",
		Question: question,
		Plan: arrivals(question, "Miami",
			[]string{"destination port", "arrival date", "carrier", "vessel", "delay"},
			`"shipment_id","vessel_name","carrier","status","arrival_date","delay_hours"`,
			"142 shipments arrived at the Port of Miami from 8 January up to and including 14 January 2025."),
	}
}

func shipmentsWithArrival() Turn {
	const question = "Retrieve all shipments that arrived at Port of Miami from 2025-01-08 to 2025-01-14, with their arrival dates."
	return Turn{
		Text:     "Port of Miami, but also include arrival date",
		Reading:  "modification",
		Intent:   "modification",
		Question: question,
		Plan: arrivals(question, "Port of Miami",
			[]string{"destination port", "arrival date"},
			`"shipment_id","vessel_name","carrier","arrival_date"`,
			"142 shipments arrived at the Port of Miami in that week; each is listed with its arrival date."),
	}
}

// arrivals is the plan that finds the arrivals at the Port of Miami in the week before
// [Now]. The user calls the port by the given name.
func arrivals(question, port string, terms []string, columns, answer string) Plan {
	return Plan{"multi_entity", "elasticsearch", []Task{
		resolvePort(port),
		mapFields(ShipmentIndex, terms...),
		buildSearch(ShipmentIndex, question, true,
			`{"query":{"bool":{"filter":[{"term":{"port_name":"Port of Miami"}},{"range":{"arrival_date":{"gte":"2025-01-08","lt":"2025-01-15"}}}]}},`+
				`"_source":[`+columns+`],"sort":[{"arrival_date":"asc"},{"shipment_id":"asc"}]}`),
		runSearch(ShipmentIndex),
		summarize(question, answer),
	}}
}

func containerStatus() Turn {
	const question = "Retrieve the number of containers by their status."
	return Turn{
		Text:     "forget it, show me container status instead",
		Reading:  "new_request",
		Question: question,
		Plan: Plan{"aggregation", "elasticsearch", []Task{
			mapFields(ContainerIndex, "container status"),
			buildSearch(ContainerIndex, question, false, `{"size":0,"aggs":{"status":{"terms":{"field":"status","size":10}}}}`),
			runSearch(ContainerIndex),
			summarize(question, fmt.Sprintf("Of the containers %d are delivered and %d at sea; %d are held by customs.",
				containersOf("delivered"), containersOf("at_sea"), containersOf("customs_hold"))),
		}},
	}
}

// containersOf counts the company's containers with a status, for the answer of the
// scripted model.
func containersOf(status string) int {
	n := 0
	for _, c := range Story().Containers {
		if c.Company == Company && c.Status == status {
			n++
		}
	}
	return n
}

func resolvePort(name string) Task {
	return Task{
		Key: "resolve_entities", Description: "Find out which port " + name + " is", Tool: "entity_resolution", CanClarify: true,
		Arguments: map[string]any{"terms": []any{map[string]any{"kind": "port", "text": name}}},
	}
}

func mapFields(source string, terms ...string) Task {
	return Task{
		Key: "map_fields", Description: "Find the fields for what is asked", Tool: "field_mapping", CanClarify: true,
		Arguments: map[string]any{"terms": terms, "source": source},
	}
}

// buildSearch writes a search. If resolved is true it uses the resolved entities.
func buildSearch(index, question string, resolved bool, body string) Task {
	arguments := map[string]any{"source": index, "request": question, "fields": result("map_fields/fields"), "mode": "create_new"}
	if resolved {
		arguments["entities"] = result("resolve_entities/entities")
	}
	return Task{
		Key: "build_es_query", Description: "Write the search", Tool: "query_builder", CanClarify: true, Arguments: arguments,
		Reply: map[string]any{"query": body},
	}
}

func runSearch(index string) Task {
	return Task{
		Key: "execute_es", Description: "Run the search", Tool: "es_executor",
		Arguments: map[string]any{"source": index, "query": result("build_es_query/query")},
	}
}

func summarize(question, answer string) Task {
	return Task{
		Key: "summarize", Description: "Say what was found", Tool: "llm_summary",
		Arguments: map[string]any{"request": question, "rows": result("execute_es/rows")}, Reply: answer,
	}
}

// result is a reference to the result of an earlier task.
func result(path string) map[string]any { return map[string]any{"$result": path} }
