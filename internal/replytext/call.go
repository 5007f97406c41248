package replytext

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/wordset"
)

// mayBeCall reports whether a text that begins with b can be a tool call as a whole:
// JSON, or a block of code. If the text has ended nothing is gained by waiting.
func mayBeCall(b byte, last bool) bool { return !last && (b == '{' || b == '[' || b == '`') }

// action is a call in the form of prompts of the ReAct kind.
var action = regexp.MustCompile(`(?m)^\s*\**Action:\**\s*([\w.-]+)(?:\(|\s*\n+\s*\**Action Input:)`)

// tag is a call in tags, which have the name of the tool in one of many forms.
var tag = regexp.MustCompile(`(?m)^\s*<(?:[\w-]+:)?(?:tool|function|invoke|function_call|tool_call)(?:\s+name="|[=/(])"?([\w.-]+)`)

// HasCall reports whether a reply has a call of one of the tools as text.
func HasCall(reply string, tools []string) bool {
	r := &Reader{Tools: tools}
	r.Write([]byte(reply))
	r.Close(true)
	return r.Call() != ""
}

// explained reports whether a text that begins with the mark of a call is about
// calls: it names no tool, and has a sentence after the last tag.
func explained(text []byte, tools []string) bool {
	end := bytes.LastIndexAny(text, ">}])")
	if end < 0 || bytes.IndexByte(text, '>') == end || !isTag(string(text)) {
		return false
	}
	for _, name := range tools {
		if wordset.HasWord(string(text), name) {
			return false
		}
	}
	after := bytes.TrimSpace(text[end+1:])
	return bytes.IndexByte(after, ' ') > 0 && !bytes.ContainsAny(after, "\"{[<|")
}

// isCall reports whether a text calls one of the tools: with JSON that has the name of
// a tool and arguments, or with code. JSON with text before and after it is an example.
func isCall(text []byte, tools []string) bool {
	if len(tools) == 0 {
		return false
	}
	for _, m := range action.FindAllSubmatchIndex(text, maxTries) {
		if slices.Contains(tools, string(text[m[2]:m[3]])) && !inCode(text[:m[2]]) {
			return true
		}
	}
	text = bytes.TrimSpace(text)
	if bytes.HasSuffix(text, []byte(">")) {
		for _, m := range tag.FindAllSubmatchIndex(text, maxTries) {
			if slices.Contains(tools, string(text[m[2]:m[3]])) && !inCode(text[:m[2]]) {
				return true
			}
		}
	}
	for i, tries := 0, 0; i < len(text) && tries < maxTries; i++ {
		if text[i] != '{' && text[i] != '[' {
			continue
		}
		var v json.RawMessage
		tries++
		if json.NewDecoder(bytes.NewReader(text[i:])).Decode(&v) != nil {
			continue
		}
		end := i + len(v)
		if callsTool(v, tools, 0) && (onlyMarks.Match(text[:i]) || onlyMarks.Match(text[end:])) {
			return true
		}
		i = end - 1
	}
	if m := lastCode.FindIndex(text); m != nil && codeCalls(text[m[0]+1:], tools) {
		return true
	}
	return codeCalls(text, tools)
}

// lastCode is code at the end of a text that may call a tool. Code of other languages is
// part of an answer.
var lastCode = regexp.MustCompile("\\n(?:```tool_(?:code|call)\\n[^`]*```|\\[[^\\n]*\\])$")

// onlyMarks matches what may be around the JSON of a call: tags and the marks of a
// block of code.
var onlyMarks = regexp.MustCompile("^(\\s|[;,`]|```\\w+|</?[^\\s<>]+>|\\[[A-Z_]+\\])*$")

// inCode reports whether a text ends in code.
func inCode(text []byte) bool {
	var m markdown
	for _, b := range text {
		m.step(b)
	}
	return m.inCode()
}

// maxTries is how many values of a text are read as JSON.
const maxTries = 16

// The members that calls have in JSON, in the spellings that models learned.
var (
	nameMembers     = []string{"name", "tool", "tool_name", "action", "function", "function_name", "recipient_name"}
	argumentMembers = []string{
		"arguments", "args", "parameters", "params", "input", "tool_input", "tool_args", "action_input", "function_args",
	}
)

