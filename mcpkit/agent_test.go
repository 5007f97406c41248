package mcpkit_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/mcpkit"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// asking returns a durable agent that asks the user for a city, or returns the caller.
func asking(st store.Store) qed.Agent {
	return qed.Durable(qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		if turn.Text == "who" {
			return qed.Answer{Text: turn.User + " of " + turn.Tenant}, nil
		}
		city, err := qed.Interrupt[string](ctx, question.Question{Text: "Which Miami?", Choices: []question.Choice{{ID: "FL", Text: "Florida"}, {ID: "OH", Text: "Ohio"}}})
		if err != nil {
			return qed.Answer{}, err
		}
		return qed.Answer{Text: "Miami, " + city}, nil
	}), st, nil)
}

func TestAgentConversation(t *testing.T) {
	noLeak(t)
	s := newServer()
	st := new(store.InMemory)
	if err := mcpkit.AddAgent(s, "ask", "Ask about ports.", asking(st), nil); err != nil {
		t.Fatal(err)
	}
	ann := session(t, s, &mcp.StreamableHTTPOptions{Stateless: true}, nil, http.Header{"Authorization": {"Bearer ann"}})
	bob := session(t, s, &mcp.StreamableHTTPOptions{Stateless: true}, nil, http.Header{"Authorization": {"Bearer bob"}})

	asked := reply(t, call(t, ann, "ask", map[string]any{"question": "How many crews are in Miami?"}))
	if len(asked.Questions) != 1 || asked.Conversation == "" || asked.HowToReply == "" || !asked.Saved {
		t.Fatalf("%+v", asked)
	}
	again := map[string]any{
		"conversation_id": asked.Conversation,
		"replies":         []any{map[string]any{"question": asked.Questions[0].ID, "value": 2}},
	}
	if r := call(t, bob, "ask", again); !r.IsError || strings.Contains(textOf(r), "ann") {
		t.Errorf("another's conversation: %v %q", r.IsError, textOf(r))
	}
	if got := reply(t, call(t, ann, "ask", again)); got.Text != "Miami, OH" || got.HowToReply != "" {
		t.Errorf("after the reply: %+v", got)
	}
	if got := reply(t, call(t, ann, "ask", again)); got.Text != "Miami, OH" {
		t.Errorf("the reply again: %+v", got)
	}
	again["replies"] = []any{map[string]any{"question": asked.Questions[0].ID, "value": 1}}
	if r := call(t, ann, "ask", again); !r.IsError || !strings.Contains(textOf(r), "was answered before") {
		t.Errorf("another reply: %q", textOf(r))
	}
	look, err := qed.Inspect(t.Context(), store.ForUser(st, "", "ann"), mcpkit.Thread("ask", mcpkit.Caller{User: "ann"}, asked.Conversation))
	if err != nil || look.Status != store.StatusAnswered || look.Turn.User != "ann" {
		t.Errorf("the thread: %+v, %v", look, err)
	}
	for _, arguments := range []any{
		nil, map[string]any{"question": " "}, map[string]any{"question": 1}, map[string]any{"q": "x"}, map[string]any{"question": "x", "user_id": "ann"},
		map[string]any{"replies": []any{map[string]any{"question": "q", "value": 1}}},
		map[string]any{"question": strings.Repeat("a", 33<<10)}, map[string]any{"question": "x", "conversation_id": strings.Repeat("a", 300)},
	} {
		if r := call(t, ann, "ask", arguments); !r.IsError {
			t.Errorf("%.100v is accepted", arguments)
		}
	}
	if got := reply(t, call(t, ann, "ask", map[string]any{"question": strings.Repeat("a ", 15<<10)})); len(got.Questions) != 1 {
		t.Errorf("30 KB: %+v", got)
	}
}

// The conversation of an unknown caller lasts as long as the session.
func TestAgentUnknownCaller(t *testing.T) {
	noLeak(t)
	s := newServer()
	if err := mcpkit.AddAgent(s, "ask", "", asking(new(store.InMemory)), nil); err != nil {
		t.Fatal(err)
	}
	one, two := session(t, s, nil, nil, nil), session(t, s, nil, nil, nil)
	asked := reply(t, call(t, one, "ask", map[string]any{"question": "Miami?", "conversation_id": "mine"}))
	answer := map[string]any{"conversation_id": "mine", "replies": []any{map[string]any{"question": asked.Questions[0].ID, "value": "FL"}}}
	if r := call(t, two, "ask", answer); !r.IsError {
		t.Errorf("another session: %q", textOf(r))
	}
	if got := reply(t, call(t, one, "ask", answer)); got.Text != "Miami, FL" {
		t.Errorf("the same session: %+v", got)
	}
	stateless := session(t, s, &mcp.StreamableHTTPOptions{Stateless: true}, nil, nil)
	if r := call(t, stateless, "ask", answer); !r.IsError || !strings.Contains(textOf(r), "unknown callers") {
		t.Errorf("no session: %q", textOf(r))
	}
	if got := reply(t, call(t, stateless, "ask", map[string]any{"question": "who"})); got.Text != " of " || got.Conversation != "" || got.Saved {
		t.Errorf("no session and no conversation: %+v", got)
	}
}

