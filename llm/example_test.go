package llm_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"

	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
)

func ExampleStream() {
	model := llmtest.New(llmtest.Rule{Contains: []string{"crews"}, Replies: []llmtest.Reply{{Text: "There are seven crews."}}})
	req := &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "How many crews are there?"}}}
	for piece, err := range llm.Stream(context.Background(), model, req) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Print(piece.Text)
		if piece.Response != nil {
			fmt.Println("", piece.Response.FinishReason)
		}
	}
	// Output: There are seven crews. stop
}

// An image and the question about it. The model of a real program is that of a
// provider's package.
func ExamplePart() {
	model := llmtest.New(llmtest.Rule{Contains: []string{"[image]"}, Replies: []llmtest.Reply{{Text: "It rises until June."}}})
	var chart bytes.Buffer
	if err := png.Encode(&chart, image.NewGray(image.Rect(0, 0, 40, 20))); err != nil {
		fmt.Println(err)
		return
	}
	resp, err := model.Generate(context.Background(), &llm.Request{Messages: []llm.Message{{
		Role:    llm.RoleUser,
		Content: "What does the chart show?",
		Parts:   []llm.Part{{Type: llm.PartImage, MediaType: "image/png", Data: chart.Bytes()}},
	}}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resp.Message.Content)
	// Output: It rises until June.
}

func ExamplePrices() {
	provider := llm.ModelFunc(func(context.Context, *llm.Request, func(llm.Delta)) (*llm.Response, error) {
		return &llm.Response{
			Message: llm.Message{Role: llm.RoleAssistant, Content: "Seven."},
			Model:   "gpt-5.4-mini-2026-03-17",
			Usage:   llm.Usage{InputTokens: 4000, CachedTokens: 3000, OutputTokens: 500, Calls: 1},
		}, nil
	})
	model := llm.Wrap(provider, llm.Prices(map[string]llm.Price{
		"gpt-5.4-mini": {Input: 1, CachedInput: 0.1, Output: 4}, // per million tokens
	}))
	resp, err := model.Generate(context.Background(), &llm.Request{}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f\n", resp.Usage.Cost)
	// Output: 0.0033
}
