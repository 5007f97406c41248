package openai

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"github.com/qedkit/qed/internal/provider"
	"github.com/qedkit/qed/llm"
)

func responsesParams(s *provider.Server, req *llm.Request) (responses.ResponseNewParams, error) {
	p := responses.ResponseNewParams{Model: s.Model, Store: param.NewOpt(false)}
	sets := []string{"model", "input", "instructions", "tools", "tool_choice", "temperature", "max_output_tokens",
		"include", "store", "stream", "stream_options", "background"}
	if req.Format != nil {
		sets = append(sets, "text")
	}
	if err := s.Check(req, sets...); err != nil {
		return p, err
	}
	switch {
	case len(req.Stop) > 0:
		return p, s.Missing("Stop")
	case req.Seed != nil:
		return p, s.Missing("Seed")
	}
	if reasons(s.Model) {
		p.Include = []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent}
	}
	messages := req.Messages
	var instructions []string
	for len(messages) > 0 && messages[0].Role == llm.RoleSystem {
		instructions = append(instructions, messages[0].Text())
		messages = messages[1:]
	}
	if len(instructions) > 0 {
		p.Instructions = param.NewOpt(strings.Join(instructions, "\n\n"))
	}
	p.Input.OfInputItemList = responses.ResponseInputParam{}
	for i, m := range messages {
		items, err := inputItems(s, m, req.Tools)
		if err != nil {
			return p, s.Invalid(llm.ErrBadRequest, fmt.Sprintf("message %d: %v", i+len(instructions), err))
		}
		p.Input.OfInputItemList = append(p.Input.OfInputItemList, items...)
	}
	for _, t := range req.Tools {
		p.Tools = append(p.Tools, functionTool(t))
	}
	if len(req.Tools) > 0 {
		p.ToolChoice = responsesToolChoice(req.ToolChoice)
	}
	if req.Format != nil {
		p.Text.Format = textFormat(req.Format)
	}
	if req.Temperature != nil {
		p.Temperature = param.NewOpt(*req.Temperature)
	}
	if req.MaxOutputTokens > 0 {
		p.MaxOutputTokens = param.NewOpt(int64(req.MaxOutputTokens))
	}
	if len(req.Extra) > 0 {
		p.SetExtraFields(provider.Fields(req.Extra))
	}
	return p, nil
}

// reasons reports whether a model may reason. The older ones do not, and refuse a
// request that asks for encrypted reasoning.
func reasons(model string) bool {
	model = strings.TrimPrefix(model, "ft:")
	return !slices.ContainsFunc([]string{"gpt-3", "gpt-4", "chatgpt-4"},
		func(old string) bool { return strings.HasPrefix(model, old) })
}

func inputItems(
	s *provider.Server, m llm.Message, tools []llm.Tool,
) ([]responses.ResponseInputItemUnionParam, error) {
	switch m.Role {
	case llm.RoleAssistant:
		return assistantItems(s, m, tools)
	case llm.RoleTool:
		output := &responses.ResponseInputItemFunctionCallOutputParam{CallID: param.NewOpt(m.ToolCallID)}
		if len(m.Parts) == 0 {
			output.Output.OfString = param.NewOpt(m.Content)
		} else {
			output.Output = param.Override[responses.ResponseInputItemFunctionCallOutputOutputUnionParam](contentItems(m))
		}
		return []responses.ResponseInputItemUnionParam{{OfFunctionCallOutput: output}}, nil
	}
	role := responses.EasyInputMessageRoleUser
	if m.Role == llm.RoleSystem {
		role = responses.EasyInputMessageRoleSystem
	}
	if len(m.Parts) == 0 {
		return []responses.ResponseInputItemUnionParam{responses.ResponseInputItemParamOfMessage(m.Content, role)}, nil
	}
	message := responses.EasyInputMessageParam{
		Role: role, Content: param.Override[responses.EasyInputMessageContentUnionParam](contentItems(m)),
	}
	return []responses.ResponseInputItemUnionParam{{OfMessage: &message}}, nil
}

