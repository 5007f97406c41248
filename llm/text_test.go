package llm_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
)

func Example() {
	model := llmtest.New(llmtest.Rule{Contains: []string{"Paris"}, Replies: []llmtest.Reply{{Text: "France"}}})
	country, err := llm.GenerateText(context.Background(), model, "Which country is Paris in? Reply with its name.")
	fmt.Println(country, err)
	// Output: France <nil>
}

func TestGenerateText(t *testing.T) {
	down := &llm.Error{Kind: llm.ErrUnavailable, Message: "down"}
	for name, test := range map[string]struct {
		reply llm.Response
		err   error
		text  string
		want  error
	}{
		"a text":      {llm.Response{Message: llm.Message{Content: " yes\n"}}, nil, " yes\n", nil},
		"no text":     {llm.Response{Message: llm.Message{Content: " \n"}}, nil, "", llm.ErrInvalidOutput},
		"an error":    {llm.Response{}, down, "", llm.ErrUnavailable},
		"only a call": {llm.Response{Message: llm.Message{ToolCalls: []llm.ToolCall{{Name: "f"}}}}, nil, "", llm.ErrInvalidOutput},
	} {
		m := llm.ModelFunc(func(_ context.Context, req *llm.Request, _ func(llm.Delta)) (*llm.Response, error) {
			if len(req.Messages) != 1 || req.Messages[0].Role != llm.RoleUser || req.Messages[0].Content != "q" {
				t.Errorf("%s: the request is %+v", name, req)
			}
			if test.err != nil {
				return nil, test.err
			}
			return &test.reply, nil
		})
		if text, err := llm.GenerateText(t.Context(), m, "q"); text != test.text || !errors.Is(err, test.want) {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}
