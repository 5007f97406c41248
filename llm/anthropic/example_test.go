package anthropic_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/anthropic"
)

// replying starts a server that replies as Anthropic does. A program leaves BaseURL empty.
func replying(contentType, reply string) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		io.WriteString(w, reply)
	}))
}

func Example() {
	server := replying("text/event-stream", `event: message_start
data: {"type":"message_start","message":{"id":"1","type":"message","role":"assistant","model":"claude","content":[],"usage":{"input_tokens":9,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Seven "}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"crews."}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":4}}

event: message_stop
data: {"type":"message_stop"}

`)
	defer server.Close()

	model, err := anthropic.New(&anthropic.Options{BaseURL: server.URL, APIKey: os.Getenv("ANTHROPIC_API_KEY")})
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

// Structured output: the reply is a Go value.
func ExampleNew_object() {
	server := replying("application/json", `{"id":"1","type":"message","role":"assistant","model":"claude",
		"content":[{"type":"text","text":"{\"tables\":[\"crew\",\"person\"]}"}],
		"stop_reason":"end_turn","usage":{"input_tokens":9,"output_tokens":4}}`)
	defer server.Close()

	model, err := anthropic.New(&anthropic.Options{BaseURL: server.URL, APIKey: os.Getenv("ANTHROPIC_API_KEY")})
	if err != nil {
		log.Fatal(err)
	}
	type selection struct {
		Tables []string `json:"tables"`
	}
	got, _, err := llm.GenerateObject[selection](context.Background(), model, &llm.Request{
		Messages: []llm.Message{{Role: llm.RoleUser, Content: "Which tables are needed to find out who works in crew 7?"}},
	}, nil)
	fmt.Println(got.Tables, err)
	// Output: [crew person] <nil>
}
