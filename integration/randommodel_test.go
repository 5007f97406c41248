package integration_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/openai"
)

// randomTexts are what a random model writes where a text is free.
var randomTexts = []string{
	"Berlin", "orders", "2026-03", "run_query", "task_1", "The sum is {r1.amount} EUR.", "There are {{r1.count}} orders.",
	"Sales were 12.50 EUR in March 2026 [1].", "[1][2][9]", "I do not know.", "# Report\n\n- a\n- b", "<b>x</b>", "ß→😀", "", " ", "null", "{}",
	"SELECT COUNT(*) AS count FROM orders", "SELECT * FROM orders", "SELECT name FROM employees WHERE boss_id = 1",
	"SELECT city, SUM(amount) AS amount FROM customers JOIN orders ON customers.id = orders.customer_id GROUP BY city",
	"SELECT amount FROM orders WHERE ordered_on >= '2026-03-01' AND ordered_on < '2026-04-01'", "SELECT 7331 AS n",
	"DELETE FROM orders", "SELECT * FROM secrets", "SELECT 1; SELECT 2", invented, strings.Repeat("and so on ", 60),
}

// No data has this number. Thoughts are never shown.
const (
	invented = "7,331 orders were placed."
	thoughts = "I think of 6 of 9."
)

// A randomModel is a server that replies with a random value of the schema of a request, with
// random calls of its tools, or with a random text. Some of its replies are bad.
type randomModel struct {
	*rand.Rand
	mu  sync.Mutex // the agents make some requests at the same time
	bad int        // of 100 replies
	log []string
}

// The ways in which a reply is bad.
var badReplies = []string{
	"500", "429", "context", "401", "html", "null", "empty", "thoughts", "call", "length", "content_filter", "abracadabra", "utf8", "cut",
	"no end", "deltas", "prose", "no usage", "negative usage", "stall", "open thoughts", "one index", "error event", "half JSON", "half arguments", "no tool",
}

func (m *randomModel) oneOf(texts []string) string { return texts[m.IntN(len(texts))] }

func (m *randomModel) text() string {
	text := m.oneOf(randomTexts)
	for m.IntN(3) == 0 {
		text += " " + m.oneOf(randomTexts)
	}
	return text
}

// value returns a random value of a schema, whose definitions are defs.
func (m *randomModel) value(schema, defs map[string]any, depth int) any {
	if ref, ok := schema["$ref"].(string); ok {
		schema, _ = defs[ref[strings.LastIndex(ref, "/")+1:]].(map[string]any)
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if list, ok := schema[key].([]any); ok {
			return m.value(list[m.IntN(len(list))].(map[string]any), defs, depth+1)
		}
	}
	if list, ok := schema["enum"].([]any); ok {
		return list[m.IntN(len(list))]
	}
	kind, _ := schema["type"].(string)
	if list, ok := schema["type"].([]any); ok {
		kind, _ = list[m.IntN(len(list))].(string)
	}
	switch kind {
	case "object":
		out := map[string]any{}
		members, _ := schema["properties"].(map[string]any)
		required, _ := schema["required"].([]any)
		for _, name := range slices.Sorted(maps.Keys(members)) {
			member, ok := members[name].(map[string]any)
			if ok && (slices.Contains(required, any(name)) || m.IntN(2) == 0 && depth < 6) {
				out[name] = m.value(member, defs, depth+1)
			}
		}
		return out
	case "array":
		items, _ := schema["items"].(map[string]any)
		least, _ := schema["minItems"].(float64)
		out := []any{}
		for range int(least) + m.IntN(3) {
			out = append(out, m.value(items, defs, depth+1))
		}
		return out
	case "integer":
		return m.IntN(12) - 1
	case "number":
		return float64(m.IntN(1000)) / 10
	case "boolean":
		return m.IntN(2) == 0
	case "null":
		return nil
	}
	return m.text()
}

func definitions(schema map[string]any) map[string]any {
	defs, _ := schema["$defs"].(map[string]any)
	return defs
}

func asJSON(v any) string {
	raw, _ := json.Marshal(v) // texts, numbers and maps of them have a JSON form
	return string(raw)
}