// contentItems returns the parts and the text of a message, as a message of the user and the
// result of a tool both have them.
func contentItems(m llm.Message) []any {
	var list []any
	for _, c := range contents(m) {
		item := map[string]any{"type": "input_" + string(c.Type)} // the types have the same names
		switch {
		case c.Type == llm.PartText:
			item["text"] = c.Text
		case c.Type == llm.PartImage:
			item["detail"], item["image_url"] = "auto", dataURL(c)
		case c.Type != llm.PartFile:
			continue
		case c.URL != "":
			item["file_url"] = c.URL
		default:
			item["file_data"], item["filename"] = dataURL(c), fileName(c)
		}
		list = append(list, item)
	}
	return list
}

// contents returns the parts of a message, with its content as the last one.
func contents(m llm.Message) []llm.Part {
	if m.Content == "" {
		return m.Parts
	}
	return append(slices.Clone(m.Parts), llm.Part{Type: llm.PartText, Text: m.Content})
}

// assistantItems returns the items of a message of the model in the order in which
// it wrote them: reasoning belongs to the item that follows it.
func assistantItems(
	s *provider.Server, m llm.Message, tools []llm.Tool,
) (items []responses.ResponseInputItemUnionParam, err error) {
	segments, err := s.Segments(m, tools)
	if err != nil {
		return nil, err
	}
	for _, segment := range segments {
		if segment.Reasoning != nil {
			var r reasoning
			if err := json.Unmarshal(segment.Reasoning, &r); err != nil || r.Type != "reasoning" {
				return nil, fmt.Errorf("one of its reasoning parts was changed: send it back as it came, or remove it")
			}
			item := param.Override[responses.ResponseReasoningItemParam](segment.Reasoning)
			items = append(items, responses.ResponseInputItemUnionParam{OfReasoning: &item})
		}
		if segment.Text != "" {
			items = append(items, responses.ResponseInputItemParamOfMessage(
				segment.Text, responses.EasyInputMessageRoleAssistant))
		}
		for _, c := range segment.Calls {
			items = append(items, responses.ResponseInputItemParamOfFunctionCall(
				cmp.Or(string(c.Arguments), "{}"), c.ID, c.Name))
		}
	}
	return items, nil
}

// functionTool sets strict, because the API would otherwise make the tool strict:
// see toolParam.
func functionTool(t llm.Tool) responses.ToolUnionParam {
	f := &responses.FunctionToolParam{Name: t.Name, Strict: param.NewOpt(false)}
	if t.Description != "" {
		f.Description = param.NewOpt(t.Description)
	}
	f.Parameters, _ = provider.Keywords(t.InputSchema) // Check has tested it
	if f.Parameters == nil {
		f.Parameters = map[string]any{"type": "object", "properties": map[string]any{}} // required by the API
	}
	return responses.ToolUnionParam{OfFunction: f}
}

func responsesToolChoice(c llm.ToolChoice) (p responses.ResponseNewParamsToolChoiceUnion) {
	if name, ok := c.Tool(); ok {
		p.OfFunctionTool = &responses.ToolChoiceFunctionParam{Name: name}
	} else if c != llm.ToolChoiceAuto {
		p.OfToolChoiceMode = param.NewOpt(responses.ToolChoiceOptions(c)) // none and required have the same names
	}
	return p
}

func textFormat(f *llm.Format) responses.ResponseFormatTextConfigUnionParam {
	if f.Mode == llm.JSONMode {
		return responses.ResponseFormatTextConfigUnionParam{OfJSONObject: &shared.ResponseFormatJSONObjectParam{}}
	}
	schema, isStrict := formatSchema(f)
	raw, err := json.Marshal(schema)
	keywords, err2 := provider.Keywords(raw)
	if err != nil || err2 != nil {
		keywords = map[string]any{} // Check has tested it
	}
	return responses.ResponseFormatTextConfigUnionParam{OfJSONSchema: &responses.ResponseFormatTextJSONSchemaConfigParam{
		Name:   cmp.Or(f.Name, "reply"),
		Schema: keywords,
		Strict: param.NewOpt(isStrict),
	}}
}
