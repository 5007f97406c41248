package openai

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/invopop/jsonschema"
	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"github.com/qedkit/qed/internal/provider"
	"github.com/qedkit/qed/llm"
)

func chatParams(s *provider.Server, req *llm.Request) (sdk.ChatCompletionNewParams, error) {
	p := sdk.ChatCompletionNewParams{Model: s.Model}
	if err := s.Check(req, "model", "messages", "tools", "tool_choice", "response_format", "temperature",
		"max_tokens", "max_completion_tokens", "stop", "seed", "stream", "stream_options"); err != nil {
		return p, err
	}
	for i, m := range req.Messages {
		message, err := messageParam(s, m, req.Tools)
		if err != nil {
			return p, s.Invalid(llm.ErrBadRequest, fmt.Sprintf("message %d: %v", i, err))
		}
		p.Messages = append(p.Messages, message)
	}
	for _, t := range req.Tools {
		p.Tools = append(p.Tools, toolParam(t))
	}
	if len(req.Tools) > 0 {
		p.ToolChoice = chatToolChoice(req.ToolChoice)
	}
	if req.Format != nil {
		p.ResponseFormat = formatParam(req.Format)
	}
	if req.Temperature != nil {
		p.Temperature = param.NewOpt(*req.Temperature)
	}
	if req.Seed != nil {
		p.Seed = param.NewOpt(*req.Seed)
	}
	p.Stop.OfStringArray = req.Stop
	if req.MaxOutputTokens > 0 {
		limit := param.NewOpt(int64(req.MaxOutputTokens))
		if wantsCompletionTokens(s.Hostname()) {
			p.MaxCompletionTokens = limit
		} else {
			p.MaxTokens = limit
		}
	}
	if len(req.Extra) > 0 {
		p.SetExtraFields(provider.Fields(req.Extra))
	}
	return p, nil
}

// wantsCompletionTokens reports whether a host requires max_completion_tokens.
func wantsCompletionTokens(host string) bool {
	return isOpenAI(host) || strings.HasSuffix(host, ".openai.azure.com")
}

func chatToolChoice(c llm.ToolChoice) sdk.ChatCompletionToolChoiceOptionUnionParam {
	if name, ok := c.Tool(); ok {
		return sdk.ToolChoiceOptionFunctionToolChoice(sdk.ChatCompletionNamedToolChoiceFunctionParam{Name: name})
	}
	var p sdk.ChatCompletionToolChoiceOptionUnionParam
	if c != llm.ToolChoiceAuto {
		p.OfAuto = param.NewOpt(string(c)) // none and required have the same names
	}
	return p
}

func messageParam(s *provider.Server, m llm.Message, tools []llm.Tool) (sdk.ChatCompletionMessageParamUnion, error) {
	if m.Role == llm.RoleUser {
		return userParam(m)
	}
	for i, p := range m.Parts {
		if p.Type == llm.PartImage || p.Type == llm.PartFile {
			return sdk.ChatCompletionMessageParamUnion{}, provider.PartError(i, p,
				"the chat completions API accepts only text as the result of a tool")
		}
	}
	switch m.Role {
	case llm.RoleSystem:
		return sdk.SystemMessage(m.Text()), nil
	case llm.RoleAssistant:
		return assistantParam(s, m, tools)
	}
	return sdk.ToolMessage(m.Text(), m.ToolCallID), nil
}

func userParam(m llm.Message) (u sdk.ChatCompletionMessageParamUnion, err error) {
	if len(m.Parts) == 0 {
		return sdk.UserMessage(m.Content), nil
	}
	var content []sdk.ChatCompletionContentPartUnionParam
	for i, p := range m.Parts {
		switch {
		case p.Type == llm.PartText:
			content = append(content, sdk.TextContentPart(p.Text))
		case p.Type == llm.PartImage:
			content = append(content, sdk.ImageContentPart(
				sdk.ChatCompletionContentPartImageImageURLParam{URL: dataURL(p)}))
		case p.URL != "":
			return u, provider.PartError(i, p, "the chat completions API accepts no URL of a file: set its Data")
		default:
			content = append(content, sdk.FileContentPart(sdk.ChatCompletionContentPartFileFileParam{
				FileData: param.NewOpt(dataURL(p)), Filename: param.NewOpt(fileName(p)),
			}))
		}
	}
	if m.Content != "" {
		content = append(content, sdk.TextContentPart(m.Content))
	}
	return sdk.UserMessage(content), nil
}

