// Package chattest runs the example programs in tests, with a fake model provider.
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

// Provider starts a server with the API of OpenAI and returns its base URL. The
// function say returns the reply to a request for a completion; it gets the JSON body
// of the request. The embedding of a text depends on its length only.
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
