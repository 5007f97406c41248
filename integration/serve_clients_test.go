package integration_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/time/rate"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/internal/servetest"
	"github.com/qedkit/qed/serve"
	"github.com/qedkit/qed/store"
)

type object = map[string]any

// failed is what a user reads of an error that only the host understands.
const failed = "Something went wrong. Please try again. If it happens again, tell the people who run this service."

// served serves the agent of package servetest.
func served(t *testing.T, rejoin bool) string {
	t.Helper()
	st := new(store.InMemory)
	h := serve.New(qed.Durable(servetest.Agent, st, nil), &serve.Options{
		Store: st, Rejoin: rejoin, Turns: rate.Inf, Logger: slog.New(slog.DiscardHandler),
	})
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

type uiPart struct {
	Type, Text, State, Tool, Error, URL, Title string
	Input, Output, Data                        json.RawMessage
}

type uiResult struct {
	Status, Error string
	Messages      int
	Parts         []uiPart
}

// The real clients of three majors read what the server streams.
func TestAISDK(t *testing.T) {
	for _, major := range []int{5, 6, 7} {
		for _, rejoin := range []bool{false, true} {
			t.Run(fmt.Sprintf("major %d, rejoin %v", major, rejoin), func(t *testing.T) { testAISDK(t, major, rejoin) })
		}
	}
}

func testAISDK(t *testing.T, major int, rejoin bool) {
	url := served(t, rejoin)
	var got []uiResult
	steps := []object{
		{"chat": "answers", "text": "How many technicians are active?"},
		{"regenerate": true},
		{"chat": "asks", "text": "ask"},
		{"output": "s"},
		{"text": "approve"},
		{"output": object{"decision": "reject", "reason": "no"}},
		{"chat": "fails", "text": "fail"},
		{"chat": "panics", "text": "panic"},
		{"chat": "stops", "stop": "wait"},
	}
	if rejoin {
		steps = append(steps, object{"chat": "nothing", "resume": true})
	}
	integration.Converse(t, "ui.mjs", []any{major, url, steps}, &got)
	if len(got) != len(steps) {
		t.Fatalf("%d of %d steps", len(got), len(steps))
	}
	type summary struct {
		Status, Error string
		Messages      int
		Parts         []string
	}
	var summaries []summary
	for _, r := range got {
		s := summary{Status: r.Status, Error: r.Error, Messages: r.Messages}
		for _, p := range r.Parts {
			text := p.Type
			for _, more := range []string{p.Tool, p.Text, p.State, p.Error, p.URL, p.Title} {
				if more != "" {
					text += " " + more
				}
			}
			s.Parts = append(s.Parts, text)
		}
		summaries = append(summaries, s)
	}
	whole := []string{
		"step-start",
		"data-route_decision",
		"reasoning Count them. done",
		"dynamic-tool sql_agent output-available",
		"data-query_executed",
		"dynamic-tool broken output-error it does not work",
		"data-host.progress",
		"data-planned",
		"text There are 10. done",
		"source-url https://example.com/m Manual",
		"source-document Notes",
		"data-answer",
	}
	asked := []string{"step-start", "data-answer", "tool-ask_user input-available"}
	answered := []string{"step-start", "data-answer", "tool-ask_user output-available", "step-start", "text The crew is s. done", "data-answer"}
	rejected := slices.Clone(answered)
	rejected[4] = "text The decision is reject. done"
	want := []summary{
		{"ready", "", 2, whole},
		{"ready", "", 2, whole},
		{"ready", "", 2, asked},
		{"ready", "", 2, answered},
		{"ready", "", 4, asked},
		{"ready", "", 4, rejected},
		{"error", failed, 2, []string{"step-start", "text There done"}},
		{"error", failed, 1, nil},
		{"ready", "", 2, []string{"step-start", "text There streaming"}},
	}
	if rejoin {
		want = append(want, summary{Status: "ready"})
	}
	if diff := cmp.Diff(want, summaries); diff != "" {
		t.Error(diff)
	}
}

// A page that is loaded again while an answer is written gets all of it, also from
// another process.
func TestAISDKResume(t *testing.T) {
	for _, major := range []int{5, 6, 7} {
		t.Run(fmt.Sprint("major ", major), func(t *testing.T) {
			t.Parallel()
			st := new(store.InMemory)
			agent := qed.Durable(qed.AgentFunc(slowWriter), st, nil)
			var urls []string
			for range 2 {
				s := httptest.NewServer(serve.New(agent, &serve.Options{Store: st, Rejoin: true, Turns: rate.Inf}))
				t.Cleanup(s.Close)
				urls = append(urls, s.URL)
			}
			ctx, leave := context.WithTimeout(t.Context(), time.Second)
			defer leave()
			body := `{"id":"a","messages":[{"role":"user","parts":[{"type":"text","text":"write"}]}]}`
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, urls[0]+"/api/chat", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/json")
			if resp, err := http.DefaultClient.Do(r); err == nil {
				io.Copy(io.Discard, resp.Body) // until the page is closed
				resp.Body.Close()
			}
			var got []uiResult
			integration.Converse(t, "ui.mjs", []any{major, urls[1], []object{{"chat": "a", "resume": true}}}, &got)
			if len(got) != 1 || got[0].Status != "ready" || len(got[0].Parts) != 3 || got[0].Parts[1].Text != streamedText() {
				t.Errorf("%+v", got)
			}
		})
	}
}

type aguiResult struct {
	Events                               []string
	Failed, Outcome, Answer, Error, Code string
	Interrupts                           []object
	Messages                             []aguiMessage
}

type aguiMessage struct {
	Role, Content string
	Calls         []string
}

// The client of AG-UI checks the order of events.
func TestAGUI(t *testing.T) {
	url := served(t, false)
	steps := []object{
		{"chat": "answers", "text": "How many technicians are active?"},
		{"chat": "asks", "text": "ask"},
		{"resume": object{"status": "resolved", "payload": "n"}},
		{"text": "approve"},
		{"resume": object{"status": "cancelled"}},
		{"chat": "fails", "text": "fail"},
	}
	var got []aguiResult
	integration.Converse(t, "agui.mjs", []any{url, steps}, &got)
	if len(got) != len(steps) {
		t.Fatalf("%d of %d steps", len(got), len(steps))
	}
	var interrupts []string
	for i, r := range got {
		for _, q := range r.Interrupts {
			schema, err := json.Marshal(q["responseSchema"])
			if err != nil {
				t.Fatal(err)
			}
			interrupts = append(interrupts, fmt.Sprint(q["message"], " ", q["reason"], " ", string(schema)))
		}
		got[i].Interrupts = nil
	}
	if diff := cmp.Diff([]string{
		`Which crew? question_choice {"enum":["n","s"],"type":"string"}`,
		`Send this? question_approval {"properties":{"decision":{"enum":["approve","edit","reject"]},"reason":{"type":"string"},` +
			`"value":{"additionalProperties":{"type":"string"},"type":"object"}},"required":["decision"],"type":"object"}`,
	}, interrupts); diff != "" {
		t.Error(diff)
	}
	text := []string{"TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END"}
	run := func(last string, parts ...[]string) []string {
		return append(append([]string{"RUN_STARTED"}, slices.Concat(parts...)...), last)
	}
	call := []string{"TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END"}
	user := func(text string) aguiMessage { return aguiMessage{Role: "user", Content: text, Calls: []string{}} }
	says := func(text string) aguiMessage { return aguiMessage{Role: "assistant", Content: text, Calls: []string{}} }
	const question = "How many technicians are active?"
	asked := []aguiMessage{user("ask"), says("The crew is n."), user("approve")}
	want := []aguiResult{
		{
			Events: run("RUN_FINISHED", []string{"CUSTOM"},
				[]string{"REASONING_START", "REASONING_MESSAGE_START", "REASONING_MESSAGE_CONTENT", "REASONING_MESSAGE_END", "REASONING_END"},
				call, []string{"CUSTOM", "TOOL_CALL_RESULT"}, call, []string{"TOOL_CALL_RESULT", "CUSTOM", "STATE_SNAPSHOT"},
				[]string{"TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END"}),
			Outcome: "success", Answer: "There are 10.",
			Messages: []aguiMessage{
				user(question), {"reasoning", "Count them.", []string{}},
				{"assistant", "", []string{"sql_agent"}}, {"tool", `{"rows":1}`, []string{}},
				{"assistant", "", []string{"broken"}}, {"tool", "it does not work", []string{}},
				says("There are 10."),
			},
		},
		{Events: run("RUN_FINISHED"), Outcome: "interrupt", Answer: "Which crew?\n1. North\n2. South", Messages: asked[:1]},
		{Events: run("RUN_FINISHED", text), Outcome: "success", Answer: "The crew is n.", Messages: asked[:2]},
		{Events: run("RUN_FINISHED"), Outcome: "interrupt", Answer: "Send this?\n{\"to\":\"Rosa\"}\n(approve, edit or reject)", Messages: asked},
		{Events: run("RUN_FINISHED", []string{"CUSTOM"}, text), Outcome: "success", Answer: "All right.", Messages: append(asked[:3:3], says("All right."))},
		{Events: run("RUN_ERROR", text), Error: failed, Messages: []aguiMessage{user("fail"), says("There")}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
