package cluster_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/elastic/elastic-transport-go/v8/elastictransport"
	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/qedkit/qed/examples/internal/cluster"
	"github.com/qedkit/qed/internal/command/settings"
)

var ships = cluster.Index{
	Name:    "ships",
	Mapping: []byte(`{"mappings":{"properties":{"name":{"type":"keyword"}}}}`),
	Documents: func(yield func(string, any) bool) {
		_ = yield("1", map[string]string{"name": "Anna"}) && yield("2", map[string]string{"name": "Lucia"})
	},
}

// engine returns the transport of a fake cluster, which has the index if there is set. It
// also returns the bulk request that was sent.
func engine(t *testing.T, there bool, bulkAnswer string) (esapi.Transport, *string) {
	t.Helper()
	var bulk string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.Method == http.MethodGet && !there:
			w.WriteHeader(http.StatusNotFound)
		case r.Method == http.MethodGet:
			io.WriteString(w, `{"ships":{}}`)
		case r.Method == http.MethodPut:
			io.WriteString(w, `{"acknowledged":true}`)
		default:
			sent, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			bulk = string(sent)
			io.WriteString(w, bulkAnswer)
		}
	}))
	t.Cleanup(server.Close)
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	transport, err := elastictransport.NewClient(elastictransport.WithURLs(at), elastictransport.WithDisableRetry())
	if err != nil {
		t.Fatal(err)
	}
	return transport, &bulk
}

func TestFill(t *testing.T) {
	const both = `{"index":{"_id":"1"}}` + "\n" + `{"name":"Anna"}` + "\n" + `{"index":{"_id":"2"}}` + "\n" + `{"name":"Lucia"}` + "\n"
	for _, tt := range []struct {
		name   string
		there  bool
		answer string
		sent   string
		fails  bool
	}{
		{name: "there is none", answer: `{"errors":false}`, sent: both},
		{name: "it is there", there: true},
		{name: "a document is not taken", answer: `{"errors":true}`, sent: both, fails: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			transport, bulk := engine(t, tt.there, tt.answer)
			if err := cluster.Fill(t.Context(), transport, ships); (err != nil) != tt.fails {
				t.Errorf("error = %v", err)
			}
			if *bulk != tt.sent {
				t.Errorf("the cluster was sent %q, want %q", *bulk, tt.sent)
			}
		})
	}
}

// TestOpenRecording checks that nothing is filled without a cluster.
func TestOpenRecording(t *testing.T) {
	client, note, err := cluster.Open(t.Context(), settings.Search{}, nil, func(context.Context, esapi.Transport) error {
		t.Error("it is filled")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if !strings.Contains(note, "recording") {
		t.Errorf("note = %q", note)
	}
}
