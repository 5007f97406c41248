package replytext

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// mayBeCall reports whether a text that begins with b can be a tool call as a whole:
// JSON, or a block of code. If the text has ended nothing is gained by waiting.
func mayBeCall(b byte, last bool) bool { return !last && (b == '{' || b == '[' || b == '`') }

// action is a call in the form of prompts of the ReAct kind.
var action = regexp.MustCompile(`(?m)^\s*Action:\s*([\w.-]+)\s*\n+\s*Action Input:`)

// IsCall reports whether a text calls one of the tools: with JSON that has the name of
// a tool and arguments, or with code.
func IsCall(text []byte, tools []string) bool {
	if len(tools) == 0 {
		return false
	}
	for _, m := range action.FindAllSubmatch(text, maxTries) {
		if slices.Contains(tools, string(m[1])) {
			return true
		}
	}
	tries := 0
	for i := 0; i < len(text) && tries < maxTries; i++ {
		if text[i] != '{' && text[i] != '[' {
			continue
		}
		var v json.RawMessage
		tries++
		if json.NewDecoder(bytes.NewReader(text[i:])).Decode(&v) != nil {
			continue
		}
		if callsTool(v, tools, 0) {
			return true
		}
		i += len(v) - 1
	}
	return codeCalls(text, tools)
}

// maxTries is how many values of a text are read as JSON.
const maxTries = 16

// A written has the members that calls have in JSON, in the spellings that models
// learned.
type written struct {
	Name     json.RawMessage `json:"name"`
	Tool     json.RawMessage `json:"tool"`
	ToolName json.RawMessage `json:"tool_name"`
	Action   json.RawMessage `json:"action"`
	Function json.RawMessage `json:"function"`

	Arguments   json.RawMessage `json:"arguments"`
	Args        json.RawMessage `json:"args"`
	Parameters  json.RawMessage `json:"parameters"`
	Input       json.RawMessage `json:"input"`
	ToolInput   json.RawMessage `json:"tool_input"`
	ActionInput json.RawMessage `json:"action_input"`

	ToolCalls json.RawMessage `json:"tool_calls"`
}

// callsTool reports whether JSON is a call of one of the tools, or a list of calls.
func callsTool(raw json.RawMessage, tools []string, depth int) bool {
	if depth > 2 || len(raw) == 0 {
		return false
	}
	if raw[0] == '[' {
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) != nil || len(list) == 0 {
			return false
		}
		return callsTool(list[0], tools, depth+1)
	}
	var w written
	if raw[0] != '{' || json.Unmarshal(raw, &w) != nil {
		return false
	}
	if callsTool(w.Function, tools, depth+1) || callsTool(w.ToolCalls, tools, depth+1) {
		return true
	}
	arguments := slices.ContainsFunc(
		[]json.RawMessage{w.Arguments, w.Args, w.Parameters, w.Input, w.ToolInput, w.ActionInput},
		func(v json.RawMessage) bool { return v != nil })
	var inner written // tiny models put the arguments beside the function
	if len(w.Function) > 0 && w.Function[0] == '{' && json.Unmarshal(w.Function, &inner) == nil {
		w.Function = inner.Name
	}
	for _, member := range []json.RawMessage{w.Name, w.Tool, w.ToolName, w.Action, w.Function} {
		var name string
		if arguments && json.Unmarshal(member, &name) == nil && isTool(name, tools) {
			return true
		}
	}
	return false
}

func isTool(name string, tools []string) bool {
	return slices.Contains(tools, name) || slices.Contains(tools, strings.TrimPrefix(name, "functions."))
}

// codeCalls reports whether a text is code that begins with a call of one of the
// tools.
func codeCalls(text []byte, tools []string) bool {
	code := bytes.TrimSpace(text)
	if fenced, ok := bytes.CutPrefix(code, []byte("```")); ok {
		_, code, _ = bytes.Cut(fenced, []byte("\n"))
	}
	code = bytes.TrimLeft(code, " \t\r\n[")
	code = bytes.TrimPrefix(code, []byte("print("))
	code = bytes.TrimPrefix(code, []byte("default_api."))
	for _, prefix := range []string{"functions.", "to=functions."} {
		if rest, ok := bytes.CutPrefix(code, []byte(prefix)); ok {
			for _, name := range tools {
				if bytes.HasPrefix(rest, []byte(name)) {
					return true
				}
			}
		}
	}
	ended := bytes.HasSuffix(bytes.TrimRight(code, " \t\r\n]`;"), []byte(")"))
	for _, name := range tools {
		if ended && bytes.HasPrefix(code, []byte(name+"(")) ||
			bytes.HasPrefix(code, []byte("<"+name+">")) && bytes.Contains(code, []byte("</"+name+">")) {
			return true
		}
	}
	return false
}