func (m *randomModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var req struct {
		Stream bool
		Tools  []struct {
			Function struct {
				Name       string
				Parameters object
			}
		}
		ResponseFormat struct {
			Schema struct{ Schema object } `json:"json_schema"`
		} `json:"response_format"`
	}
	if err := json.Unmarshal(body, &req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	text, finish, calls := m.text(), "stop", []object(nil)
	if schema := req.ResponseFormat.Schema.Schema; schema != nil {
		text = asJSON(m.value(schema, definitions(schema), 0))
	} else if len(req.Tools) > 0 && m.IntN(5) > 0 {
		text, finish = "", "tool_calls"
		for i := range 1 + m.IntN(3) {
			tool := req.Tools[m.IntN(len(req.Tools))].Function
			calls = append(calls, object{"index": i, "id": fmt.Sprint("c", i), "type": "function", "function": object{
				"name": tool.Name, "arguments": asJSON(m.value(tool.Parameters, definitions(tool.Parameters), 0)),
			}})
		}
	}
	usage := any(object{"prompt_tokens": len(body) / 4, "completion_tokens": 10})
	bad := ""
	if m.IntN(100) < m.bad {
		bad = m.oneOf(badReplies)
	}
	m.log = append(m.log, fmt.Sprintf("%s: %q %v", bad, text, calls))
	switch bad {
	case "500":
		http.Error(w, `{"error":{"message":"boom"}}`, http.StatusInternalServerError)
		return
	case "429":
		w.Header().Set("Retry-After", "0")
		http.Error(w, `{"error":{"message":"slow down","code":"rate_limit_exceeded"}}`, http.StatusTooManyRequests)
		return
	case "context":
		http.Error(w, `{"error":{"message":"This model's maximum context length is 4096 tokens.","code":"context_length_exceeded"}}`, http.StatusBadRequest)
		return
	case "401":
		http.Error(w, `{"error":{"message":"Incorrect API key provided"}}`, http.StatusUnauthorized)
		return
	case "html":
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<html><body>Welcome</body></html>")
		return
	case "null", "empty":
		text, calls = "", nil
	case "thoughts":
		text = thoughts + "</think>" + text
	case "open thoughts":
		text = "<think>" + thoughts + text
	case "call":
		text, calls, finish = "<tool_call>\n{\"name\":\"run_query\",\"arguments\":{\"sql\":\"x\"}}\n</tool_call>", nil, "stop"
	case "length", "content_filter", "abracadabra":
		finish, text = bad, text[:m.IntN(len(text)+1)]
	case "utf8":
		text += "\xff\xfe\xc3"
	case "prose":
		text = "Sure! Here is the JSON you asked for:\n```json\n" + text + "\n```\nLet me know."
	case "no usage":
		usage = nil
	case "negative usage":
		usage = object{"prompt_tokens": -5, "completion_tokens": -1}
	case "half JSON":
		text = text[:len(text)/2]
	}
	for _, call := range calls {
		switch f := call["function"].(object); bad {
		case "half arguments":
			f["arguments"] = `{"x":`
		case "no tool":
			f["name"] = "no_such_tool"
		case "one index":
			call["index"] = 0
		}
	}
	reply := object{"role": "assistant", "content": text, "tool_calls": calls}
	if bad == "null" || text == "" && calls != nil {
		reply["content"] = nil
	}
	wait := func() {
		w.(http.Flusher).Flush()
		m.mu.Unlock()
		<-r.Context().Done()
		m.mu.Lock()
	}
	if !req.Stream {
		w.Header().Set("Content-Type", "application/json")
		whole := asJSON(object{"id": "x", "object": "chat.completion", "model": "m", "usage": usage, "choices": []object{
			{"index": 0, "message": reply, "finish_reason": finish},
		}})
		switch bad {
		case "cut":
			w.Header().Set("Content-Length", strconv.Itoa(len(whole)))
			fmt.Fprint(w, whole[:len(whole)/2])
		case "stall":
			fmt.Fprint(w, whole[:len(whole)/2])
			wait()
		default:
			fmt.Fprint(w, whole)
		}
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(delta object, finish, usage any) {
		fmt.Fprintf(w, "data: %s\n\n", asJSON(object{"id": "x", "object": "chat.completion.chunk", "model": "m", "usage": usage,
			"choices": []object{{"index": 0, "delta": delta, "finish_reason": finish}}}))
		w.(http.Flusher).Flush()
	}
	if bad == "deltas" {
		for range 1000 {
			send(object{}, nil, nil)
		}
	}
	runes := []rune(text)
	send(object{"role": "assistant", "content": string(runes[:len(runes)/2])}, nil, nil)
	switch bad {
	case "cut":
		panic(http.ErrAbortHandler)
	case "error event":
		fmt.Fprint(w, "data: {\"error\":{\"message\":\"overloaded\",\"type\":\"server_error\"}}\n\n")
		return
	case "stall":
		wait()
		return
	}
	send(object{"content": string(runes[len(runes)/2:])}, nil, nil)
	if calls != nil {
		send(object{"tool_calls": calls}, nil, nil)
	}
	send(object{}, finish, usage)
	if bad != "no end" {
		fmt.Fprint(w, "data: [DONE]\n\n")
	}
}

// Every agent keeps its promises with a model whose replies have the right form and no sense,
// also if some are broken: its answer says nothing that is made up without saying so, costs
// what the server reported, and leaves no goroutine. An error is one of the model or of the
// budget.
func TestRandomModel(t *testing.T) {
	model := &randomModel{}
	server := httptest.NewServer(model)
	defer server.Close()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // so that no connection waits for more
	remote, err := openai.New(&openai.Options{Model: "random", APIKey: "none", BaseURL: server.URL, HTTPClient: client})
	must(t, err)
	var reported spending
	agents := localAgents(t, llm.Wrap(remote, llm.Trace(reported.call)),
		llm.Settings{ContextTokens: 6000, MaxOutputTokens: 300, ModelTimeout: 500 * time.Millisecond})
	for seed := range uint64(60) {
		for _, name := range slices.Sorted(maps.Keys(agents)) {
			question := localQuestions[(int(seed)+len(name))%len(localQuestions)]
			model.Rand, model.bad, model.log, reported.usage = rand.New(rand.NewPCG(seed, 7)), int(seed%3)*15, nil, llm.Usage{}
			before := runtime.NumGoroutine()
			ctx, cancel := context.WithTimeout(t.Context(), localHang)
			answer, err := qed.Ask(budget.With(ctx, budget.Limits{Tokens: 200_000, Time: localTime}), agents[name],
				qed.Turn{Thread: fmt.Sprint(name, seed), Text: question})
			cancel()
			var wrong []string
			if _, ok := errors.AsType[*llm.Error](err); err != nil && !ok && !errors.Is(err, budget.ErrExceeded) {
				wrong = append(wrong, "it failed: "+err.Error())
			}
			if err == nil {
				wrong = append(wrong, broken(answer)...)
				if diff := cmp.Diff(reported.usage, answer.Usage); diff != "" {
					wrong = append(wrong, "the usage (-server +answer): "+diff)
				}
			}
			for range 250 {
				if runtime.NumGoroutine() <= before {
					break
				}
				time.Sleep(20 * time.Millisecond)
			}
			if now := runtime.NumGoroutine(); now > before {
				wrong = append(wrong, fmt.Sprintf("%d goroutines, %d before", now, before))
			}
			if wrong != nil {
				t.Errorf("%s, seed %d, %q: %s\nanswer %q, partial %v (%s)\n%s", name, seed, question, strings.Join(wrong, "; "),
					answer.Text, answer.Partial, answer.PartialReason, strings.Join(model.log, "\n"))
			}
		}
	}
}

// broken returns which promises an answer breaks that hold whatever a model wrote.
func broken(answer qed.Answer) (wrong []string) {
	whole := !answer.Partial && len(answer.Questions) == 0
	for promise, kept := range map[string]bool{
		"it has no text":                     strings.TrimSpace(answer.Text) != "",
		"it is partial and does not say why": !answer.Partial || answer.PartialReason != "",
		"it is complete with unproved parts": answer.Partial || len(answer.Unproved) == 0,
		"it is complete and made up":         !whole || !strings.Contains(answer.Text, invented),
		"it shows thoughts":                  !strings.Contains(answer.Text, thoughts) && !strings.Contains(answer.Text, "</think>"),
		"it shows a tool call":               !notForUsers.MatchString(answer.Text),
	} {
		if !kept {
			wrong = append(wrong, promise)
		}
	}
	return wrong
}
