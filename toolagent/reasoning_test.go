package toolagent_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
)

// TestReasoningStaysWithItsCalls: the next request has the reasoning of the message
// with the calls, which the provider compares with them.
func TestReasoningStaysWithItsCalls(t *testing.T) {
	parts := []llm.Part{{Type: llm.PartReasoning, Text: "hm", Data: []byte("opaque"), Provider: "p"}}
	call := llm.ToolCall{ID: "1", Name: "temperature", Arguments: []byte(`{"city":"Rome"}`)}
	model := llmtest.Scripted(t, llmtest.Rule{Name: "step", Replies: []llmtest.Reply{
		{Parts: parts, ToolCalls: []llm.ToolCall{call}}, {Text: "It is warm."},
	}})
	agent := newAgent(t, model, registry(t, temperature()), nil)
	if _, err := qed.Ask(t.Context(), agent, qed.Turn{Text: "Is it warm in Rome?"}); err != nil {
		t.Fatal(err)
	}
	sent := model.Requests()[1].Messages
	said := sent[len(sent)-2]
	if diff := cmp.Diff(parts, said.Parts); diff != "" || len(said.ToolCalls) != 1 {
		t.Errorf("%+v (-want +got)\n%s", said, diff)
	}
}
