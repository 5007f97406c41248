package serve_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm/openai"
	"github.com/qedkit/qed/serve"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/toolagent"
)

// A slowModel is a server of chat completions. Its first reply is a text with a call,
// and its second one a text, after whose first piece it waits for the reader.
type slowModel struct {
	t     testing.TB
	sent  time.Time // of the first piece of the answer
	first time.Duration
	read  chan struct{} // the reader has the first piece
}

func (m *slowModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		m.t.Error(err)
	}
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(delta, finish string) {
		fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":%s}]}\n\n", delta, finish)
		w.(http.Flusher).Flush()
	}
	if !strings.Contains(string(raw), `"role":"tool"`) {
		send(`{"content":"I look."}`, "null")
		send(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"weather","arguments":"{}"}}]}`, `"tool_calls"`)
		return
	}
	time.Sleep(m.first)
	m.sent = time.Now()
	send(`{"content":"Rome "}`, "null")
	select {
	case <-m.read:
	case <-time.After(30 * time.Second):
		m.t.Error("the reader did not get the first piece before the second one was sent")
	}
	send(`{"content":"is "}`, "null")
	send(`{"content":"warm."}`, `"stop"`)
}

// serve serves a toolagent with the model, and returns its address.
func (m *slowModel) serve() string {
	m.t.Helper()
	server := httptest.NewServer(m)
	m.t.Cleanup(server.Close)
	model, err := openai.New(&openai.Options{Model: "m", BaseURL: server.URL})
	if err != nil {
		m.t.Fatal(err)
	}
	weather := qed.NewTool("weather", "The weather.", func(context.Context, struct{}) (string, error) { return "warm", nil })
	agent, err := toolagent.New(model, qed.NewRegistry(nil, weather), &toolagent.Options{Store: new(store.InMemory)})
	if err != nil {
		m.t.Fatal(err)
	}
	url, _ := newServer(m.t, agent, &serve.Options{Turns: rate.Inf})
	return url
}

// BenchmarkFirstToken reports when the first piece of an answer reaches the reader of a
// stream, after one tool, and by how much that is later than the model sent it.
func BenchmarkFirstToken(b *testing.B) {
	slow := &slowModel{t: b, first: 200 * time.Millisecond, read: make(chan struct{})}
	close(slow.read)
	url := slow.serve()
	var later []float64
	for b.Loop() {
		began := time.Now()
		resp := open(b, b.Context(), "POST", url+"/internal/chat/stream", chat("", "How warm?"))
		for r := bufio.NewReader(resp.Body); ; {
			f, ok := nextFrame(r)
			if !ok {
				b.Fatal("the stream has no answer")
			}
			if piece, _ := textOf(f.data); piece == "Rome " {
				break
			}
		}
		later = append(later, float64(time.Since(began))/float64(slow.sent.Sub(began)))
		resp.Body.Close()
	}
	b.ReportMetric(median(later), "ratio")
}

// The text of toolagent is streamed in all formats, piece by piece, and a text before a
// call is no part of the answer.
func TestToolAgentStreams(t *testing.T) {
	for path, body := range map[string]string{
		"/internal/chat/stream": chat("t", "How warm?"),
		"/api/chat":             `{"id":"t","messages":[{"role":"user","parts":[{"type":"text","text":"How warm?"}]}]}`,
		"/agui":                 `{"threadId":"t","runId":"r","messages":[{"role":"user","content":"How warm?"}]}`,
		"/v1/chat/completions":  `{"model":"qed","stream":true,"messages":[{"role":"user","content":"How warm?"}]}`,
	} {
		t.Run(path, func(t *testing.T) {
			slow := &slowModel{t: t, read: make(chan struct{})}
			resp := open(t, t.Context(), "POST", slow.serve()+path, body)
			defer resp.Body.Close()
			var texts []string // of the parts or messages of the format
			for r := bufio.NewReader(resp.Body); ; {
				f, ok := nextFrame(r)
				if !ok {
					break
				}
				piece, next := textOf(f.data)
				if next || texts == nil {
					texts = append(texts, "")
				}
				texts[len(texts)-1] += piece
				if piece != "" && strings.HasSuffix(strings.Join(texts, ""), "Rome ") {
					close(slow.read)
				}
			}
			got := strings.Join(texts, "|")
			if want := map[bool]string{true: "I look.\n\nRome is warm.", false: "I look.|Rome is warm."}[path == "/v1/chat/completions"]; strings.Trim(got, "|") != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// textOf returns the piece of the answer that a frame has, and whether another text
// begins.
func textOf(data string) (piece string, next bool) {
	var f struct {
		Event, Type, Channel, Content string
		Discard                       bool
		Delta                         json.RawMessage // a text, or an object that is not read
		Choices                       []struct{ Delta struct{ Content string } }
	}
	if json.Unmarshal([]byte(data), &f) != nil {
		return "", false
	}
	switch {
	case f.Event == "token" && f.Channel == "final":
		return f.Content, f.Discard
	case f.Type == "text-start", f.Type == "TEXT_MESSAGE_START":
		return "", true
	case f.Type == "text-delta", f.Type == "TEXT_MESSAGE_CONTENT":
		if err := json.Unmarshal(f.Delta, &piece); err != nil {
			return err.Error(), false
		}
		return piece, false
	case len(f.Choices) == 1:
		return f.Choices[0].Delta.Content, false
	}
	return "", false
}
