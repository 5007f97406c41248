package qedtest

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
)

// WaysOut leaves a question of an agent in each way in which a user can: with a reply,
// with "never mind", with another request, with nonsense, and with nothing. Each ends in an
// answer with a text or a question, and the thread answers the first text again.
//
// open returns a new agent with a store, whose model is wrapped, and whose script can be
// asked more than once. text is what the agent asks a question about.
func WaysOut(t *testing.T, open func(t *testing.T, wrap func(llm.Model) llm.Model) qed.Agent, text string) {
	t.Helper()
	for name, way := range map[string]struct {
		says  string
		reads question.Intent // by the model, if it is asked
	}{
		"never mind":         {"never mind", question.IntentAbort},
		"aborted in words":   {"I have changed my mind about all of this", question.IntentAbort},
		"no":                 {"no", question.IntentAbort},
		"yes":                {"yes", question.IntentAnswer},
		"the first":          {"1", question.IntentAnswer},
		"a number too large": {"17", question.IntentAnswer},
		"nonsense":           {"qwertz uiop \x00 \u202e", question.IntentAnswer},
		"another request":    {text, question.IntentNewRequest},
		"a changed request":  {text + " And soon.", question.IntentModification},
		"an unknown intent":  {"hm", "whatever"},
		"a command":          {"/end", question.IntentAnswer},
	} {
		t.Run(name, func(t *testing.T) {
			a := open(t, func(m llm.Model) llm.Model { return reading(m, way.reads) })
			asked := answered(t, a, text)
			if len(asked.Questions) == 0 {
				t.Fatalf("no question: %+v", asked)
			}
			answered(t, a, way.says)
			answered(t, a, text)
		})
	}
}

func answered(t *testing.T, a qed.Agent, text string) qed.Answer {
	t.Helper()
	answer, err := qed.Ask(t.Context(), a, qed.Turn{Thread: "ways out", Text: text})
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	if answer.Text == "" && len(answer.Questions) == 0 {
		t.Fatalf("%q: nothing was said: %+v", text, answer)
	}
	return answer
}

// reading returns a model that reads each reply of a user with one intent, and otherwise
// answers as m does.
func reading(m llm.Model, intent question.Intent) llm.Model {
	return llm.ModelFunc(func(ctx context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
		if req.Name != "read_reply" {
			return m.Generate(ctx, req, stream)
		}
		raw, err := json.Marshal(map[string]any{"intent": intent, "reason": "because"})
		if err != nil {
			return nil, fmt.Errorf("read a reply: %w", err)
		}
		return &llm.Response{Message: llm.Message{Role: llm.RoleAssistant, Content: string(raw)}}, nil
	})
}
