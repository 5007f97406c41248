package folders_test

import (
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/examples/folders"
	"github.com/qedkit/qed/examples/internal/cluster"
	"github.com/qedkit/qed/examples/internal/settings"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/store"
)

// TestTranscript holds the whole conversation on the recording: every turn is answered
// with the model's words, or asks.
func TestTranscript(t *testing.T) {
	client, _, err := cluster.Open(t.Context(), settings.Search{}, folders.Recording, folders.Fill)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	turns := folders.Transcript()
	agent, err := folders.NewAgent(llmtest.New(folders.Replay(turns)...), client, &store.InMemory{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, turn := range turns {
		answer, err := qed.Ask(t.Context(), agent, qed.Turn{Thread: "t", Text: turn.Text})
		if err != nil {
			t.Fatalf("%s: %v", turn.Text, err)
		}
		if asks := i+1 < len(turns) && turns[i+1].IsReply(); asks != (len(answer.Questions) > 0) {
			t.Errorf("%s: questions = %+v", turn.Text, answer.Questions)
		} else if !asks && !turn.IsReply() && !strings.Contains(answer.Text, turn.Answer) {
			t.Errorf("%s: answered %q", turn.Text, answer.Text)
		}
	}
}

// TestAsked finds a question with the replies that it needs.
func TestAsked(t *testing.T) {
	for text, want := range map[string]int{
		"What is in the Contracts folder?":        2,
		" what is in the contracts folder? ":      2,
		"Move W2_2024.pdf to the Archive folder.": 1,
		"2":             0,
		"What is love?": 0,
	} {
		if got := len(folders.Asked(text)); got != want {
			t.Errorf("%q needs %d turns, want %d", text, got, want)
		}
	}
}
