package integration_test

import (
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/examples/folders"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/searchagent"
	"github.com/qedkit/qed/store"
)

var foldersExample = recordedExample{
	recording: "../examples/folders/data/recording.jsonl",
	fill:      folders.Fill,
	converse:  holdTranscript,
}

// holdTranscript runs the whole transcript on an engine that holds the documents. It
// asserts that no request to the model contains what the company's users may not see.
func holdTranscript(t *testing.T, engine searchagent.Engine) (answers []qed.Answer) {
	t.Helper()
	turns := folders.Transcript()
	model := llmtest.New(folders.Replay(turns)...)
	agent, err := folders.NewAgent(model, engine, &searchagent.Options{Store: &store.InMemory{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, turn := range turns {
		answer, err := qed.Ask(t.Context(), agent, qed.Turn{Thread: "t", Text: turn.Text})
		if err != nil {
			t.Fatalf("%s: %v", turn.Text, err)
		}
		answers = append(answers, answer)
	}
	requests := model.Requests()
	if len(requests) == 0 {
		t.Error("the model got no request")
	}
	for _, r := range requests {
		for _, m := range r.Messages {
			for _, secret := range []string{"TIN-", "Card_Statements", "Rival_"} {
				if strings.Contains(m.Content, secret) {
					t.Errorf("the request %[2]s to the model contains %[1]s", secret, r.Name)
				}
			}
		}
	}
	return answers
}

// TestFoldersRecording compares the recording of the transcript with the answers of
// Elasticsearch.
func TestFoldersRecording(t *testing.T) { foldersExample.testRecording(t) }

// TestFoldersOnBothEngines compares OpenSearch with Elasticsearch on the transcript.
func TestFoldersOnBothEngines(t *testing.T) { foldersExample.testBothEngines(t) }
