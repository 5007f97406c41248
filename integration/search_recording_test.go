package integration_test

import (
	"bytes"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/elastic/elastic-transport-go/v8/elastictransport"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/esquery/esclient"
	"github.com/qedkit/qed/esquery/estest"
	"github.com/qedkit/qed/examples/folders"
	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/llm/llmtest"
)

// converse fills the engine at base with the example's folders and holds the whole
// transcript with them. It returns the answers, and what was recorded on the way.
func converse(t *testing.T, base string) (answers []qed.Answer, recording []byte) {
	t.Helper()
	at, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	filling, err := elastictransport.NewClient(elastictransport.WithURLs(at), elastictransport.WithDisableRetry())
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time it is there
		if err := folders.Fill(t.Context(), filling); err != nil {
			t.Fatal(err)
		}
	}
	var recorded bytes.Buffer
	client, err := esclient.New(&esclient.Config{URLs: []string{base}, Transport: estest.Record(nil, &recorded)})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	turns := folders.Transcript()
	model := llmtest.New(folders.Replay(turns)...)
	agent, err := folders.NewAgent(model, client, &qed.MemoryStore{}, nil)
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
	for _, r := range model.Requests() {
		for _, m := range r.Messages {
			for _, secret := range []string{"TIN-", "Card_Statements", "Rival_"} {
				if strings.Contains(m.Content, secret) {
					t.Errorf("the model was sent %s in %s", secret, r.Name)
				}
			}
		}
	}
	return answers, recorded.Bytes()
}

// TestFoldersRecording holds the example's recording against the engine: it fails
// where Elasticsearch answers otherwise by now. QED_RECORD=1 records it anew.
func TestFoldersRecording(t *testing.T) {
	const file = "../examples/folders/data/recording.jsonl"
	_, fresh := converse(t, integration.Elasticsearch(t))
	if os.Getenv("QED_RECORD") == "1" {
		if err := os.WriteFile(file, fresh, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := estest.Compare(bytes.NewReader(kept), bytes.NewReader(fresh)); err != nil {
		t.Errorf("%v\nQED_RECORD=1 go test -run TestFoldersRecording records it anew", err)
	}
}

// TestFoldersOnBothEngines: OpenSearch answers the example's questions as
// Elasticsearch does.
func TestFoldersOnBothEngines(t *testing.T) {
	want, _ := converse(t, integration.Elasticsearch(t))
	got, _ := converse(t, integration.OpenSearch(t))
	ignored := cmp.Options{
		cmpopts.IgnoreFields(qed.Query{}, "Millis", "Handle"),
		cmpopts.IgnoreFields(qed.Question{}, "ID"),
	}
	if diff := cmp.Diff(want, got, ignored); diff != "" {
		t.Errorf("Elasticsearch (-) and OpenSearch (+) differ:\n%s", diff)
	}
}
