package openai

import (
	sdk "github.com/openai/openai-go/v3"

	"github.com/qedkit/qed/internal/provider"
	"github.com/qedkit/qed/llm"
)

// reply reads a reply that came as a whole.
func reply(c *provider.Call, completion *sdk.ChatCompletion) (*llm.Response, error) {
	if completion == nil {
		return nil, c.Protocol("the reply is null")
	}
	if len(completion.Choices) == 0 {
		// Some gateways report a failure of the server behind them as a success of their own.
		if raw := completion.JSON.ExtraFields["error"].Raw(); raw != "" && raw != "null" {
			return nil, c.Reported([]byte(completion.RawJSON()))
		}
		return nil, c.Protocol("the reply has no choices")
	}
	choice := completion.Choices[0]
	d := provider.Draft{
		Text:    []byte(choice.Message.Content),
		Refusal: []byte(choice.Message.Refusal),
		Finish:  finish(choice.FinishReason),
		Usage:   usage(completion.Usage),
		Model:   completion.Model,
	}
	for i, t := range choice.Message.ToolCalls {
		call := d.Open(int64(i))
		call.ID, call.Name, call.Arguments = t.ID, t.Function.Name, []byte(t.Function.Arguments)
	}
	return c.Finish(&d)
}

func finish(reason string) llm.Finish {
	switch reason {
	case "":
		return ""
	case "length":
		return llm.FinishLength
	case "content_filter":
		return llm.FinishRefusal
	}
	return llm.FinishStop
}

func usage(u sdk.CompletionUsage) llm.Usage {
	return llm.Usage{InputTokens: provider.Tokens(u.PromptTokens), OutputTokens: provider.Tokens(u.CompletionTokens), Calls: 1}
}
