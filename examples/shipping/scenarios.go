package shipping

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

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

// scenariosFile has the turns by a name, and the scenarios with the names of their turns.
//
//go:embed data/scenarios.json
var scenariosFile []byte

// Scenarios returns the conversations in the order of their numbers, from 1. Each call
// returns new ones.
func Scenarios() []Scenario {
	var read struct {
		Turns     map[string]Turn
		Scenarios []struct {
			Title, User string
			Turns       []string
		}
	}
	if err := json.Unmarshal(scenariosFile, &read); err != nil {
		panic(fmt.Sprintf("shipping: scenarios.json: %v", err)) // not reached: the file is embedded
	}
	users := map[string]User{Ana.Name: Ana, Ben.Name: Ben}
	scenarios := make([]Scenario, len(read.Scenarios))
	for i, s := range read.Scenarios {
		scenarios[i] = Scenario{Number: i + 1, Title: s.Title, User: users[s.User]}
		for _, name := range s.Turns {
			scenarios[i].Turns = append(scenarios[i].Turns, read.Turns[name])
		}
	}
	return scenarios
}
