package todoagent_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/todoagent"
)

// All problems of a plan's arguments are reported at once, so that the model
// can fix them in one try. A reference to a result is not a problem.
func TestTellsWrongArguments(t *testing.T) {
	count := qed.Tool{
		Name: "count", Idempotent: true,
		Input: json.RawMessage(`{"type":"object","properties":{"port":{"type":"string"},"limit":{"type":"integer","maximum":5},
			"terms":{"type":"array","minItems":1,"items":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}}},
			"required":["port"],"additionalProperties":false}`),
		Call: func(context.Context, json.RawMessage) (json.RawMessage, error) {
			return json.RawMessage(`{"text":"counted"}`), nil
		},
	}
	const first = `{"$result":"first/text"}`
	for name, test := range map[string]struct {
		arguments string
		says      string // empty: the plan is good
	}{
		"good":                        {`{"port":"x","limit":5,"terms":[{"text":"y"}]}`, ""},
		"results":                     {`{"port":` + first + `,"limit":` + first + `,"terms":[` + first + `,{"text":` + first + `}]}`, ""},
		"null for nothing":            {`{"port":` + first + `,"limit":null}`, ""},
		"all that is wrong":           {`{"prt":"x","limit":"a","terms":[]}`, "/port: is missing; /limit: is string, want integer; /prt: is unknown; did you mean port? Known are limit, port, terms; /terms: has 0 items, want at least 1"},
		"next to a result":            {`{"prt":` + first + `,"limit":"a"}`, "/port: is missing; /limit: is string, want integer; /prt: is unknown; did you mean port? Known are limit, port, terms"},
		"in a list next to a result":  {`{"port":"x","terms":[` + first + `,{"txt":"y"},"z"]}`, "/terms/1/text: is missing; /terms/1/txt: is unknown; did you mean text? Known are text; /terms/2: is string, want object"},
		"too large next to a result":  {`{"port":` + first + `,"limit":6}`, "/limit: is too large, want at most 5"},
		"no object":                   {`[]`, "the JSON is array, want object"},
		"text":                        {`port`, "the JSON is malformed"},
		"a reference to nothing":      {`{"port":{"$result":5}}`, "/port: is object, want string"},
		"a reference next to another": {`{"port":{"$result":5},"limit":` + first + `}`, "/port: is object, want string"},
	} {
		t.Run(name, func(t *testing.T) {
			say := task("first", "say", `{"text":"1"}`)
			plans := []llmtest.Reply{planned(say, task("count", "count", test.arguments))}
			if test.says != "" {
				plans = append(plans, planned(say, task("count", "count", `{"port":"x"}`)))
			}
			model := todoModel(t, map[string][]llmtest.Reply{"plan_todos": plans})
			newTodoTalk(t, model, todoTools(t, count), &todoagent.Options{ApprovePlan: true}).say("go")
			requests := model.Requests()
			last := requests[len(requests)-1].Messages // the model refuses a request too few, and one too many
			if text := last[len(last)-1].Content; !strings.Contains(text, test.says) {
				t.Errorf("the model did not get %q, but %s", test.says, text[max(0, len(text)-600):])
			}
		})
	}
}
