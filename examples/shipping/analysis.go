package shipping

// These turns follow a search: an analysis of its rows, and a chart.

// lastWeeksArrivals describes the rows of the first search.
const lastWeeksArrivals = "the shipments that arrived at Port of Miami from 2025-01-08 to 2025-01-14"

func delayPatterns() Turn {
	const question = "Analyse the delay patterns in " + lastWeeksArrivals + "."
	return followUp("analyze delay patterns in these results", question,
		Task{
			Key: "run_statistical_analysis", Description: "Compare the delays of the carriers", Tool: "stats_analysis",
			Arguments: map[string]any{"rows": result("retrieve_query_metadata/rows"), "columns": []any{"delay_hours"}, "group_by": "carrier"},
		},
		Task{
			Key: "identify_delay_patterns", Description: "Look for trends and for what stands out", Tool: "pattern_recognition",
			Arguments: map[string]any{"rows": result("retrieve_query_metadata/rows"), "value": "delay_hours", "time": "arrival_date", "period": "day", "aggregate": "median"},
		},
		Task{
			Key: "generate_insights", Description: "Say what that shows", Tool: "generate_insights",
			Arguments: map[string]any{
				"request": question,
				"findings": map[string]any{
					"statistics": result("run_statistical_analysis"),
					"patterns":   result("identify_delay_patterns"),
				},
			},
			Reply: map[string]any{"insights": []any{
				insight("Meridian Lines is late throughout: the median delay of its 27 shipments is 21.5 hours, and that of no other carrier is above 4.",
					"median delay of Meridian Lines, in hours", "21.5"),
				insight("Delays grow over the week: the median was 1.75 hours on 2025-01-08 and 8.5 on 2025-01-14.",
					"median on 2025-01-14, in hours", "8.5"),
				insight("Single shipments stand out: SH-11141 was 118.5 hours late, SH-11211 104 and SH-11041 96.",
					"longest delay, in hours", "118.5"),
			}},
		},
	)
}

func delayChart() Turn {
	return followUp("show me that as a chart, by carrier", "Draw the median delay of each carrier for "+lastWeeksArrivals+".",
		Task{
			Key: "draw_chart", Description: "Draw the delays", Tool: "visualization_generator",
			Arguments: map[string]any{
				"rows": result("retrieve_query_metadata/rows"), "title": "Median delay by carrier, in hours",
				"kind": "bar", "x": "carrier", "y": "delay_hours", "aggregate": "median",
			},
		},
	)
}

// followUp is a turn about rows that were found before. Its plan begins with the rows of
// memory entry 4, the search of the first turn.
func followUp(text, question string, tasks ...Task) Turn {
	get := Task{
		Key: "retrieve_query_metadata", Description: "Get the shipments that were found", Tool: "retrieve_query_metadata",
		Arguments: map[string]any{"turn_id": 4},
	}
	return Turn{Text: text, Intent: "continuation", Question: question, Plan: Plan{"none", "none", append([]Task{get}, tasks...)}}
}

// insight is a sentence of the model with the figure that supports it.
func insight(text, label, value string) map[string]any {
	return map[string]any{"text": text, "figures": []any{map[string]any{"label": label, "value": value}}}
}
