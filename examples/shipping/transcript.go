package shipping

import (
	"encoding/json"
	"strings"

	"github.com/qedkit/qed/examples/internal/chat"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
)

// Replay returns rules by which a scripted model says what scenarios hold. They look at
// nothing but the request.
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
	message := chat.Asks("<message>\n", t.Text)
	var rules []llmtest.Rule
	if t.Reading != "" {
		rules = append(rules, reply("read_reply", message, map[string]any{"intent": t.Reading, "reason": reasons[t.Reading]}))
	}
	if t.Intent != "" {
		rules = append(rules, reply("classify_intent", message, map[string]any{"intent": t.Intent, "reason": reasons[t.Intent]}))
	}
	if t.Question == "" {
		return rules
	}
	rules = append(rules,
		reply("reiterate_intention", chat.Asks("<request>\n", t.Text), map[string]any{"question": t.Question}),
		reply("plan_todos", chat.Asks("<request>\n", t.Question), t.Plan.said()))
	for _, task := range t.Plan.Tasks {
		if task.Reply != nil {
			rules = append(rules, reply(task.Tool, mentions(t.Question), task.Reply))
		}
	}
	return rules
}

// reasons are why a message is taken for what it is.
var reasons = map[string]string{
	"modification": "it answers, and wants something more",
	"new_request":  "it gives up what was asked for",
	"continuation": "it is about what was found before",
}

// said is a plan as a model says it.
func (p Plan) said() map[string]any {
	tasks := make([]map[string]any, len(p.Tasks))
	for i, t := range p.Tasks {
		tasks[i] = map[string]any{"key": t.Key, "description": t.Description, "tool": t.Tool, "arguments": quote(t.Arguments), "can_clarify": t.CanClarify}
	}
	return map[string]any{"retrieval": p.Retrieval, "data_source": p.DataSource, "query_mode": "create_new", "tasks": tasks}
}

func reply(name string, match func(*llm.Request) bool, with any) llmtest.Rule {
	r := llmtest.Reply{JSON: with}
	if text, ok := with.(string); ok {
		r = llmtest.Reply{Text: text}
	}
	return llmtest.Rule{Name: name, Match: match, Replies: []llmtest.Reply{r}, Repeat: true}
}

// mentions matches requests in which a text stands, quoted.
func mentions(text string) func(*llm.Request) bool {
	quoted := quote(text)
	return func(r *llm.Request) bool {
		return strings.Contains(r.Messages[len(r.Messages)-1].Content, quoted)
	}
}

// quote returns the JSON of what a scenario holds, which always has one.
func quote(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}
