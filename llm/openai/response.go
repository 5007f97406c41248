package openai

import (
	sdk "github.com/openai/openai-go/v3"

	"github.com/qedkit/qed/internal/provider"
	"github.com/qedkit/qed/llm"
)

// response converts a reply that was not streamed.
func response(c *provider.Call, completion *sdk.ChatCompletion) (*llm.Response, error) {
	if completion == nil {
		return nil, c.ProtocolError("the reply is null")
	}
	if len(completion.Choices) == 0 {
		// Some gateways report an error of the upstream server with status 200.
		if raw := completion.JSON.ExtraFields["error"].Raw(); raw != "" && raw != "null" {
			return nil, c.ReportedError([]byte(completion.RawJSON()))
		}
		return nil, c.ProtocolError("the reply has no choices")
	}
	choice := completion.Choices[0]
	d := provider.Draft{
		Text:         []byte(choice.Message.Content),
		Refusal:      []byte(choice.Message.Refusal),
		FinishReason: finishReason(choice.FinishReason),
		Usage:        usage(completion.Usage),
		Model:        completion.Model,
	}
	for i, t := range choice.Message.ToolCalls {
		call := d.Add(int64(i))
		call.ID, call.Name, call.Arguments = t.ID, t.Function.Name, []byte(t.Function.Arguments)
	}
	return c.Finish(&d)
}

func finishReason(reason string) llm.FinishReason {
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
	return provider.Counts{
		Input:      u.PromptTokens,
		Cached:     u.PromptTokensDetails.CachedTokens,
		CacheWrite: u.PromptTokensDetails.CacheWriteTokens,
		Output:     u.CompletionTokens,
		Reasoning:  u.CompletionTokensDetails.ReasoningTokens,
	}.Usage()
}
