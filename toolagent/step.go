package toolagent

import (
	"encoding/json"
	"slices"

	"github.com/qedkit/qed/llm"
)

// malformed returns what is wrong with the form of the calls, or "". Models of this
// module return an error instead.
func malformed(calls []llm.ToolCall) string {
	for _, call := range calls {
		if len(call.Arguments) > 0 && !json.Valid(call.Arguments) {
			return "the arguments of " + call.Name + " are not JSON"
		}
	}
	return ""
}

// misses returns how the calls of a reply differ from what the model had to choose, or
// "". Some servers ignore the choice.
func misses(choice llm.ToolChoice, calls []llm.ToolCall) string {
	name, named := choice.Tool()
	called := slices.ContainsFunc(calls, func(c llm.ToolCall) bool { return c.Name == name })
	switch {
	case named && !called:
		return "it must call the tool " + name
	case choice == llm.ToolChoiceRequired && len(calls) == 0:
		return "it must call a tool"
	case choice == llm.ToolChoiceNone && len(calls) > 0:
		return "it must be a text, because no tool can be called now"
	}
	return ""
}

// repairText returns the message for a reply that cannot be used.
func repairText(problem string) string {
	return "Your last reply cannot be used: " + problem + ".\nNone of its calls was made. Reply again, with the " +
		"corrected calls or with the answer. Keep the reply short if it was too long."
}