func TestAgentErrors(t *testing.T) {
	noLeak(t)
	s := newServer()
	agent := qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		switch turn.Text {
		case "panic":
			panic("postgres://admin:hunter2@db")
		case "slow":
			<-ctx.Done()
			return qed.Answer{}, ctx.Err()
		}
		return qed.Answer{}, errors.New("dial postgres://admin:hunter2@db: refused")
	})
	var reported error
	opt := &mcpkit.ServerOptions{Timeout: 100 * time.Millisecond, OnError: func(_ context.Context, _ string, err error) { reported = err }}
	if err := mcpkit.AddAgent(s, "ask", "", agent, opt); err != nil {
		t.Fatal(err)
	}
	cs := session(t, s, nil, nil, nil)
	for _, tt := range []struct{ question, want, host string }{
		{"panic", "the call failed", "hunter2"}, {"fail", "the call failed", "hunter2"}, {"slow", "too long", "deadline"},
	} {
		reported = nil
		r := call(t, cs, "ask", map[string]any{"question": tt.question})
		if !r.IsError || !strings.Contains(textOf(r), tt.want) || strings.Contains(textOf(r), "hunter2") {
			t.Errorf("%s: %v %q", tt.question, r.IsError, textOf(r))
		}
		if reported == nil || !strings.Contains(reported.Error(), tt.host) {
			t.Errorf("%s: OnError got %v", tt.question, reported)
		}
	}
	for _, name := range []string{"", "a b", strings.Repeat("a", 65)} {
		if err := mcpkit.AddAgent(s, name, "", agent, nil); err == nil {
			t.Errorf("the name %q is accepted", name)
		}
	}
	if err := mcpkit.AddAgent(s, "none", "", nil, nil); err == nil {
		t.Error("a nil agent is accepted")
	}
}

// The client gets a fixed text for each kind of failure, without the error itself.
func TestAgentFailures(t *testing.T) {
	noLeak(t)
	s := newServer()
	failures := map[string]error{
		"still being answered": qed.ErrBusy,
		"to somebody else":     qed.ErrWrongUser,
		"at the same time":     store.ErrConflict,
		"does not fit":         qed.ErrInvalidReply,
		"not known whether":    qed.ErrUnresolved,
		"needs more work":      budget.ErrExceeded,
		"message is empty":     qed.ErrEmptyTurn,
		"was stopped":          context.Canceled,
	}
	agent := qed.AgentFunc(func(_ context.Context, turn qed.Turn) (qed.Answer, error) {
		return qed.Answer{}, fmt.Errorf("hunter2: %w", failures[turn.Text])
	})
	if err := mcpkit.AddAgent(s, "ask", "", agent, nil); err != nil {
		t.Fatal(err)
	}
	cs := session(t, s, nil, nil, nil)
	for want := range failures {
		r := call(t, cs, "ask", map[string]any{"question": want})
		if text := textOf(r); !r.IsError || !strings.Contains(text, want) || strings.Contains(text, "hunter2") {
			t.Errorf("got %q, want %q", text, want)
		}
	}
}

// A client that cancels its call cancels the turn.
func TestAgentCancelled(t *testing.T) {
	for name, opt := range map[string]*mcp.StreamableHTTPOptions{
		"stateful": nil, "stateless": {Stateless: true, PropagateRequestCancellation: true},
	} {
		t.Run(name, func(t *testing.T) {
			noLeak(t)
			s := newServer()
			began, ended := make(chan struct{}), make(chan error, 1)
			agent := qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
				close(began)
				<-ctx.Done()
				ended <- ctx.Err()
				return qed.Answer{}, ctx.Err()
			})
			if err := mcpkit.AddAgent(s, "ask", "", agent, nil); err != nil {
				t.Fatal(err)
			}
			cs := session(t, s, opt, nil, nil)
			ctx, cancel := context.WithCancel(t.Context())
			go func() { <-began; cancel() }()
			if _, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: "ask", Arguments: map[string]any{"question": "q"}}); !errors.Is(err, context.Canceled) {
				t.Errorf("CallTool: %v", err)
			}
			select {
			case err := <-ended:
				if !errors.Is(err, context.Canceled) {
					t.Errorf("the turn: %v", err)
				}
			case <-time.After(10 * time.Second):
				t.Error("the turn goes on")
			}
		})
	}
}

