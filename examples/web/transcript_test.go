package main

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/examples/fieldservice"
	"github.com/qedkit/qed/examples/internal/transcript"
	"github.com/qedkit/qed/internal/command/assistant"
	"github.com/qedkit/qed/internal/command/chattest"
	"github.com/qedkit/qed/llm"
)

// TestTranscript compares each answer of the transcript with the rows or the passage that
// it is about. Each line goes to the route that is recorded for it.
func TestTranscript(t *testing.T) {
	chattest.Isolate(t, nil)
	o := &assistant.Options{Manual: fieldservice.Manual()}
	o.Database.Example = fieldservice.Database()
	p, err := assistant.Open(t.Context(), o, io.Discard, func() llm.Model {
		_, recorded := transcript.Replay(0)
		return recorded
	})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	agent, err := p.Agent(t.Context(), p.Store, 0)
	if err != nil {
		t.Fatal(err)
	}
	var routes []string
	rows, passages := 0, 0
	for _, line := range transcript.Lines() {
		var answer qed.Answer
		for event, err := range agent.Run(t.Context(), qed.Turn{Thread: "1", Text: line.Text}) {
			if err != nil {
				t.Fatalf("%s: %v", line.Text, err)
			}
			switch d := event.Data.(type) {
			case qed.RouteDecision:
				routes = append(routes, d.Route)
			case qed.Completed:
				answer = d.Answer
			}
		}
		if table := answer.Table; table != nil {
			for _, row := range table.Rows {
				rows++
				for _, cell := range row {
					if text := fmt.Sprint(cell); !chattest.Says(answer.Text, text) {
						t.Errorf("%s: the answer does not say %q: %s", line.Text, text, answer.Text)
					}
				}
			}
		}
		for _, c := range answer.Citations {
			passages++
			for word := range strings.FieldsSeq(answer.Text) {
				word = strings.Trim(word, ".,:;[]0123456789")
				if len(word) > 5 && !strings.Contains(strings.ToLower(c.Excerpt), strings.ToLower(word[:5])) {
					t.Errorf("%s: the passage does not say %q: %s", line.Text, word, c.Excerpt)
				}
			}
		}
		if len(answer.Unproved) > 0 {
			t.Errorf("%s: numbers that are not proved: %v", line.Text, answer.Unproved)
		}
	}
	if rows < 10 || passages < 2 {
		t.Errorf("%d rows and %d passages were compared", rows, passages)
	}
	if diff := cmp.Diff(strings.Fields("sql sql rag rag sql sql sql sql sql general"), routes); diff != "" {
		t.Error(diff)
	}
}
