package todoagent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/todoagent"
)

// A todoTask is a task of a plan in the model's reply.
type todoTask struct {
	Key         string   `json:"key"`
	Description string   `json:"description"`
	Tool        string   `json:"tool"`
	Arguments   string   `json:"arguments"`
	After       []string `json:"after,omitempty"`
	CanClarify  *bool    `json:"can_clarify,omitempty"`
	Parallel    bool     `json:"parallel,omitempty"`
}

// task returns a task with only the required members.
func task(key, tool, arguments string) todoTask {
	return todoTask{Key: key, Description: "Do " + key, Tool: tool, Arguments: arguments}
}

// after returns a task that comes after another.
func after(key string, t todoTask) todoTask { t.After = []string{key}; return t }

// planned is a model's reply with a plan.
func planned(tasks ...todoTask) llmtest.Reply {
	return llmtest.Reply{JSON: map[string]any{"tasks": tasks, "reason": "because"}}
}

// todoModel returns a model that replies by request name, in turn.
func todoModel(t testing.TB, replies map[string][]llmtest.Reply) *llmtest.Model {
	var rules []llmtest.Rule
	for name, list := range replies {
		rules = append(rules, llmtest.Rule{Name: name, Replies: list})
	}
	if replies["reiterate_intention"] == nil {
		rules = append(rules, llmtest.Rule{Name: "reiterate_intention", Repeat: true, Replies: []llmtest.Reply{{JSON: map[string]any{"question": "the question"}}}})
	}
	return llmtest.Scripted(t, rules...)
}