// dataURL returns the URL of an image or a file, which holds its data if it has
// some.
func dataURL(p llm.Part) string {
	if p.URL != "" {
		return p.URL
	}
	return "data:" + p.MediaType + ";base64," + base64.StdEncoding.EncodeToString(p.Data)
}

// fileName returns the name of a file, which the API requires.
func fileName(p llm.Part) string {
	if p.Name == "" && p.MediaType == "application/pdf" {
		return "document.pdf"
	}
	return cmp.Or(p.Name, "document.txt")
}

// assistantParam returns a message of the model. Its reasoning is sent with tool calls
// alone: some servers refuse it elsewhere.
func assistantParam(s *provider.Server, m llm.Message, tools []llm.Tool) (u sdk.ChatCompletionMessageParamUnion, err error) {
	segments, err := s.Segments(m, tools)
	if err != nil {
		return u, err
	}
	var p sdk.ChatCompletionAssistantMessageParam
	var texts []string
	var parts []any // the content, if it has thinking
	thinks := false
	extra := map[string]any{}
	var next *callMembers // of the next call
	for _, segment := range segments {
		if segment.Text != "" {
			texts = append(texts, segment.Text)
			parts = append(parts, map[string]any{"type": "text", "text": segment.Text})
		}
		for _, c := range segment.Calls {
			call := callParam(c)
			if next != nil {
				call.SetExtraFields(fieldsOf(next))
				next = nil
			}
			p.ToolCalls = append(p.ToolCalls, sdk.ChatCompletionMessageToolCallUnionParam{OfFunction: call})
		}
		if segment.Reasoning == nil || len(m.ToolCalls) == 0 {
			continue
		}
		var b block
		if err := json.Unmarshal(segment.Reasoning, &b); err != nil {
			return u, errors.New("one of its reasoning parts was changed: send it back as it came, or remove it")
		}
		switch {
		case b.Message != nil:
			maps.Copy(extra, fieldsOf(b.Message))
		case b.Call != nil:
			next = b.Call
		case b.Thinking != "":
			thinks = true
			parts = append(parts, map[string]any{"type": "thinking",
				"thinking": []any{map[string]any{"type": "text", "text": b.Thinking}}})
		case b.Text != "":
			texts = append(texts, b.Text)
		}
	}
	switch content := joined(m, texts); {
	case thinks:
		extra["content"] = parts
	case content != "" || len(m.ToolCalls) == 0:
		p.Content.OfString = param.NewOpt(content)
	}
	if len(extra) > 0 {
		p.SetExtraFields(extra)
	}
	return sdk.ChatCompletionMessageParamUnion{OfAssistant: &p}, nil
}

// joined returns the texts of a message: its text parts are one under the other, and
// the pieces of its content as they were.
func joined(m llm.Message, texts []string) string {
	for _, p := range m.Parts {
		if p.Type == llm.PartText {
			return strings.Join(texts, "\n")
		}
	}
	return strings.Join(texts, "")
}

// fieldsOf returns the members of v that are set.
func fieldsOf(v any) map[string]any {
	fields := map[string]any{}
	if raw, err := json.Marshal(v); err == nil {
		keywords, _ := provider.Keywords(raw) // the JSON of a struct is an object
		maps.Copy(fields, keywords)
	}
	return fields
}

func callParam(c llm.ToolCall) *sdk.ChatCompletionMessageFunctionToolCallParam {
	return &sdk.ChatCompletionMessageFunctionToolCallParam{
		ID: c.ID,
		Function: sdk.ChatCompletionMessageFunctionToolCallFunctionParam{
			Name:      c.Name,
			Arguments: cmp.Or(string(c.Arguments), "{}"),
		},
	}
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
	schema, isStrict := formatSchema(f)
	return sdk.ChatCompletionNewParamsResponseFormatUnion{OfJSONSchema: &shared.ResponseFormatJSONSchemaParam{
		JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{
			Name:   cmp.Or(f.Name, "reply"),
			Schema: schema,
			Strict: param.NewOpt(isStrict),
		},
	}}
}

// formatSchema returns the schema of f as it is sent, and reports whether it is
// strict.
func formatSchema(f *llm.Format) (schema any, isStrict bool) {
	if strict, ok := provider.Strict(f.Schema, nullable); ok {
		return strict, true
	}
	return f.Schema, false
}

// nullable returns the schema of an optional property, which may be null because
// strict mode requires every property.
func nullable(s *jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{s, {Type: "null"}}}
}
