package shipping

import "fmt"

// A Scenario is a conversation with the agent: what a user says, turn by turn, and what
// a model says to the agent that answers.
type Scenario struct {
	Number int
	Title  string
	User   User
	Turns  []Turn
}

// A Turn is a message of the user.
type Turn struct {
	Text string

	// Reading is what it is for a model beside the question that is open. Empty: the
	// model is not asked, as none is open, or as it is one of the options.
	Reading string

	// Intent is what it is for a model beside the plan that is open, and what was found
	// before. Empty: the model is not asked, as there is neither, or the Reading tells.
	Intent string

	// Question is the message as it is rewritten. Empty: it only answers a question, and
	// the plan stays.
	Question string

	Plan Plan
}

// A Plan is what a model plans for a turn.
type Plan struct {
	Retrieval  string
	DataSource string
	Tasks      []Task
}

// A Task is one of a plan.
type Task struct {
	Key         string
	Description string
	Tool        string
	Arguments   map[string]any
	CanClarify  bool

	// Reply is what a model says where the task's tool asks it: a text, or what becomes
	// JSON. Nil: it is not asked.
	Reply any
}

// Scenarios returns the conversations, by their numbers from 1.
func Scenarios() []Scenario {
	return []Scenario{
		{1, "A request that leaves nothing open", Ana, []Turn{shipments()}},
		{2, "Which Miami is meant is asked, and answered", Ben, []Turn{shipments(), {Text: "Port of Miami"}}},
		{3, "The answer changes the request", Ben, []Turn{shipments(), shipmentsWithArrival()}},
		{4, "The user wants something else instead", Ben, []Turn{shipments(), containerStatus()}},
		{5, "What was found is analysed", Ana, []Turn{shipments(), delayPatterns(), delayChart()}},
		{6, "One container, from the GraphQL server", Ana, []Turn{oneContainer()}},
	}
}

func shipments() Turn {
	const question = "Retrieve all shipments that arrived at Miami between 2025-01-08 and 2025-01-15."
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
	const question = "Retrieve all shipments that arrived at Port of Miami between 2025-01-08 and 2025-01-15, with their arrival dates."
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

// arrivals is the plan to find what arrived, in the week before [Now], at the Port of
// Miami, by the name that the user has for it.
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

// containersOf counts the company's containers of a status, which the scripted model
// reads in the rows.
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

// buildSearch writes a search: with the entities that were resolved where it is so said.
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

// result stands for what an earlier task returned.
func result(path string) map[string]any { return map[string]any{"$result": path} }
