package sqlagent_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm/llmtest"
)

// The figures of an answer are looked up: a wrong reference is corrected once, what
// stays wrong and what the model typed is listed.
func TestFiguresOfAnAnswer(t *testing.T) {
	for _, tt := range []struct {
		name, question, reply, correction string

		text     string
		figures  int
		unproved []string
	}{
		{
			name: "references", reply: "Crew {r1.id}, of {count} from {min id}.",
			text: "Crew 1234, of 2 from 17.", figures: 3,
		},
		{
			name: "in German", question: "Wie viele Mannschaften sind es?", reply: "Die Summe ist {sum id}.",
			text: "Die Summe ist 1.251.", figures: 1,
		},
		{
			name: "corrected", reply: "Crew {r1.number} of {count}.", correction: `{"corrections":[{"reference":"r1.number","replacement":"{r1.id}"}]}`,
			text: "Crew 1234 of 2.", figures: 2,
		},
		{
			name: "stays wrong", reply: "Crew {r1.number} of {count}.", correction: `{"corrections":[{"reference":"r1.number","replacement":"{r9.id}"}]}`,
			text: "Crew (unknown) of 2." + doubt("{r9.id}"), figures: 1, unproved: []string{"{r9.id}"},
		},
		{
			name: "correction cannot be read", reply: "Crew {r1.number} of {count}.", correction: `none`,
			text: "Crew (unknown) of 2." + doubt("{r1.number}"), figures: 1, unproved: []string{"{r1.number}"},
		},
		{
			name: "typed", question: "Which of the 99 crews?", reply: "1234 and 17 of 99 are 41.",
			text: "1234 and 17 of 99 are 41." + doubt("41"), unproved: []string{"41"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := llmtest.New(
				reply("select_tables", tables("crew")),
				reply("generate", query("SELECT id FROM crew")),
				reply("answer", text(tt.reply)),
				reply("correct_figures", text(tt.correction), text(tt.correction), text(tt.correction)), // repaired twice
			)
			db := &database{answers: []answer{{contains: "crew", rows: [][]any{{int64(1234)}, {int64(17)}}}}}
			question := tt.question
			if question == "" {
				question = "Which crews?"
			}
			events, got, err := run(t, newAgent(t, m, db, nil), qed.Turn{Text: question})
			if err != nil {
				t.Fatal(err)
			}
			var streamed strings.Builder
			for _, e := range events {
				if token, ok := e.(qed.Token); ok {
					streamed.WriteString(token.Content)
				}
			}
			if got.Text != tt.text || streamed.String() != tt.text || len(got.Figures) != tt.figures {
				t.Errorf("%q, streamed %q, with %v", got.Text, streamed.String(), got.Figures)
			}
			if diff := cmp.Diff(tt.unproved, got.Unproved); diff != "" {
				t.Errorf("unproved: %s", diff)
			}
			if got.Partial != (tt.unproved != nil) || got.Partial != (got.PartialReason != "") {
				t.Errorf("partial %v: %q", got.Partial, got.PartialReason)
			}
		})
	}
}

// doubt is the end of a text that has unproved numbers.
func doubt(numbers ...string) string {
	return "\n\nNot proved by the data and possibly wrong: " + strings.Join(numbers, ", ") + "."
}
