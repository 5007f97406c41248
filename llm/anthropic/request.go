package anthropic

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/qedkit/qed/internal/provider"
	"github.com/qedkit/qed/llm"
)

// params writes req as the protocol has it.
func (m *Model) params(req *llm.Request) (sdk.MessageNewParams, error) {
	p := sdk.MessageNewParams{Model: m.server.Model}
	if err := m.server.Check(req); err != nil {
		return p, err
	}
	p.MaxTokens = int64(cmp.Or(req.MaxTokens, m.maxTokens))
	if t := cmp.Or(req.Temperature, m.temperature); t != nil {
		p.Temperature = param.NewOpt(*t)
	}
	for i, message := range req.Messages {
		if err := add(&p, message); err != nil {
			return p, m.server.Misused(llm.ErrBadRequest, fmt.Sprintf("message %d: %v", i, err))
		}
	}
	if len(p.Messages) == 0 {
		return p, m.server.Misused(llm.ErrBadRequest, "the request has no message beside blank ones and those of role system")
	}
	for _, t := range req.Tools {
		tool, err := toolParam(t)
		if err != nil {
			return p, m.server.Misused(llm.ErrBadRequest, fmt.Sprintf("tool %q: %v", t.Name, err))
		}
		p.Tools = append(p.Tools, tool)
	}
	if req.Format != nil && req.Format.Mode == llm.SchemaMode {
		schema, ok := outputSchema(req.Format.Schema)
		if ok {
			p.OutputConfig.Format.Schema = schema
		} else {
			p.System = append(p.System, sdk.TextBlockParam{
				Text: "Reply with one JSON object and nothing else: no explanation, no code fence. Its JSON Schema is:\n" +
					string(req.Format.Schema),
			})
		}
	}
	return p, nil
}

// add adds a message: to the system prompt, to the last message where that is of the same side, else behind it.
func add(p *sdk.MessageNewParams, m llm.Message) error {
	blank := strings.TrimSpace(m.Content) == ""
	role := sdk.MessageParamRoleUser
	var blocks []sdk.ContentBlockParamUnion
	switch m.Role {
	case llm.System:
		if !blank {
			p.System = append(p.System, sdk.TextBlockParam{Text: m.Content})
		}
		return nil
	case llm.ToolRole:
		result := &sdk.ToolResultBlockParam{ToolUseID: m.ToolCallID}
		if !blank {
			result.Content = []sdk.ToolResultBlockParamContentUnion{{OfText: &sdk.TextBlockParam{Text: m.Content}}}
		}
		blocks = []sdk.ContentBlockParamUnion{{OfToolResult: result}}
	default:
		if m.Role == llm.Assistant {
			role = sdk.MessageParamRoleAssistant
		}
		if !blank {
			blocks = append(blocks, sdk.NewTextBlock(m.Content))
		}
		for _, c := range m.ToolCalls {
			input, err := toolInput(c.Arguments)
			if err != nil {
				return fmt.Errorf("the Arguments of its call of tool %q are no JSON: %w", c.Name, err)
			}
			blocks = append(blocks, sdk.NewToolUseBlock(c.ID, input, c.Name))
		}
	}
	last := len(p.Messages) - 1
	switch {
	case len(blocks) == 0:
	case last >= 0 && p.Messages[last].Role == role:
		p.Messages[last].Content = append(p.Messages[last].Content, blocks...)
	default:
		p.Messages = append(p.Messages, sdk.MessageParam{Role: role, Content: blocks})
	}
	return nil
}

// toolInput is the object that the API wants. The model of another provider may have written something else: what it
// wrote then stands in one.
func toolInput(arguments json.RawMessage) (json.RawMessage, error) {
	if len(arguments) == 0 {
		return json.RawMessage("{}"), nil
	}
	if !bytes.HasPrefix(bytes.TrimSpace(arguments), []byte("{")) {
		return json.Marshal(map[string]json.RawMessage{"arguments": arguments})
	}
	if !json.Valid(arguments) {
		return nil, fmt.Errorf("it is malformed")
	}
	return arguments, nil
}

// toolParam is not strict: a request may have few tools that are, and those few optional arguments.
func toolParam(t llm.Tool) (sdk.ToolUnionParam, error) {
	keywords, _ := provider.Keywords(t.Input) // checked
	if kind, ok := keywords["type"].(json.RawMessage); ok && string(kind) != `"object"` {
		return sdk.ToolUnionParam{}, fmt.Errorf("its Input is of type %.40s, not object", kind)
	}
	schema := map[string]any{"type": "object"} // the API wants one in any case
	maps.Copy(schema, keywords)
	// As a whole, it is written in one order each time, which is what the API's cache of prompts goes by.
	f := &sdk.ToolParam{Name: t.Name, InputSchema: param.Override[sdk.ToolInputSchemaParam](schema)}
	if t.Description != "" {
		f.Description = param.NewOpt(t.Description)
	}
	return sdk.ToolUnionParam{OfTool: f}, nil
}
