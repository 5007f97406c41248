package openai

import (
	"fmt"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"

	"github.com/qedkit/qed/llm"
)

// maxCalls bounds the tool calls of a reply: each piece of one looks for the call that it belongs to.
const maxCalls = 1000

// stream asks for a reply in pieces. It reads them on the caller's goroutine, so a callback that panics or is slow
// holds up nothing else, and returning closes the connection.
func (c *call) stream(params sdk.ChatCompletionNewParams, stream func(llm.Delta)) (*llm.Response, error) {
	params.StreamOptions.IncludeUsage = param.NewOpt(true)
	completions := sdk.NewChatCompletionService(append(c.options(), acceptEvents)...)
	chunks := completions.NewStreaming(c.ctx, params)
	defer chunks.Close()

	var d draft
	for chunks.Next() {
		chunk := chunks.Current()
		d.add(&chunk)
		if len(d.calls) > maxCalls {
			return nil, c.protocol(fmt.Sprintf("the reply has more than %d tool calls", maxCalls))
		}
		if len(chunk.Choices) > 0 && chunk.Choices[0].Index == 0 && chunk.Choices[0].Delta.Content != "" {
			stream(llm.Delta{Text: chunk.Choices[0].Delta.Content})
		}
		// A body that is already here would otherwise be read to its end.
		if c.ctx.Err() != nil {
			return nil, c.failed(c.ctx.Err(), d.partial())
		}
	}
	if err := chunks.Err(); err != nil {
		return nil, c.failed(err, d.partial())
	}
	if d.finish == "" {
		return nil, c.cut(nil, d.partial())
	}
	return c.finish(&d)
}

// add adds a piece. Usage comes in a last one without choices, in every one as a running total, or never.
func (d *draft) add(chunk *sdk.ChatCompletionChunk) {
	if chunk.Model != "" {
		d.model = chunk.Model
	}
	if u := usage(chunk.Usage); u.InputTokens > 0 || u.OutputTokens > 0 {
		d.usage = u
	}
	if len(chunk.Choices) == 0 || chunk.Choices[0].Index != 0 {
		return
	}
	choice := &chunk.Choices[0]
	d.text = append(d.text, choice.Delta.Content...)
	d.refusal = append(d.refusal, choice.Delta.Refusal...)
	if choice.FinishReason != "" {
		d.finish = choice.FinishReason
	}
	for _, t := range choice.Delta.ToolCalls {
		last := len(d.calls) - 1
		for last >= 0 && d.calls[last].index != t.Index {
			last--
		}
		// Some servers number every call 0 and tell them apart by their ids alone.
		if last < 0 || t.ID != "" && d.calls[last].id != "" && t.ID != d.calls[last].id {
			d.calls = append(d.calls, draftCall{index: t.Index})
			last = len(d.calls) - 1
		}
		into := &d.calls[last]
		if t.ID != "" {
			into.id = t.ID
		}
		if into.name == "" {
			into.name = t.Function.Name
		}
		into.arguments = append(into.arguments, t.Function.Arguments...)
	}
}

// partial is what has come in so far; nil when nothing has.
func (d *draft) partial() *llm.Response {
	if len(d.text) == 0 && len(d.refusal) == 0 && len(d.calls) == 0 && d.usage == (llm.Usage{}) {
		return nil
	}
	resp, _ := d.response()
	if d.finish == "" {
		resp.Finish = ""
	}
	return resp
}
