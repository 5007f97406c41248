package llmtest_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
)

func Example() {
	m := llmtest.New(llmtest.Rule{
		Name:     "greet",
		Contains: []string{"good morning"},
		Replies:  []llmtest.Reply{{Text: "And to you."}},
	})
	resp, err := m.Generate(context.Background(), &llm.Request{
		Name:     "greet",
		Messages: []llm.Message{{Role: llm.RoleUser, Content: "A good morning!"}},
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resp.Message.Content, m.Check())
	// Output: And to you. <nil>
}

func ExampleRecord() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "tape.jsonl")
	req := &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "How many crews?"}}}

	provider := llmtest.New(llmtest.Rule{Replies: []llmtest.Reply{{Text: "Seven."}}}) // a real one in your program
	recorder, err := llmtest.Record(provider, path)
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := recorder.Generate(context.Background(), req, nil); err != nil {
		fmt.Println(err)
		return
	}

	player, err := llmtest.Replay(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	resp, err := player.Generate(context.Background(), req, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resp.Message.Content)
	// Output: Seven.
}
