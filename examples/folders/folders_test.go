package folders_test

import (
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/examples/folders"
	"github.com/qedkit/qed/examples/internal/cluster"
	"github.com/qedkit/qed/examples/internal/settings"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/searchagent"
	"github.com/qedkit/qed/store"
)

// TestTranscript runs the whole conversation on the recording. Every turn ends with
// the recorded answer or with a question.
func TestTranscript(t *testing.T) {
	client, _, err := cluster.Open(t.Context(), settings.Search{}, folders.Recording, folders.Fill)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	turns := folders.Transcript()
	agent, err := folders.NewAgent(llmtest.New(folders.Replay(turns)...), client, &searchagent.Options{Store: &store.InMemory{}})
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

// TestRecorded checks that a question is found with the replies that it needs.
func TestRecorded(t *testing.T) {
	for text, want := range map[string]int{
		"What is in the Contracts folder?":        2,
		" what is in the contracts folder? ":      2,
		"Move W2_2024.pdf to the Archive folder.": 1,
		"2":             0,
		"What is love?": 0,
	} {
		got, err := folders.Recorded(text)
		if len(got) != want || (err == nil) != (want > 0) {
			t.Errorf("%q needs %d turns, want %d (%v)", text, len(got), want, err)
		}
	}
}
