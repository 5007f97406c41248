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

// generateStream requests a streamed reply. It reads the events on the caller's
// goroutine, so a callback that panics or is slow affects no other call, and the
// connection is closed when it returns.
func generateStream(
	c *provider.Call, params sdk.ChatCompletionNewParams, stream func(llm.Delta),
) (*llm.Response, error) {
	params.StreamOptions.IncludeUsage = param.NewOpt(true)
	// The SDK would send Accept: application/json.
	accept := option.WithHeader("Accept", provider.EventStream)
	completions := sdk.NewChatCompletionService(append(sdkOptions(c), accept)...)
	chunks := completions.NewStreaming(c.Ctx, params)
	defer chunks.Close()

	var d provider.Draft
	for chunks.Next() {
		chunk := chunks.Current()
		addChunk(&d, &chunk)
		if len(d.Calls) > provider.MaxCalls {
			return nil, c.ProtocolError(fmt.Sprintf("the reply has more than %d tool calls", provider.MaxCalls))
		}
		if len(chunk.Choices) > 0 && chunk.Choices[0].Index == 0 && chunk.Choices[0].Delta.Content != "" {
			stream(llm.Delta{Text: chunk.Choices[0].Delta.Content})
		}
		// The SDK does not look at the context while it reads what has arrived.
		if c.Ctx.Err() != nil {
			return nil, c.Error(c.Ctx.Err(), d.Partial())
		}
	}
	return endOfStream(c, &d, chunks.Err())
}

// endOfStream returns the reply of a stream that ended with err or nil.
func endOfStream(c *provider.Call, d *provider.Draft, err error) (*llm.Response, error) {
	if err != nil {
		var reported *ssestream.StreamError
		if errors.As(err, &reported) {
			err = c.ReportedError(reported.Event.Data)
		}
		if errors.Is(err, errTooManyParts) {
			err = c.ProtocolError(errTooManyParts.Error())
		}
		return nil, c.Error(err, d.Partial())
	}
	if d.FinishReason == "" {
		return nil, c.TruncatedError(nil, d.Partial())
	}
	return c.Finish(d)
}

// addChunk adds a chunk to d. Servers report usage in a last chunk without choices,
// in every chunk as a running total, or not at all.
func addChunk(d *provider.Draft, chunk *sdk.ChatCompletionChunk) {
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
	if f := finishReason(choice.FinishReason); f != "" {
		d.FinishReason = f
	}
	for _, t := range choice.Delta.ToolCalls {
		into := d.Last(t.Index)
		// Some servers give every call the index 0 and different ids.
		if into == nil || t.ID != "" && into.ID != "" && t.ID != into.ID {
			into = d.Add(t.Index)
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
