package shipping

import (
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/qedkit/qed/examples/internal/replay"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
)

// Replay returns the rules of a scripted model that replies as recorded in scenarios. A
// rule depends on the request alone.
func Replay(scenarios ...Scenario) []llmtest.Rule {
	var rules []llmtest.Rule
	for _, s := range scenarios {
		for _, t := range s.Turns {
			rules = append(rules, t.rules()...)
		}
	}
	return rules
}

func (t Turn) rules() []llmtest.Rule {
	message := replay.Asks("<message>\n", t.Text)
	var rules []llmtest.Rule
	if t.Reading != "" {
		rules = append(rules, replay.Rule("read_reply", message, map[string]any{"intent": t.Reading, "reason": reasons[t.Reading]}))
	}
	if t.Intent != "" {
		rules = append(rules, replay.Rule("classify_intent", message, map[string]any{"intent": t.Intent, "reason": reasons[t.Intent]}))
	}
	if t.Question == "" {
		return rules
	}
	rules = append(rules,
		replay.Rule("reiterate_intention", replay.Asks("<request>\n", t.Text), map[string]any{"question": t.Question}),
		replay.Rule("plan_todos", replay.Asks("<request>\n", t.Question), t.Plan.reply()))
	for _, task := range t.Plan.Tasks {
		if task.Reply != nil {
			known := append(task.entities(), prompt.Quote(t.Question))
			match := func(r *llm.Request) bool { return replay.Mentions(r, known...) }
			rules = append(rules, replay.Rule(task.Tool, match, task.Reply))
		}
	}
	return rules
}

// reasons are the model's reasons for an intent.
var reasons = map[string]string{
	"modification": "it answers, and wants something more",
	"new_request":  "it gives up what was asked for",
	"continuation": "it is about what was found before",
}

// reply returns the plan in the form of the model's reply.
func (p Plan) reply() map[string]any {
	tasks := make([]map[string]any, len(p.Tasks))
	for i, t := range p.Tasks {
		tasks[i] = map[string]any{"key": t.Key, "description": t.Description, "tool": t.Tool, "arguments": quote(t.Arguments), "can_clarify": t.CanClarify}
	}
	return map[string]any{"retrieval": p.Retrieval, "query_mode": "create_new", "tasks": tasks}
}

var portName = regexp.MustCompile(`"port_name":("[^"]+")`)

// entities returns the quoted names of the ports that a recorded search has from
// resolved entities. The model can write it only if the request has them.
func (t Task) entities() []string {
	var names []string
	for _, found := range portName.FindAllStringSubmatch(fmt.Sprint(t.Reply), -1) {
		names = append(names, found[1])
	}
	return names
}

// quote returns the JSON of a value of a scenario.
func quote(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // not reached: the scenarios can be encoded
	}
	return string(text)
}