// maxNested is how deep a call is in JSON: {"tool_calls": [{"function": {...}}]}.
const maxNested = 3

// callsTool reports whether JSON is a call of one of the tools, or a list of calls.
func callsTool(raw json.RawMessage, tools []string, depth int) bool {
	if depth > maxNested || len(raw) == 0 {
		return false
	}
	if raw[0] == '[' {
		var first json.RawMessage
		list := json.NewDecoder(bytes.NewReader(raw[1:]))
		return list.Decode(&first) == nil && callsTool(first, tools, depth+1)
	}
	var w map[string]json.RawMessage
	if json.Unmarshal(raw, &w) != nil {
		return false
	}
	for name, value := range w {
		if (name == "function" || name == "tool_uses" || strings.Contains(name, "call")) && callsTool(value, tools, depth+1) {
			return true
		}
	}
	if !slices.ContainsFunc(argumentMembers, func(name string) bool { return w[name] != nil }) {
		return false
	}
	var inner map[string]json.RawMessage // small models write the arguments next to the name, not below it
	if json.Unmarshal(w["function"], &inner) == nil {
		w["function"] = inner["name"]
	}
	return slices.ContainsFunc(nameMembers, func(member string) bool {
		var name string
		return json.Unmarshal(w[member], &name) == nil && isTool(name, tools)
	})
}

func isTool(name string, tools []string) bool {
	return slices.Contains(tools, name) || slices.Contains(tools, strings.TrimPrefix(name, "functions."))
}

// codeCalls reports whether a text is code that calls one of the tools, and nothing
// else.
func codeCalls(code []byte, tools []string) bool {
	if fenced, ok := bytes.CutPrefix(code, []byte("```")); ok {
		_, code, _ = bytes.Cut(fenced, []byte("\n"))
	}
	for _, name := range tools {
		if tag, ok := bytes.CutPrefix(code, []byte("<"+name)); ok && len(tag) > 0 && !inWord(tag[0]) &&
			(bytes.HasSuffix(tag, []byte("</"+name+">")) || bytes.HasSuffix(tag, []byte("/>"))) {
			return true
		}
	}
	code = bytes.TrimLeft(code, " \t\r\n[")
	code = bytes.TrimPrefix(code, []byte("print("))
	code = bytes.TrimPrefix(code, []byte("default_api."))
	for _, form := range []*regexp.Regexp{function, beforeArguments, dictionary} {
		if m := form.FindSubmatch(code); m != nil && slices.Contains(tools, string(m[1])) {
			return true
		}
	}
	for called := false; ; called = true {
		name, rest, ok := bytes.Cut(code, []byte("("))
		if !ok || !slices.Contains(tools, string(name)) {
			return called && len(code) == 0
		}
		end := closingParenthesis(rest)
		if end < 0 {
			return false
		}
		code = bytes.TrimLeft(rest[end+1:], " \t\r\n`;,)]")
	}
}

// function is a call in the form of OpenAI's models.
var function = regexp.MustCompile(`^(?:(?:to=)?functions\.|call:)([\w-]+)(?::\d+)?\s*(?:<\|.*?\|>|json|code|\s)*[({]`)

// beforeArguments is a call whose marks the server left out, as models of Mistral and
// DeepSeek write it.
var beforeArguments = regexp.MustCompile("^([\\w-]+)\\s*(?:\\[ARGS\\]|```json|:)?\\s*\\{\\s*[\"}]")

// dictionary is a call that is written in Python.
var dictionary = regexp.MustCompile(`^\{'(?:name|tool|tool_name|action)':\s*'([\w.-]+)',\s*'(?:arguments|args|parameters|input)'`)

// closingParenthesis returns the position of the parenthesis that ends a call, or -1.
func closingParenthesis(code []byte) int {
	depth, quote := 1, byte(0)
	for i := 0; i < len(code); i++ {
		switch b := code[i]; {
		case quote != 0 && b == '\\':
			i++
		case quote != 0:
			if b == quote {
				quote = 0
			}
		case b == '"' || b == '\'':
			quote = b
		case b == '(':
			depth++
		case b == ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}
