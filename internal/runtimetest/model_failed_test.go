package runtimetest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/openai"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// TestFailedModel: what a provider answers reaches the page that shows a turn: the
// kind of the error, and when to try again.
func TestFailedModel(t *testing.T) {
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	answers := func(status int, body string, header ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for i := 0; i+1 < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}
	}
	for name, test := range map[string]struct {
		handle  http.HandlerFunc
		code    string
		retryAt time.Time
	}{
		"429, pause":     {answers(429, `{"error":{"message":"slow down"}}`, "Retry-After", "90"), "model_rate_limit", now.Add(90 * time.Second)},
		"429":            {answers(429, `{}`), "model_rate_limit", time.Time{}},
		"429, no credit": {answers(429, `{"error":{"message":"pay","code":"insufficient_quota"}}`), "model_quota", time.Time{}},
		"402":            {answers(402, `{}`), "model_quota", time.Time{}},
		"401":            {answers(401, `{}`), "model_auth", time.Time{}},
		"400":            {answers(400, `{"error":{"message":"no"}}`), "model_bad_request", time.Time{}},
		"400, too long":  {answers(400, `{"error":{"message":"x","code":"context_length_exceeded"}}`), "model_context_length", time.Time{}},
		"400, filter":    {answers(400, `{"error":{"message":"x","code":"content_filter"}}`), "model_refusal", time.Time{}},
		"500":            {answers(500, `{"error":{"message":"oops"}}`), "model_unavailable", time.Time{}},
		"503, pause":     {answers(503, ``, "Retry-After", "5"), "model_unavailable", now.Add(5 * time.Second)},
		"504":            {answers(504, ``), "model_timeout", time.Time{}},
		"cut by length":  {answers(200, `{"choices":[{"message":{"content":"a"},"finish_reason":"length"}]}`), "model_truncated", time.Time{}},
		"arguments":      {answers(200, `{"choices":[{"message":{"tool_calls":[{"function":{"name":"f","arguments":"{"}}]}}]}`), "model_invalid_output", time.Time{}},
		"HTML":           {answers(200, `<html>`, "Content-Type", "text/html"), "model_protocol", time.Time{}},
		"reset": {func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			conn.(*net.TCPConn).SetLinger(0)
			conn.Close()
		}, "model_unavailable", time.Time{}},
		"never": {func(_ http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body) // the server notices the end of the connection after that
			<-r.Context().Done()
		}, "model_timeout", time.Time{}},
	} {
		for _, durable := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, durable %v", name, durable), func(t *testing.T) {
				server := httptest.NewServer(test.handle)
				defer server.Close()
				transport := &http.Transport{}
				defer transport.CloseIdleConnections()
				opt := &openai.Options{Model: "m", BaseURL: server.URL, HTTPClient: &http.Client{Transport: transport}}
				if name == "never" {
					opt.Timeout = 50 * time.Millisecond
				}
				client, err := openai.New(opt)
				if err != nil {
					t.Fatal(err)
				}
				model := qed.DurableModel(client)
				agent := qed.Agent(qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
					_, err := model.Generate(ctx, &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: turn.Text}}}, nil)
					return qed.Answer{}, err
				}))
				if durable {
					agent = qed.Durable(agent, new(store.InMemory), nil)
				}
				var failed qed.Failed
				for event, err := range agent.Run(qed.WithClock(t.Context(), func() time.Time { return now }), qed.Turn{Thread: "t", Text: "hi"}) {
					if err != nil {
						failed = event.Data.(qed.Failed)
					}
				}
				if failed.Code != test.code || !failed.RetryAt.Equal(test.retryAt) {
					t.Errorf("got code %q, retry at %v, want %q, %v", failed.Code, failed.RetryAt, test.code, test.retryAt)
				}
				raw, err := json.Marshal(qed.Event{Data: failed})
				if err != nil || strings.Contains(string(raw), "retry_at") == test.retryAt.IsZero() {
					t.Errorf("JSON is %s, %v", raw, err)
				}
			})
		}
	}
}

// TestTurnWithoutTime: the time of the turn itself is not that of the model.
func TestTurnWithoutTime(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	agent := qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
		<-ctx.Done()
		return qed.Answer{}, &llm.Error{Kind: llm.ErrTimeout, Err: ctx.Err()}
	})
	for event, err := range agent.Run(ctx, qed.Turn{Text: "hi"}) {
		if failed, ok := event.Data.(qed.Failed); !ok || err == nil || failed.Code != "timeout" {
			t.Errorf("got %+v, %v", event.Data, err)
		}
	}
}

// TestReplayedParts: the parts of a recorded reply come back unchanged.
func TestReplayedParts(t *testing.T) {
	parts := []llm.Part{{Type: llm.PartReasoning, Text: "hm", Data: []byte("{\"block\":\"\x01\"}"), Provider: "p"}}
	usage := llm.Usage{InputTokens: 9, CachedTokens: 4, CacheWriteTokens: 2, OutputTokens: 3, ReasoningTokens: 1, Cost: 0.25, Calls: 1}
	calls := 0
	model := qed.DurableModel(llm.ModelFunc(func(context.Context, *llm.Request, func(llm.Delta)) (*llm.Response, error) {
		calls++
		return &llm.Response{Message: llm.Message{Role: llm.RoleAssistant, Content: "x", Parts: parts}, Usage: usage}, nil
	}))
	var got [][]llm.Part
	c := converse(t, qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
		resp, err := model.Generate(ctx, &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "q"}}}, nil)
		if err != nil {
			return qed.Answer{}, err
		}
		got = append(got, resp.Message.Parts)
		v, err := qed.Interrupt[string](ctx, question.Question{Text: "Well?"})
		return qed.Answer{Text: v}, err
	}), new(store.InMemory), nil)
	asked := c.say("go")
	c.reply(asked, `"yes"`)
	if diff := cmp.Diff([][]llm.Part{parts, parts}, got); diff != "" || calls != 1 {
		t.Errorf("%d calls (-want +got)\n%s", calls, diff)
	}
	if asked.Usage != usage {
		t.Errorf("the usage is %+v, want %+v", asked.Usage, usage)
	}
}

// TestMemoryOfParts: a prompt gets a note of an image, and not its data.
func TestMemoryOfParts(t *testing.T) {
	image := llm.Part{Type: llm.PartImage, MediaType: "image/png", Data: make([]byte, 1<<20)}
	said := llm.Message{Role: llm.RoleUser, Content: "What is this?", Parts: []llm.Part{image}}
	answered := llm.Message{Role: llm.RoleAssistant, Content: "A crew.", Parts: []llm.Part{{Type: llm.PartReasoning, Data: []byte("x"), Provider: "p"}}}
	want := []llm.Message{{Role: llm.RoleUser, Content: "[image]\nWhat is this?"}, {Role: llm.RoleAssistant, Content: "A crew."}}
	if diff := cmp.Diff(want, (*qed.Memory)(nil).Select([]llm.Message{said, answered})); diff != "" {
		t.Errorf("selected (-want +got)\n%s", diff)
	}
}
