package openai

import (
	"cmp"
	"strings"

	"github.com/invopop/jsonschema"
	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"github.com/qedkit/qed/internal/provider"
	"github.com/qedkit/qed/llm"
)

// requestParams converts req, which was checked, to the form of the API.
func requestParams(s *provider.Server, req *llm.Request) sdk.ChatCompletionNewParams {
	p := sdk.ChatCompletionNewParams{Model: s.Model}
	for _, m := range req.Messages {
		p.Messages = append(p.Messages, messageParam(m))
	}
	for _, t := range req.Tools {
		p.Tools = append(p.Tools, toolParam(t))
	}
	if req.Format != nil {
		p.ResponseFormat = formatParam(req.Format)
	}
	if req.Temperature != nil {
		p.Temperature = param.NewOpt(*req.Temperature)
	}
	if req.MaxOutputTokens > 0 {
		limit := param.NewOpt(int64(req.MaxOutputTokens))
		if wantsCompletionTokens(s.Hostname()) {
			p.MaxCompletionTokens = limit
		} else {
			p.MaxTokens = limit
		}
	}
	return p
}

// wantsCompletionTokens reports whether a host requires max_completion_tokens.
func wantsCompletionTokens(host string) bool {
	return host == "api.openai.com" || strings.HasSuffix(host, ".api.openai.com") ||
		strings.HasSuffix(host, ".openai.azure.com")
}

func messageParam(m llm.Message) sdk.ChatCompletionMessageParamUnion {
	switch m.Role {
	case llm.RoleSystem:
		return sdk.SystemMessage(m.Content)
	case llm.RoleAssistant:
		return assistantParam(m)
	case llm.RoleTool:
		return sdk.ToolMessage(m.Content, m.ToolCallID)
	}
	return sdk.UserMessage(m.Content)
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

// toolParam does not set strict: in strict mode the model writes null for optional
// arguments, which some tools, such as those of an MCP server, do not accept.
func toolParam(t llm.Tool) sdk.ChatCompletionToolUnionParam {
	f := shared.FunctionDefinitionParam{Name: t.Name}
	if t.Description != "" {
		f.Description = param.NewOpt(t.Description)
	}
	f.Parameters, _ = provider.Keywords(t.InputSchema) // Check has tested it
	return sdk.ChatCompletionFunctionTool(f)
}

func formatParam(f *llm.Format) sdk.ChatCompletionNewParamsResponseFormatUnion {
	if f.Mode == llm.JSONMode {
		return sdk.ChatCompletionNewParamsResponseFormatUnion{
			OfJSONObject: &shared.ResponseFormatJSONObjectParam{},
		}
	}
	var schema any = f.Schema
	strict, isStrict := provider.Strict(f.Schema, nullable)
	if isStrict {
		schema = strict
	}
	return sdk.ChatCompletionNewParamsResponseFormatUnion{OfJSONSchema: &shared.ResponseFormatJSONSchemaParam{
		JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{
			Name:   cmp.Or(f.Name, "reply"),
			Schema: schema,
			Strict: param.NewOpt(isStrict),
		},
	}}
}

// nullable returns the schema of an optional property, which may be null because
// strict mode requires every property.
func nullable(s *jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{s, {Type: "null"}}}
}
