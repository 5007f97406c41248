package openai

import (
	"errors"
	"fmt"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/qedkit/qed/internal/provider"
	"github.com/qedkit/qed/llm"
)

// streamed asks for a reply in pieces. It reads them on the caller's goroutine, so a callback that panics or is slow
// holds up nothing else, and returning closes the connection.
func streamed(c *provider.Call, params sdk.ChatCompletionNewParams, stream func(llm.Delta)) (*llm.Response, error) {
	params.StreamOptions.IncludeUsage = param.NewOpt(true)
	// The library would ask for a whole reply.
	completions := sdk.NewChatCompletionService(append(options(c), option.WithHeader("Accept", provider.EventStream))...)
	chunks := completions.NewStreaming(c.Ctx, params)
	defer chunks.Close()

	var d provider.Draft
	for chunks.Next() {
		chunk := chunks.Current()
		add(&d, &chunk)
		if len(d.Calls) > provider.MaxCalls {
			return nil, c.Protocol(fmt.Sprintf("the reply has more than %d tool calls", provider.MaxCalls))
		}
		if len(chunk.Choices) > 0 && chunk.Choices[0].Index == 0 && chunk.Choices[0].Delta.Content != "" {
			stream(llm.Delta{Text: chunk.Choices[0].Delta.Content})
		}
		// A body that is already here would otherwise be read to its end.
		if c.Ctx.Err() != nil {
			return nil, c.Failed(c.Ctx.Err(), d.Partial())
		}
	}
	if err := chunks.Err(); err != nil {
		var reported *ssestream.StreamError
		if errors.As(err, &reported) {
			err = c.Reported(reported.Event.Data)
		}
		return nil, c.Failed(err, d.Partial())
	}
	if d.Finish == "" {
		return nil, c.Cut(nil, d.Partial())
	}
	return c.Finish(&d)
}

// add adds a piece. Usage comes in a last one without choices, in every one as a running total, or never.
func add(d *provider.Draft, chunk *sdk.ChatCompletionChunk) {
	if chunk.Model != "" {
		d.Model = chunk.Model
	}
	if u := usage(chunk.Usage); u.InputTokens > 0 || u.OutputTokens > 0 {
		d.Usage = u
	}
	if len(chunk.Choices) == 0 || chunk.Choices[0].Index != 0 {
		return
	}
	choice := &chunk.Choices[0]
	d.Text = append(d.Text, choice.Delta.Content...)
	d.Refusal = append(d.Refusal, choice.Delta.Refusal...)
	if f := finish(choice.FinishReason); f != "" {
		d.Finish = f
	}
	for _, t := range choice.Delta.ToolCalls {
		into := d.Last(t.Index)
		// Some servers number every call 0 and tell them apart by their ids alone.
		if into == nil || t.ID != "" && into.ID != "" && t.ID != into.ID {
			into = d.Open(t.Index)
		}
		if t.ID != "" {
			into.ID = t.ID
		}
		if into.Name == "" {
			into.Name = t.Function.Name
		}
		into.Arguments = append(into.Arguments, t.Function.Arguments...)
	}
}
