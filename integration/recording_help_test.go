package integration_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/elastic/elastic-transport-go/v8/elastictransport"
	"github.com/elastic/go-elasticsearch/v8/esapi"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/esquery/esclient"
	"github.com/qedkit/qed/esquery/estest"
	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/searchagent"
)

// recordedExample is an example with a recording of Elasticsearch.
type recordedExample struct {
	recording string                                            // its file
	fill      func(context.Context, esapi.Transport) error      // creates its indices
	converse  func(*testing.T, searchagent.Engine) []qed.Answer // runs all of its conversations
}

// on fills the engine at base and runs the conversations there. It returns the answers
// and a recording.
func (e *recordedExample) on(t *testing.T, base string) (answers []qed.Answer, recording []byte) {
	t.Helper()
	at, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	filling, err := elastictransport.NewClient(elastictransport.WithURLs(at), elastictransport.WithDisableRetry())
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time the indices exist
		if err := e.fill(t.Context(), filling); err != nil {
			t.Fatal(err)
		}
	}
	var recorded bytes.Buffer
	client, err := esclient.New(&esclient.Options{URLs: []string{base}, Transport: estest.Record(nil, &recorded)})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	answers = e.converse(t, client)
	return answers, distinct(recorded.Bytes())
}

// distinct removes duplicate lines from a recording: conversations make the same search.
func distinct(recording []byte) []byte {
	seen := map[string]bool{}
	var kept []byte
	for line := range bytes.Lines(recording) {
		if !seen[string(line)] {
			seen[string(line)] = true
			kept = append(kept, line...)
		}
	}
	return kept
}

// testRecording compares the recording with the answers of Elasticsearch. QED_RECORD=1
// writes a new recording.
func (e *recordedExample) testRecording(t *testing.T) {
	t.Helper()
	_, fresh := e.on(t, integration.Elasticsearch(t))
	if os.Getenv("QED_RECORD") == "1" {
		if err := os.WriteFile(e.recording, fresh, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(e.recording)
	if err != nil {
		t.Fatal(err)
	}
	lines := func(recording []byte) []string { return slices.Sorted(strings.Lines(string(recording))) }
	if diff := cmp.Diff(lines(kept), lines(fresh)); diff != "" {
		t.Errorf("the engine answers otherwise (-recorded +now):\n%s\nQED_RECORD=1 go test -run %s writes a new recording", diff, t.Name())
	}
}

// testBothEngines asserts that the conversations have the same results on OpenSearch as
// on Elasticsearch.
func (e *recordedExample) testBothEngines(t *testing.T) {
	t.Helper()
	want, _ := e.on(t, integration.Elasticsearch(t))
	got, _ := e.on(t, integration.OpenSearch(t))
	ignored := cmp.Options{
		cmpopts.IgnoreFields(qed.Query{}, "Millis", "Handle"),
		cmpopts.IgnoreFields(question.Question{}, "ID"),
		cmp.Transformer("decoded", func(doc qed.Document) (d struct {
			Index, ID string
			Source    any
		}) { // the engines return fields in another order
			d.Index, d.ID = doc.Index, doc.ID
			if err := json.Unmarshal(doc.Source, &d.Source); err != nil {
				t.Error(err)
			}
			return d
		}),
	}
	if diff := cmp.Diff(want, got, ignored); diff != "" {
		t.Errorf("Elasticsearch (-) and OpenSearch (+) differ:\n%s", diff)
	}
}
