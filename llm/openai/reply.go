package openai

import (
	"encoding/json"
	"fmt"
	"math"

	sdk "github.com/openai/openai-go/v3"

	"github.com/qedkit/qed/llm"
)

// draft is a reply while it comes in.
type draft struct {
	text, refusal []byte
	calls         []draftCall
	finish        string
	usage         llm.Usage
	model         string
}

type draftCall struct {
	index     int64
	id, name  string
	arguments []byte
}

// reply reads a reply that came as a whole.
func (c *call) reply(completion *sdk.ChatCompletion) (*llm.Response, error) {
	if completion == nil {
		return nil, c.protocol("the reply is null")
	}
	if len(completion.Choices) == 0 {
		// Some gateways report a failure of the server behind them as a success of their own.
		if raw := completion.JSON.ExtraFields["error"].Raw(); raw != "" && raw != "null" {
			return nil, c.reported([]byte(completion.RawJSON()))
		}
		return nil, c.protocol("the reply has no choices")
	}
	choice := completion.Choices[0]
	d := draft{
		text:    []byte(choice.Message.Content),
		refusal: []byte(choice.Message.Refusal),
		finish:  choice.FinishReason,
		usage:   usage(completion.Usage),
		model:   completion.Model,
	}
	for i, t := range choice.Message.ToolCalls {
		d.calls = append(d.calls, draftCall{int64(i), t.ID, t.Function.Name, []byte(t.Function.Arguments)})
	}
	return c.finish(&d)
}

func usage(u sdk.CompletionUsage) llm.Usage {
	return llm.Usage{InputTokens: tokens(u.PromptTokens), OutputTokens: tokens(u.CompletionTokens), Calls: 1}
}

// tokens is a count that a server gave, within what a reply can cost: sums of it stay right.
func tokens(n int64) int { return int(min(max(n, 0), math.MaxInt32)) }

// response is the draft as it stands. Tool calls whose arguments are no JSON are left out, and make it false.
func (d *draft) response() (*llm.Response, bool) {
	resp := &llm.Response{
		Message: llm.Message{Role: llm.Assistant, Content: string(d.text)},
		Finish:  llm.FinishStop,
		Usage:   d.usage,
		Model:   d.model,
	}
	resp.Usage.Calls = 1
	ok := true
	for i, t := range d.calls {
		arguments := json.RawMessage(t.arguments)
		if len(arguments) == 0 {
			arguments = json.RawMessage("{}")
		}
		if !json.Valid(arguments) {
			ok = false
			continue
		}
		if t.id == "" { // some servers give none, and need one back
			t.id = fmt.Sprintf("call_%d", i)
		}
		resp.Message.ToolCalls = append(resp.Message.ToolCalls, llm.ToolCall{ID: t.id, Name: t.name, Arguments: arguments})
	}
	switch {
	case d.finish == "length":
		resp.Finish = llm.FinishLength
	case len(d.refusal) > 0 || d.finish == "content_filter":
		resp.Finish = llm.FinishRefusal
	case len(d.calls) > 0: // some servers say "stop" then
		resp.Finish = llm.FinishToolCalls
	}
	return resp, ok
}

// finish turns a complete draft into a response, or into the error that it amounts to.
func (c *call) finish(d *draft) (*llm.Response, error) {
	resp, argumentsOK := d.response()
	e := &llm.Error{Provider: provider, Partial: resp}
	switch {
	case resp.Finish == llm.FinishLength:
		e.Kind = llm.ErrTruncated
		e.Message = "the reply reached its limit of tokens: raise Request.MaxTokens, or ask for less"
	case resp.Finish == llm.FinishRefusal:
		e.Kind = llm.ErrRefusal
		e.Message = "the model, or a filter of the provider, declined"
		if len(d.refusal) > 0 {
			e.Message = "the model declined: " + c.clean(string(d.refusal))
		}
	case !argumentsOK:
		e.Kind = llm.ErrInvalidOutput
		e.Message = "the model called a tool with arguments that are not JSON"
	default:
		return resp, nil
	}
	return nil, e
}
