// Package chattest has what the tests of the example chats share.
package chattest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Provider starts a server that speaks a provider's protocol, until the test ends,
// and returns its base URL. say replies to a request for a completion, given its
// body: what a model is sent is in it, as JSON. A text has the embedding of its
// length.
func Provider(t *testing.T, say func(sent string) string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		var sent struct {
			Stream bool     `json:"stream"`
			Input  []string `json:"input"`
		}
		if err := json.Unmarshal(body, &sent); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(r.URL.Path, "/embeddings") {
			writeEmbeddings(w, sent.Input)
			return
		}
		content, err := json.Marshal(say(string(body)))
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		if sent.Stream {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "data: {\"id\":\"1\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":%s},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", content)
			return
		}
		fmt.Fprintf(w, `{"id":"1","object":"chat.completion","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":%s}}]}`, content)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func writeEmbeddings(w io.Writer, texts []string) {
	var data []string
	for i, text := range texts {
		data = append(data, fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":[1,%d]}`, i, len(text)))
	}
	fmt.Fprintf(w, `{"object":"list","model":"e","data":[%s],"usage":{"prompt_tokens":1,"total_tokens":1}}`, strings.Join(data, ","))
}
