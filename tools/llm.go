package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/llm"
)

type llmInput struct {
	Prompt string          `json:"prompt" jsonschema_description:"what the model is to do, complete in itself"`
	Data   json.RawMessage `json:"data,omitempty" jsonschema_description:"the data for it, any JSON"`
	JSON   bool            `json:"json,omitempty" jsonschema_description:"true for a JSON object instead of a text; the prompt says which members it has"`
}

type llmResult struct {
	Text      string                     `json:"text,omitempty"`
	Truncated bool                       `json:"truncated,omitempty"` // the model reached its output limit
	Value     map[string]json.RawMessage `json:"value,omitempty"`
}

const maxLLMPrompt = 16 << 10 // bytes

// NewLLM returns the tool llm_tool: a model does what a prompt says. Its arguments
// are {"prompt", "data", "json"}, the last two optional. Its result is {"text"},
// with "truncated" if the model reached its output limit, or {"value"}, a JSON
// object, if json is true.
//
//   - The model gets the prompt, at most 16 KiB, and the data, which the prompt
//     marks as data. It gets no conversation and no tools.
//   - Text streams on [qed.ChannelTool].
//   - The model request has the name "llm_tool" ([llm.Request.Name]). The reply
//     is text or, with json, the object.
func NewLLM(model llm.Model, opt *Options) qed.Tool {
	m, err := newToolModel("llm_tool", model, opt, qed.ChannelTool)
	t := qed.NewTool("llm_tool", "Has a language model write a text, or a JSON object, from a prompt and data. "+
		"It knows only what it is given and nothing else of the company, so it is no source of figures.",
		func(ctx context.Context, in llmInput) (llmResult, error) {
			switch {
			case strings.TrimSpace(in.Prompt) == "":
				return llmResult{}, errors.New("the prompt is empty")
			case len(in.Prompt) > maxLLMPrompt:
				return llmResult{}, fmt.Errorf("the prompt has %d bytes, and at most %d are allowed: move what is not an instruction to data",
					len(in.Prompt), maxLLMPrompt)
			}
			facts, err := qed.Dates(ctx, in.Prompt)
			if err != nil {
				return llmResult{}, err
			}
			data := promptData{Request: in.Prompt, Dates: facts}
			data.setData(in.Data, maxData)
			if !in.JSON {
				text, cut, err := m.text(ctx, data)
				return llmResult{Text: text, Truncated: cut}, err
			}
			value, err := modelcall.Reply[map[string]json.RawMessage](ctx, m.json, m.tool, m.template, &data, nil)
			return llmResult{Value: value}, err
		})
	return m.finish(t, qed.CoreTool, err)
}