func TestAgentProgress(t *testing.T) {
	noLeak(t)
	s := newServer()
	gate := make(chan struct{})
	agent := qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
		qed.Emit(ctx, qed.Planned{Tasks: make([]qed.PlanTask, 2)})
		qed.Emit(ctx, qed.Token{Content: "not progress"})
		for range 300 {
			qed.Emit(ctx, qed.TaskStarted{Description: "find the port"})
		}
		<-gate
		return qed.Answer{Text: "done"}, nil
	})
	if err := mcpkit.AddAgent(s, "ask", "", agent, nil); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var got []string
	cs := session(t, s, nil, &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
		mu.Lock()
		defer mu.Unlock()
		if got = append(got, req.Params.Message); len(got) == 100 {
			close(gate)
		}
	}}, nil)
	params := &mcp.CallToolParams{Name: "ask", Arguments: map[string]any{"question": "q"}}
	params.Meta = mcp.Meta{}
	params.SetProgressToken("1")
	if r, err := cs.CallTool(t.Context(), params); err != nil || r.IsError {
		t.Fatal(r, err)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(got) != 100 || got[0] != "planned 2 tasks" || got[1] != "find the port" {
		t.Errorf("%d: %.100q", len(got), got)
	}
}

// A large answer is cut, rows first, and marked as truncated.
func TestAgentLargeAnswer(t *testing.T) {
	noLeak(t)
	s := newServer()
	table := &qed.Table{Columns: []qed.Column{{Name: "id"}}}
	for i := range 100_000 {
		table.Append(i)
	}
	agent := qed.AgentFunc(func(_ context.Context, turn qed.Turn) (qed.Answer, error) {
		a := qed.Answer{Text: "There are 100000.", Queries: []qed.Query{{Language: "sql", Executed: "SELECT id FROM t"}}}
		switch turn.Text {
		case "rows":
			a.Table = table
		case "artifact":
			a.Artifacts = []qed.Artifact{{Name: "chart", MediaType: "image/png", Data: make([]byte, 1<<20)}}
		case "text":
			a.Text = strings.Repeat("ä", 1<<20)
		case "questions":
			a.Questions = []question.Question{{ID: "q", Text: strings.Repeat("a", 1<<20)}}
		}
		return a, nil
	})
	if err := mcpkit.AddAgent(s, "ask", "", agent, nil); err != nil {
		t.Fatal(err)
	}
	cs := session(t, s, nil, nil, nil)
	for q, check := range map[string]func(mcpkit.AgentResult) bool{
		"none": func(r mcpkit.AgentResult) bool { return !r.Truncated },
		"rows": func(r mcpkit.AgentResult) bool {
			return r.Table.Truncated && len(r.Table.Rows) > 500 && len(r.Queries) == 1
		},
		"artifact": func(r mcpkit.AgentResult) bool {
			return r.Truncated && r.Artifacts[0].Name == "chart" && len(r.Queries) == 1
		},
		"text": func(r mcpkit.AgentResult) bool { return r.Truncated && len(r.Text) > 1000 },
	} {
		r := call(t, cs, "ask", map[string]any{"question": q})
		text, _ := json.Marshal(r)
		if got := reply(t, r); !check(got) || len(text) > 140_000 {
			t.Errorf("%s: %d bytes, %.300s", q, len(text), text)
		}
	}
	if len(table.Rows) != 100_000 || table.Truncated {
		t.Error("the agent's own table is cut")
	}
	if r := call(t, cs, "ask", map[string]any{"question": "questions"}); !r.IsError {
		t.Error("a question that is too large is accepted")
	}
}

// An agent's questions are returned in the result, over each version of the protocol.
func TestQuestionsReturned(t *testing.T) {
	for name, opt := range map[string]*mcp.StreamableHTTPOptions{"protocol 2025-11-25": nil, "protocol 2026-07-28": {Stateless: true}} {
		t.Run(name, func(t *testing.T) {
			noLeak(t)
			s := newServer()
			err := mcpkit.AddAgent(s, "ask", "", asking(new(store.InMemory)), &mcpkit.ServerOptions{
				Caller: func(context.Context, *mcp.CallToolRequest) (context.Context, mcpkit.Caller, error) {
					return nil, mcpkit.Caller{User: "ann"}, nil
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			q := map[string]any{"question": "How many crews are in Miami?"}
			if got := reply(t, call(t, session(t, s, opt, nil, nil), "ask", q)); len(got.Questions) != 1 || got.HowToReply == "" {
				t.Errorf("%+v", got)
			}
		})
	}
}
