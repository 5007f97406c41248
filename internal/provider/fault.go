package provider

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/qedkit/qed/llm"
)

// Reported is the error that a server wrote into a reply it had begun as a success.
func (c *Call) Reported(body []byte) *llm.Error {
	f := readFault(body)
	status := 0
	if n, err := strconv.Atoi(f.code); err == nil && n >= 400 && n < 600 {
		status = n
	}
	e := &llm.Error{Kind: kindOf(status, f), Provider: c.provider, Status: status}
	e.Message = c.words(e.Kind, f)
	return e
}

// fault is what a server says of an error. Servers agree on little of it.
type fault struct {
	message, kind string
	code          string // a word, or the status again
}

func readFault(body []byte) fault {
	var doc any
	if json.Unmarshal(body, &doc) != nil {
		return fault{}
	}
	if list, ok := doc.([]any); ok && len(list) > 0 { // as Gemini has it
		doc = list[0]
	}
	outer, _ := doc.(map[string]any)
	switch inner := outer["error"].(type) {
	case map[string]any:
		outer = inner
	case string: // as Ollama has it
		return fault{message: inner}
	}
	f := fault{message: text(outer["message"]), kind: text(outer["type"]), code: text(outer["code"])}
	if details, ok := outer["details"].(map[string]any); ok && f.code == "" { // as Anthropic has it
		f.code = text(details["error_code"])
	}
	if f.message == "" { // as FastAPI has it
		f.message = text(outer["detail"])
	}
	return f
}

func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return fmt.Sprintf("%g", v)
	}
	return ""
}

// clean makes a server's or a model's words fit to stand in an error: short, on one line, without the key, and
// without what cannot be seen, which a terminal may obey.
func (c *Call) clean(s string) string {
	const most = 300
	if c.Key != "" {
		s = strings.ReplaceAll(s, c.Key, "[key]")
	}
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || !unicode.IsPrint(r) }), " ")
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "..."
	}
	return strings.ToValidUTF8(s, "?")
}
