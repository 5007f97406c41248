package replay_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/qedkit/qed/examples/fieldservice"
	"github.com/qedkit/qed/examples/internal/replay"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
)

// TestReplayNeedsNoMemory asks a new model at each step, as after a crash.
func TestReplayNeedsNoMemory(t *testing.T) {
	for _, q := range fieldservice.Questions("sqlite") {
		if len(q.Statements) < 2 {
			continue
		}
		text := "Question: " + quoted(q.Question)
		for i, want := range q.Statements {
			name := "correct"
			if i == 0 {
				name = "generate"
			} else {
				text = "Question: " + quoted(q.Question) + "\nThe query:\n" + strings.TrimSpace(q.Statements[i-1])
			}
			model := llmtest.New(replay.Rules(fieldservice.Questions("sqlite"))...)
			resp, err := model.Generate(t.Context(), &llm.Request{Name: name, Messages: []llm.Message{{Role: llm.RoleUser, Content: text}}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := resp.Message.Content; !strings.Contains(got, quoted(strings.TrimSpace(want))) {
				t.Errorf("%s, attempt %d: the model says %s", q.ID, i+1, got)
			}
		}
	}
}

func quoted(text string) string {
	raw, _ := json.Marshal(text) // a string can always be encoded
	return string(raw)
}
