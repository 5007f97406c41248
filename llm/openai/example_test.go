package openai_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"

	"github.com/qedkit/qed/internal/provider/providertest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/openai"
)

func ExampleNew() {
	server := httptest.NewServer(events(chunk(`{"content":"Seven "}`, "null"), chunk(`{"content":"crews."}`, "null"), chunk(`{}`, "stop")))
	defer server.Close()

	model, err := openai.New(&openai.Options{Model: "gpt-5.4-mini", BaseURL: server.URL + "/v1", APIKey: os.Getenv("OPENAI_API_KEY")})
	if err != nil {
		fmt.Println(err)
		return
	}
	req := &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "How many crews?"}}}
	for piece, err := range llm.Stream(context.Background(), llm.Wrap(model, llm.Retry(nil)), req) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Print(piece.Text)
	}
	// Output: Seven crews.
}

// A local model in Ollama, in JSON mode.
func ExampleNew_ollama() {
	model, err := openai.New(&openai.Options{Model: "qwen3", BaseURL: openai.OllamaBaseURL})
	if err != nil {
		fmt.Println(err)
		return
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
	server := httptest.NewServer(providertest.Body(200, `{"data":[{"index":1,"embedding":[0,1]},{"index":0,"embedding":[1,0]}]}`))
	defer server.Close()

	embedder, err := openai.NewEmbedder(&openai.Options{Model: "text-embedding-3-small", BaseURL: server.URL + "/v1"})
	if err != nil {
		fmt.Println(err)
		return
	}
	vectors, err := embedder.Embed(context.Background(), []string{"crew", "invoice"})
	fmt.Println(vectors, err)
	// Output: [[1 0] [0 1]] <nil>
}
