package openai_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/openai"
)

// replying starts a server that replies as OpenAI does. A program leaves BaseURL empty.
func replying(contentType, reply string) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		io.WriteString(w, reply)
	}))
}

func Example() {
	server := replying("text/event-stream", `data: {"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Seven "}}]}

data: {"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"crews."},"finish_reason":"stop"}]}

data: [DONE]

`)
	defer server.Close()

	model, err := openai.New(&openai.Options{Model: "gpt-5.4-mini", BaseURL: server.URL + "/v1", APIKey: os.Getenv("OPENAI_API_KEY")})
	if err != nil {
		log.Fatal(err)
	}
	req := &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "How many crews?"}}}
	for piece, err := range llm.Stream(context.Background(), llm.Wrap(model, llm.Retry(nil)), req) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Print(piece.Text)
	}
	// Output: Seven crews.
}

// A local model in Ollama, in JSON mode. It needs no key: run ollama pull qwen3 first.
func ExampleNew_ollama() {
	model, err := openai.New(&openai.Options{Model: "qwen3", BaseURL: openai.OllamaBaseURL})
	if err != nil {
		log.Fatal(err)
	}
	type selection struct {
		Tables []string `json:"tables"`
	}
	got, _, err := llm.GenerateObject[selection](context.Background(), model, &llm.Request{
		Messages: []llm.Message{{Role: llm.RoleUser, Content: "Which tables are needed to find out who works in crew 7?"}},
	}, &llm.ObjectOptions{Mode: llm.JSONMode})
	fmt.Println(got.Tables, err)
}

func ExampleNewEmbedder() {
	server := replying("application/json", `{"data":[{"index":1,"embedding":[0,1]},{"index":0,"embedding":[1,0]}]}`)
	defer server.Close()

	embedder, err := openai.NewEmbedder(&openai.Options{Model: "text-embedding-3-small", BaseURL: server.URL + "/v1"})
	if err != nil {
		log.Fatal(err)
	}
	vectors, err := embedder.Embed(context.Background(), []string{"crew", "invoice"})
	fmt.Println(vectors, err)
	// Output: [[1 0] [0 1]] <nil>
}
