package integration_test

import (
	"bytes"
	"context"
	"net/url"
	"os"
	"testing"

	"github.com/elastic/elastic-transport-go/v8/elastictransport"
	"github.com/elastic/go-elasticsearch/v8/esapi"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/esquery/esclient"
	"github.com/qedkit/qed/esquery/estest"
	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/searchagent"
)

// A recordedExample is one that comes with a recording of Elasticsearch.
type recordedExample struct {
	recording string                                            // its file
	fill      func(context.Context, esapi.Transport) error      // makes its indices
	converse  func(*testing.T, searchagent.Engine) []qed.Answer // holds all of its conversations
}

// on fills the engine at base and holds the conversations there. It returns the answers,
// and what was recorded on the way.
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
	for range 2 { // the second time it is there
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

// distinct returns each line of a recording once: conversations may make the same search.
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

// testRecording holds the recording against the engine: it fails where Elasticsearch
// answers otherwise by now. QED_RECORD=1 records it anew.
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
	if err := estest.Compare(bytes.NewReader(kept), bytes.NewReader(fresh)); err != nil {
		t.Errorf("%v\nQED_RECORD=1 go test -run %s records it anew", err, t.Name())
	}
}

// testBothEngines asserts that the conversations come to the same on OpenSearch as on
// Elasticsearch.
func (e *recordedExample) testBothEngines(t *testing.T) {
	t.Helper()
	want, _ := e.on(t, integration.Elasticsearch(t))
	got, _ := e.on(t, integration.OpenSearch(t))
	ignored := cmp.Options{
		cmpopts.IgnoreFields(qed.Query{}, "Millis", "Handle"),
		cmpopts.IgnoreFields(qed.Question{}, "ID"),
	}
	if diff := cmp.Diff(want, got, ignored); diff != "" {
		t.Errorf("Elasticsearch (-) and OpenSearch (+) differ:\n%s", diff)
	}
}
