package openai

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"github.com/qedkit/qed/llm"
)

// params writes req as the protocol has it.
func (s *server) params(req *llm.Request) (sdk.ChatCompletionNewParams, error) {
	p := sdk.ChatCompletionNewParams{Model: s.model}
	if len(req.Messages) == 0 {
		return p, misconfigured(llm.ErrBadRequest, "the request has no messages")
	}
	for i, m := range req.Messages {
		message, err := messageParam(m)
		if err != nil {
			return p, misconfigured(llm.ErrBadRequest, fmt.Sprintf("message %d: %v", i, err))
		}
		p.Messages = append(p.Messages, message)
	}
	for _, t := range req.Tools {
		tool, err := toolParam(t)
		if err != nil {
			return p, misconfigured(llm.ErrBadRequest, fmt.Sprintf("tool %q: %v", t.Name, err))
		}
		p.Tools = append(p.Tools, tool)
	}
	if req.Format != nil {
		format, err := formatParam(req.Format)
		if err != nil {
			return p, misconfigured(llm.ErrBadRequest, fmt.Sprintf("format %q: %v", req.Format.Name, err))
		}
		p.ResponseFormat = format
	}
	if req.Temperature != nil {
		if math.IsNaN(*req.Temperature) || math.IsInf(*req.Temperature, 0) {
			return p, misconfigured(llm.ErrBadRequest, "the request's Temperature is no number")
		}
		p.Temperature = param.NewOpt(*req.Temperature)
	}
	if req.MaxTokens < 0 {
		return p, misconfigured(llm.ErrBadRequest, "the request's MaxTokens is negative: 0 means the provider's default")
	}
	if req.MaxTokens > 0 {
		limit := param.NewOpt(int64(req.MaxTokens))
		if s.wantsCompletionTokens() {
			p.MaxCompletionTokens = limit
		} else {
			p.MaxTokens = limit
		}
	}
	return p, nil
}

func messageParam(m llm.Message) (sdk.ChatCompletionMessageParamUnion, error) {
	if len(m.ToolCalls) > 0 && m.Role != llm.Assistant {
		return sdk.ChatCompletionMessageParamUnion{}, fmt.Errorf("it has tool calls and is of role %q: only an assistant has them", m.Role)
	}
	switch m.Role {
	case llm.System:
		return sdk.SystemMessage(m.Content), nil
	case llm.User:
		return sdk.UserMessage(m.Content), nil
	case llm.Assistant:
		return assistantParam(m), nil
	case llm.ToolRole:
		if m.ToolCallID == "" {
			return sdk.ChatCompletionMessageParamUnion{}, fmt.Errorf("a tool's result needs the ToolCallID that it answers")
		}
		return sdk.ToolMessage(m.Content, m.ToolCallID), nil
	}
	return sdk.ChatCompletionMessageParamUnion{}, fmt.Errorf("its role %q is unknown", m.Role)
}

func assistantParam(m llm.Message) sdk.ChatCompletionMessageParamUnion {
	var p sdk.ChatCompletionAssistantMessageParam
	if m.Content != "" || len(m.ToolCalls) == 0 {
		p.Content.OfString = param.NewOpt(m.Content)
	}
	for _, c := range m.ToolCalls {
		p.ToolCalls = append(p.ToolCalls, sdk.ChatCompletionMessageToolCallUnionParam{
			OfFunction: &sdk.ChatCompletionMessageFunctionToolCallParam{
				ID: c.ID,
				Function: sdk.ChatCompletionMessageFunctionToolCallFunctionParam{
					Name:      c.Name,
					Arguments: cmp.Or(string(c.Arguments), "{}"),
				},
			},
		})
	}
	return sdk.ChatCompletionMessageParamUnion{OfAssistant: &p}
}

// toolParam is not strict: strict mode would have the model write null for what is optional, and not every tool,
// such as one behind MCP, reads that as absence.
func toolParam(t llm.Tool) (sdk.ChatCompletionToolUnionParam, error) {
	f := shared.FunctionDefinitionParam{Name: t.Name}
	if t.Description != "" {
		f.Description = param.NewOpt(t.Description)
	}
	if len(t.Input) > 0 {
		var keywords map[string]json.RawMessage // raw, so that the properties keep their order
		if err := json.Unmarshal(t.Input, &keywords); err != nil {
			return sdk.ChatCompletionToolUnionParam{}, fmt.Errorf("its Input is no JSON Schema: %w", err)
		}
		f.Parameters = shared.FunctionParameters{}
		for k, v := range keywords {
			f.Parameters[k] = v
		}
	}
	return sdk.ChatCompletionFunctionTool(f), nil
}

func formatParam(f *llm.Format) (sdk.ChatCompletionNewParamsResponseFormatUnion, error) {
	var union sdk.ChatCompletionNewParamsResponseFormatUnion
	switch f.Mode {
	case llm.JSONMode:
		union.OfJSONObject = &shared.ResponseFormatJSONObjectParam{}
		return union, nil
	case llm.SchemaMode:
	default:
		return union, fmt.Errorf("its mode %q is unknown", f.Mode)
	}
	if !json.Valid(f.Schema) {
		return union, fmt.Errorf("its Schema is not JSON")
	}
	schema, isStrict := strict(f.Schema)
	if !isStrict {
		schema = f.Schema
	}
	union.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{
		JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{
			Name:   cmp.Or(f.Name, "reply"),
			Schema: schema,
			Strict: param.NewOpt(isStrict),
		},
	}
	return union, nil
}
