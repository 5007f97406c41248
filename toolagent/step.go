package toolagent

import (
	"encoding/json"

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

// repairText returns the message for a reply that cannot be used.
func repairText(problem string) string {
	return "Your last reply cannot be used: " + problem + ".\nNone of its calls was made. Reply again, with the " +
		"corrected calls or with the answer. Keep the reply short if it was too long."
}
