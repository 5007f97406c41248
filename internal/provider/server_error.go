package provider

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/prompt"
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
	e := &llm.Error{Kind: kindOf(status, f), Provider: c.provider, Status: status, RetryAfter: f.asked()}
	e.Message = c.message(e.Kind, f)
	return e
}

// Reports reports whether a reply with a 2xx status, which has no other content, says what
// is wrong.
func (c *Call) Reports(body []byte) bool { return parseServerError(body).message != "" }

// ReportedMember is like ReportedError, for the member of a reply that has the error.
func (c *Call) ReportedMember(raw json.RawMessage) *llm.Error {
	return c.ReportedError(slices.Concat([]byte(`{"error":`), raw, []byte{'}'}))
}

// serverError is the body of an error response. Its form differs much between
// servers.
type serverError struct {
	message, kind string
	code          string // a word, or the HTTP status
	wait          time.Duration
}

// start returns the beginning of the message, which is searched for what it means: the
// message of an error in a reply can have megabytes.
func (f *serverError) start() string {
	const most = 4 << 10
	return f.message[:min(len(f.message), most)]
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
	f := serverError{wait: waitIn(outer, 0)}
	switch inner := outer["error"].(type) {
	case map[string]any:
		outer = inner
	case string: // Ollama
		f.message, f.code = inner, text(outer["code"])
		return f
	}
	f.message, f.kind, f.code = reason(outer, 0), text(outer["type"]), text(outer["code"])
	if metadata, ok := outer["metadata"].(map[string]any); ok { // OpenRouter: the error of the provider behind it
		raw := text(metadata["raw"])
		if behind := parseServerError([]byte(raw)).message; behind != "" {
			raw = behind
		}
		f.message = strings.TrimSuffix(f.message+": "+raw, ": ")
	}
	if details, ok := outer["details"].(map[string]any); ok && f.code == "" { // Anthropic
		f.code = text(details["error_code"])
	}
	if doc, ok := doc.(string); ok {
		f.message = doc
	}
	return f
}

// reasonMembers are the members that say what is wrong, the most precise first.
var reasonMembers = []string{"message", "msg", "detail", "error", "error_msg", "error_message", "errors", "reason", "title",
	"base_resp", "status_msg"}

// reason returns what a member of an error says. FastAPI has a list with the place of
// each mistake.
func reason(v any, depth int) string {
	switch v := v.(type) {
	case string, float64:
		return text(v)
	case []any:
		var all []string
		for _, one := range v[:min(len(v), maxReasons)] {
			if said := reason(one, depth+1); said != "" && depth < maxReasons {
				all = append(all, said)
			}
		}
		return strings.Join(all, "; ")
	case map[string]any:
		said := ""
		for i := 0; said == "" && i < len(reasonMembers) && depth < maxReasons; i++ {
			said = reason(v[reasonMembers[i]], depth+1)
		}
		place, _ := v["loc"].([]any)
		names := lists.Map(place[:min(len(place), 2*maxReasons)], text)
		if len(names) > 0 && said != "" {
			return strings.Join(names, ".") + ": " + said
		}
		return said
	}
	return ""
}

const maxReasons = 4 // mistakes in one error, and levels of them

func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return ""
}

// clean makes text of a server or a model safe for an error: short, on one line,
// without the key, and without invisible characters, which could be commands to
// a terminal.
func (c *Call) clean(s string) string {
	s = masked(s, c.Key)
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || !unicode.IsPrint(r) }), " ")
	return strings.ToValidUTF8(prompt.Clip(s, 300), "?")
}

// masked returns s without a key. A short one, which servers without keys get, is
// left inside of words, so that the text can be read.
func masked(s, key string) string {
	const short = 8
	if key == "" {
		return s
	}
	var b strings.Builder
	for rest := s; ; {
		i := strings.Index(rest, key)
		if i < 0 {
			return b.String() + rest
		}
		before, _ := utf8.DecodeLastRuneInString(s[:len(s)-len(rest)+i])
		after, _ := utf8.DecodeRuneInString(rest[i+len(key):])
		b.WriteString(rest[:i])
		if len(key) < short && (inWord(before) || inWord(after)) {
			b.WriteString(key)
		} else {
			b.WriteString("[key]")
		}
		rest = rest[i+len(key):]
	}
}

func inWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
