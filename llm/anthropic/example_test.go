package anthropic_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"

	"github.com/qedkit/qed/internal/provider/providertest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/anthropic"
)

func ExampleNew() {
	server := httptest.NewServer(providertest.Events(start, textDelta("Seven "), textDelta("crews."), stop("end_turn"), end))
	defer server.Close()

	model, err := anthropic.New(&anthropic.Options{BaseURL: server.URL, APIKey: os.Getenv("ANTHROPIC_API_KEY")})
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

// Structured output: the reply is a Go value.
func ExampleNew_object() {
	server := httptest.NewServer(providertest.Body(200, message(text(`{"tables":["crew","person"]}`), "end_turn")))
	defer server.Close()

	model, err := anthropic.New(&anthropic.Options{BaseURL: server.URL, APIKey: os.Getenv("ANTHROPIC_API_KEY")})
	if err != nil {
		fmt.Println(err)
		return
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