// todoTools returns a registry with all sorts of tools.
// approving returns the tools of r, of which those with the given names need
// approval.
func approving(t testing.TB, r *qed.Registry, names ...string) *qed.Registry {
	t.Helper()
	out := qed.NewRegistry(nil)
	for _, name := range r.Names() {
		tool, err := r.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		tool.NeedsApproval = slices.Contains(names, name)
		if err := out.Add(tool); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func todoTools(t testing.TB, more ...qed.Tool) *qed.Registry {
	t.Helper()
	type text struct {
		Text string `json:"text,omitempty"`
	}
	type port struct {
		Name string `json:"name"`
	}
	tools := append([]qed.Tool{
		repeatable(qed.NewTool("say", "says it", func(_ context.Context, in text) (text, error) { return in, nil })),
		repeatable(qed.NewTool("fail", "fails", func(context.Context, text) (text, error) { return text{}, fmt.Errorf("the pipe is broken") })),
		asking(qed.NewTool("resolve", "resolves a port", func(ctx context.Context, in port) (map[string]any, error) {
			if in.Name != "Miami" {
				return map[string]any{"text": in.Name, "port": in.Name}, nil
			}
			name, err := qed.Interrupt[string](ctx, question.Question{Text: "Which Miami?", Choices: []question.Choice{{ID: "POM", Text: "Port of Miami"}, {ID: "MCT", Text: "Miami Container Terminal"}}})
			return map[string]any{"text": "Resolved " + name, "port": name}, err
		})),
	}, more...)
	r := qed.NewRegistry(nil)
	if err := r.Add(tools...); err != nil {
		t.Fatal(err)
	}
	return r
}

func repeatable(t qed.Tool) qed.Tool { t.Idempotent = true; return t }
func asking(t qed.Tool) qed.Tool     { t.Idempotent, t.Interrupts = true, true; return t }

// A todoTalk is a conversation with an agent.
type todoTalk struct {
	t     testing.TB
	agent qed.Agent
	store store.Store
	ctx   context.Context
}

// problem returns why the last task failed, for the developer.
func (c *todoTalk) problem() string {
	c.t.Helper()
	entries, err := todoagent.Entries(c.ctx, c.store, "t", 1)
	if err != nil || len(entries) != 1 || entries[0].Status != qed.TodoFailed {
		c.t.Fatalf("no task failed: %+v, %v", entries, err)
	}
	return entries[0].AgentAction
}

// retryable returns the key of the task that an answer says failed.
func retryable(answer string) (key string, failed bool) {
	_, rest, failed := strings.Cut(answer, "say \"retry ")
	key, _, _ = strings.Cut(rest, "\"")
	return key, failed
}

func newTodoTalk(t testing.TB, model llm.Model, tools *qed.Registry, opt *todoagent.Options) *todoTalk {
	t.Helper()
	if opt == nil {
		opt = &todoagent.Options{}
	}
	if opt.Store == nil {
		opt.Store = &store.InMemory{}
	}
	agent, err := todoagent.New(model, tools, opt)
	if err != nil {
		t.Fatal(err)
	}
	clock := time.Date(2025, 1, 15, 10, 30, 0, 0, time.UTC)
	return &todoTalk{t, agent, opt.Store, qed.WithClock(t.Context(), func() time.Time { return clock })}
}

func (talk *todoTalk) say(text string) qed.Answer {
	talk.t.Helper()
	answer, err := qed.Ask(talk.ctx, talk.agent, qed.Turn{Thread: "t", Text: text})
	if err != nil {
		talk.t.Fatalf("%q: %v", text, err)
	}
	return answer
}

// entries returns the memory entries in short: key, status, and the pointer of the plan.
func (talk *todoTalk) entries() []string {
	talk.t.Helper()
	entries, err := todoagent.Entries(talk.ctx, talk.store, "t", 0)
	if err != nil {
		talk.t.Fatal(err)
	}
	var short []string
	for i, e := range entries {
		if e.TurnID != i+1 {
			talk.t.Errorf("entry %d has the turn_id %d", i+1, e.TurnID)
		}
		short = append(short, fmt.Sprintf("%d %s %s -> %s", e.UserTurn, e.TodoKey, e.Status, e.ActiveTodoListSnapshot.Current))
	}
	return short
}

func (talk *todoTalk) remembers(want ...string) {
	talk.t.Helper()
	if diff := cmp.Diff(want, talk.entries()); diff != "" {
		talk.t.Errorf("memory (-want +got):\n%s", diff)
	}
}

func TestPlanIsDone(t *testing.T) {
	model := todoModel(t, map[string][]llmtest.Reply{"plan_todos": {planned(
		task("resolve_entities", "resolve", `{"name":"Shanghai"}`),
		task("summarize", "say", `{"text":{"$result":"resolve_entities/port"}}`),
	)}})
	talk := newTodoTalk(t, model, todoTools(t), nil)
	answer := talk.say("show me Shanghai")
	if answer.Text != "Shanghai" || answer.Partial || !answer.Saved {
		t.Errorf("answer = %+v", answer)
	}
	talk.remembers("1 resolve_entities complete -> summarize", "1 summarize complete -> ")
}

func TestAsksAndGoesOn(t *testing.T) {
	model := todoModel(t, map[string][]llmtest.Reply{"plan_todos": {planned(
		task("resolve_entities", "resolve", `{"name":"Miami"}`),
		task("summarize", "say", `{"text":{"$result":"resolve_entities/port"}}`),
	)}})
	talk := newTodoTalk(t, model, todoTools(t), nil)
	asked := talk.say("show me Miami")
	if len(asked.Questions) != 1 || asked.Questions[0].Text != "Which Miami?" {
		t.Fatalf("answer = %+v", asked)
	}
	talk.remembers("1 resolve_entities clarification_needed -> resolve_entities")
	answer := talk.say("Port of Miami")
	if answer.Text != "POM" || answer.Partial {
		t.Errorf("answer = %+v", answer)
	}
	talk.remembers(
		"1 resolve_entities clarification_needed -> resolve_entities",
		"2 resolve_entities complete -> summarize", "2 summarize complete -> ")
	entries, _ := todoagent.Entries(talk.ctx, talk.store, "t", 0)
	if q := entries[0].ClarificationAsked; q == nil || !strings.Contains(*q, "Which Miami?") || entries[1].ClarificationAsked != nil || entries[1].UserInput != "Port of Miami" {
		t.Errorf("entries = %+v", entries)
	}
}

func TestListJSONKeepsItsOrder(t *testing.T) {
	list := qed.TodoList{ID: "p", Current: "zebra", Original: "o", Rewritten: "r", Tasks: []qed.Todo{
		{Key: "zebra", Description: "z", Tool: "say", Arguments: json.RawMessage(`{"text":"a"}`), Status: qed.TodoPending},
		{Key: "apple", Description: "a", Tool: "say", After: []string{"zebra"}, Status: qed.TodoPending},
		{Key: "mango", Description: "m", Tool: "say", Status: qed.TodoSkipped, Problem: "why"},
	}}
	raw, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	var again qed.TodoList
	if err := json.Unmarshal(raw, &again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(list, again); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
}

// answerByName replies by request name, always with the same text.
func answerByName(replies map[string]string) func(context.Context, *llm.Request, func(llm.Delta)) (*llm.Response, error) {
	return func(_ context.Context, req *llm.Request, _ func(llm.Delta)) (*llm.Response, error) {
		reply, ok := replies[req.Name]
		if !ok {
			return nil, fmt.Errorf("nobody expects a request %q", req.Name)
		}
		return &llm.Response{Message: llm.Message{Role: llm.RoleAssistant, Content: reply}}, nil
	}
}
