package provider

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/qedkit/qed/llm"
)

// ReportedError returns the error that a server sent inside a reply with a 2xx
// status.
func (c *Call) ReportedError(body []byte) *llm.Error {
	f := parseServerError(body)
	status := 0
	if n, err := strconv.Atoi(f.code); err == nil && n >= 400 && n < 600 {
		status = n
	}
	e := &llm.Error{Kind: kindOf(status, f), Provider: c.provider, Status: status}
	e.Message = c.message(e.Kind, f)
	return e
}

// serverError is the body of an error response. Its form differs much between
// servers.
type serverError struct {
	message, kind string
	code          string // a word, or the HTTP status
}

func parseServerError(body []byte) serverError {
	var doc any
	if json.Unmarshal(body, &doc) != nil {
		return serverError{}
	}
	if list, ok := doc.([]any); ok && len(list) > 0 { // Gemini
		doc = list[0]
	}
	outer, _ := doc.(map[string]any)
	switch inner := outer["error"].(type) {
	case map[string]any:
		outer = inner
	case string: // Ollama
		return serverError{message: inner}
	}
	f := serverError{message: text(outer["message"]), kind: text(outer["type"]), code: text(outer["code"])}
	if details, ok := outer["details"].(map[string]any); ok && f.code == "" { // Anthropic
		f.code = text(details["error_code"])
	}
	if f.message == "" { // FastAPI
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

// clean makes text of a server or a model safe for an error: short, on one line,
// without the key, and without invisible characters, which could be commands to
// a terminal.
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
