package shipping

// oneContainer is a question about one container, which the GraphQL server answers.
func oneContainer() Turn {
	c := held()
	question := "Where is container " + c.Number + ", and what shipment does it belong to?"
	return Turn{
		Text:     "Where is container " + c.Number + ", and what shipment is it of?",
		Question: question,
		Plan: Plan{"single_entity", "graphql", []Task{
			{
				Key: "build_graphql_query", Description: "Write the query", Tool: "query_builder", CanClarify: true,
				Arguments: map[string]any{"source": graphqlSource, "request": question, "mode": "create_new"},
				Reply:     map[string]any{"query": `{container(number: "` + c.Number + `") {number status port {name} lastMovedAt shipment {id status vessel {name} destination {name}}}}`},
			},
			{
				Key: "execute_graphql", Description: "Run the query", Tool: "graphql_executor",
				Arguments: map[string]any{"source": graphqlSource, "query": result("build_graphql_query/query")},
			},
			{
				Key: "summarize", Description: "Say what was found", Tool: "llm_summary",
				Arguments: map[string]any{"request": question, "rows": result("execute_graphql/rows")},
				Reply:     "Container " + c.Number + " of shipment " + c.ShipmentID + " is at the " + c.PortName + ", held by customs.",
			},
		}},
	}
}

// held returns a container of the company that is held by customs.
func held() Container {
	for _, c := range Story().Containers {
		if c.Company == Company && c.Status == "customs_hold" {
			return c
		}
	}
	panic("shipping: customs hold no container") // not reached: the story has some
}
