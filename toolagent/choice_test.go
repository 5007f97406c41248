package toolagent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/openai"
	"github.com/qedkit/qed/toolagent"
)

// A step may require a call. A reply without it goes back to the model, and after too
// many of them the answer is partial.
func TestToolChoice(t *testing.T) {
	look := calls(`temperature {"city":"Rome"}`)
	for name, test := range map[string]struct {
		choice llm.ToolChoice // of the first step, and of those until there is a call
		steps  []reply
		want   []string
		text   string
		reason string
	}{
		"follows":      {llm.ToolChoiceRequired, []reply{look, says("4")}, []string{"step", "step"}, "4", ""},
		"does not":     {llm.ToolChoiceRequired, []reply{says("It is 20."), look, says("4")}, []string{"step", "step", "step"}, "4", ""},
		"never":        {llm.ToolChoiceRequired, []reply{says("a"), says("b"), says("c")}, []string{"step", "step", "step", "wrap_up"}, "wrapped up", "Not everything could be looked up"},
		"one tool":     {llm.ToolChoiceOf("temperature"), []reply{says("a"), look, says("4")}, []string{"step", "step", "step"}, "4", ""},
		"another tool": {llm.ToolChoiceOf("other"), []reply{look, calls(`other {}`), says("4")}, []string{"step", "step", "step"}, "4", ""},
		"none":         {llm.ToolChoiceNone, []reply{look, says("4")}, []string{"step", "step"}, "4", "Nothing was looked up"},
	} {
		t.Run(name, func(t *testing.T) {
			model := steps(test.steps...)
			var sent []llm.ToolChoice
			agent := newAgent(t, model, registry(t, temperature(), tool("other", json.RawMessage(`1`))), &toolagent.Options{
				BeforeStep: func(_ context.Context, req *toolagent.StepRequest) error {
					if len(req.Results) == 0 {
						req.ToolChoice = test.choice
					}
					sent = append(sent, req.ToolChoice)
					return nil
				},
			})
			answer, streamed := heard(t, agent, qed.Turn{Text: "How warm is it in Rome?"})
			if diff := cmp.Diff(test.want, model.names()); diff != "" {
				t.Error(diff)
			}
			if answer.Text != test.text || answer.Partial != (test.reason != "") || !strings.Contains(answer.PartialReason, test.reason) || streamed[qed.ChannelFinal] != test.text {
				t.Errorf("%+v, streamed %q", answer, streamed)
			}
			for i, req := range model.requests {
				if req.Name == "step" && req.ToolChoice != sent[i] {
					t.Errorf("request %d has the choice %q", i, req.ToolChoice)
				}
			}
		})
	}
}

// An answer for which no tool was called says so.
func TestNothingLookedUp(t *testing.T) {
	answer := ask(t, t.Context(), newAgent(t, steps(says("It is 20 degrees.")), registry(t, temperature()), nil))
	if !answer.Partial || answer.PartialReason != "Nothing was looked up for this answer." || answer.Text != "It is 20 degrees." {
		t.Errorf("%+v", answer)
	}
}

// Replies of servers that do not read the calls of their model: the step is repeated
// with the reason, and what the model wrote is never shown.
func TestCallsThatAreText(t *testing.T) {
	const refused = `{"error":{"message":"Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.","type":"invalid_request_error","code":"tool_use_failed","failed_generation":"<function=temperature{}"}}`
	for name, first := range map[string]string{
		"Hermes":   `<tool_call>\n{\"name\": \"temperature\", \"arguments\": {\"city\": \"Rome\"}}\n</tool_call>`,
		"Llama":    `<|python_tag|>{\"name\": \"temperature\", \"parameters\": {\"city\": \"Rome\"}}`,
		"pythonic": `[temperature(city=\"Rome\")]`,
		"block":    "```json\\n{\\\"name\\\": \\\"temperature\\\", \\\"arguments\\\": {}}\\n```",
		"harmony":  `<|channel|>commentary to=functions.temperature <|constrain|>json<|message|>{\"city\":\"Rome\"}<|call|>`,
		"refused":  "",
	} {
		t.Run(name, func(t *testing.T) {
			requests := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				raw, _ := io.ReadAll(r.Body)
				requests++
				delta := `{"content":"It has 4 degrees."}`
				switch {
				case requests == 1 && first == "":
					w.WriteHeader(400)
					io.WriteString(w, refused)
					return
				case requests == 1:
					delta = `{"content":"` + first + `"}`
				case requests == 2:
					if !strings.Contains(string(raw), "cannot be used") {
						t.Errorf("the second request has no reason: %s", raw)
					}
					delta = `{"tool_calls":[{"index":0,"id":"a","function":{"name":"temperature","arguments":"{\"city\":\"Rome\"}"}}]}`
				}
				w.Header().Set("Content-Type", "text/event-stream")
				fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", delta)
			}))
			defer server.Close()
			model, err := openai.New(&openai.Options{Model: "m", BaseURL: server.URL})
			if err != nil {
				t.Fatal(err)
			}
			answer, streamed := heard(t, newAgent(t, model, registry(t, temperature()), nil), qed.Turn{Text: "How warm?"})
			if answer.Text != "It has 4 degrees." || answer.Partial || streamed[qed.ChannelFinal] != answer.Text || requests != 3 {
				t.Errorf("%+v after %d requests, streamed %q", answer, requests, streamed)
			}
		})
	}
}

// A last text that is a call is not shown either.
func TestWrapUpThatIsACall(t *testing.T) {
	model := &mind{think: func(req *llm.Request) reply {
		if req.Name == "step" {
			return calls(`temperature {"city":"Rome"}`)
		}
		return says(`{"name": "temperature", "arguments": {"city": "Oslo"}}`)
	}}
	answer, streamed := heard(t, newAgent(t, model, registry(t, temperature()), &toolagent.Options{MaxSteps: 1}), qed.Turn{Text: "q"})
	if !answer.Partial || strings.Contains(answer.Text, "Oslo") || streamed[qed.ChannelFinal] != answer.Text {
		t.Errorf("%+v, streamed %q", answer, streamed)
	}
}

// The first piece of an answer is sent when the model sends it.
func TestFirstPiece(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := llm.ModelFunc(func(_ context.Context, _ *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
			for _, piece := range []string{"The ", "answer."} {
				time.Sleep(time.Second)
				stream(llm.Delta{Text: piece})
			}
			message := llm.Message{Role: llm.RoleAssistant, Content: "The answer."}
			return &llm.Response{FinishReason: llm.FinishStop, Message: message}, nil
		})
		began, first := time.Now(), time.Duration(0)
		for event, err := range newAgent(t, model, registry(t, temperature()), nil).Run(t.Context(), qed.Turn{Text: "q"}) {
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := event.Data.(qed.Token); ok && first == 0 {
				first = time.Since(began)
			}
		}
		if first != time.Second {
			t.Errorf("the first piece comes after %v, that of the model after a second", first)
		}
	})
}
