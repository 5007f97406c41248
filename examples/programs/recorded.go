package main

import (
	"encoding/json"

	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
)

type object = map[string]any

// rule has the reply to the requests with a name that contain all texts. Each needs what
// the program has put into the prompt: a row, a result, an earlier draft.
func rule(name string, reply any, contains ...string) llmtest.Rule {
	r := llmtest.Reply{JSON: reply}
	switch v := reply.(type) {
	case string:
		r = llmtest.Reply{Text: v}
	case llm.ToolCall:
		r = llmtest.Reply{ToolCalls: []llm.ToolCall{v}}
	}
	return llmtest.Rule{Name: name, Contains: contains, Replies: []llmtest.Reply{r}, Repeat: true}
}

func recordedSQL() []llmtest.Rule {
	const most, least = "Which crew works most?", "And the least?"
	return []llmtest.Rule{
		rule("select_tables", object{"tables": []string{"crew"}}, "crew"),
		rule("generate", object{"sql": "SELECT name, hours FROM crew ORDER BY hours LIMIT 1"}, most, least),
		rule("generate", object{"sql": "SELECT name, hours FROM crew ORDER BY hours DESC LIMIT 1"}, most),
		rule("answer", "The crew {r1.name} works least: {r1.hours} hours.", least, `"South"`),
		rule("answer", "The crew {r1.name} works most: {r1.hours} hours.", most, `"North"`),
	}
}

func recordedMailing() []llmtest.Rule {
	return []llmtest.Rule{
		rule("", "ordered on Monday", "From the orders: "),
		rule("", "ten pumps are in stock", "From the stock: "),
		rule("", "Dear customer, the ten pumps that you ordered on Monday are ready.", "Write draft 1", "ordered on Monday", "in stock"),
		rule("", "Your ten pumps are ready.", "Write draft 2", "in stock"),
	}
}

func recordedHarbour() []llmtest.Rule {
	const full, quay = "Is Kiel full?", "What is a quay?"
	return []llmtest.Rule{
		rule("route", object{"route": "general"}, quay),
		rule("route", object{"route": "harbour"}, full),
		rule("reiterate_intention", object{"question": "Is the port of Kiel full?"}, full),
		rule("plan_todos", object{"tasks": []object{
			{"key": "port", "description": "Find the port", "tool": "find_port", "arguments": `{"port": "Kiel"}`},
			{"key": "count", "description": "Count its ships", "tool": "count_ships", "arguments": `{"port": {"$result": "port/port"}}`},
			{"key": "judge", "description": "Judge", "tool": "judge",
				"arguments": `{"port": {"$result": "port/port"}, "ships": {"$result": "count/ships"}}`},
		}}, "Is the port of Kiel full?", "count_ships"),
		rule("general", "A quay is a wall in a port at which ships lie and are loaded.", quay),
	}
}

func recordedRelay() []llmtest.Rule {
	call := llm.ToolCall{ID: "1", Name: "foreign_code", Arguments: json.RawMessage(`{"name":"Rotterdam"}`)}
	return []llmtest.Rule{
		rule("", "Its code is NLRTM.", "Rotterdam is NLRTM"),
		rule("", call, "Which code has Rotterdam?"),
	}
}
