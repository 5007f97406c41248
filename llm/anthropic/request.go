package anthropic

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/qedkit/qed/internal/provider"
	"github.com/qedkit/qed/internal/schema"
	"github.com/qedkit/qed/llm"
)

// requestParams converts req to the form of the API.
func (m *Model) requestParams(req *llm.Request) (sdk.MessageNewParams, error) {
	p := sdk.MessageNewParams{Model: m.server.Model}
	if err := m.server.Check(req); err != nil {
		return p, err
	}
	p.MaxTokens = int64(cmp.Or(req.MaxOutputTokens, m.maxOutputTokens))
	switch {
	case req.Temperature != nil:
		p.Temperature = param.NewOpt(*req.Temperature)
	case m.server.Model == DefaultModel:
		p.Temperature = param.NewOpt(0.0)
	}
	for i, message := range req.Messages {
		if err := addMessage(&p, message); err != nil {
			return p, m.server.Invalid(llm.ErrBadRequest, fmt.Sprintf("message %d: %v", i, err))
		}
	}
	if len(p.Messages) == 0 {
		return p, m.server.Invalid(llm.ErrBadRequest,
			"the request has no messages except blank ones and system messages")
	}
	for _, t := range req.Tools {
		tool, err := toolParam(t)
		if err != nil {
			return p, m.server.Invalid(llm.ErrBadRequest, fmt.Sprintf("tool %q: %v", t.Name, err))
		}
		p.Tools = append(p.Tools, tool)
	}
	if req.Format != nil && req.Format.Mode == llm.SchemaMode {
		if output, ok := outputSchema(req.Format.Schema); ok {
			p.OutputConfig.Format.Schema = output
		} else {
			p.System = append(p.System, sdk.TextBlockParam{
				Text: schema.Instruction(req.Format.Schema),
			})
		}
	}
	return p, nil
}

// addMessage adds m to the system prompt, to the last message if that has the same
// role, or as a new message.
func addMessage(p *sdk.MessageNewParams, m llm.Message) error {
	blank := strings.TrimSpace(m.Content) == ""
	role := sdk.MessageParamRoleUser
	var blocks []sdk.ContentBlockParamUnion
	switch m.Role {
	case llm.RoleSystem:
		if !blank {
			p.System = append(p.System, sdk.TextBlockParam{Text: m.Content})
		}
		return nil
	case llm.RoleTool:
		result := &sdk.ToolResultBlockParam{ToolUseID: m.ToolCallID}
		if !blank {
			result.Content = []sdk.ToolResultBlockParamContentUnion{{OfText: &sdk.TextBlockParam{Text: m.Content}}}
		}
		blocks = []sdk.ContentBlockParamUnion{{OfToolResult: result}}
	default:
		if m.Role == llm.RoleAssistant {
			role = sdk.MessageParamRoleAssistant
		}
		if !blank {
			blocks = append(blocks, sdk.NewTextBlock(m.Content))
		}
		for _, c := range m.ToolCalls {
			input, err := toolInput(c.Arguments)
			if err != nil {
				return fmt.Errorf("the Arguments of its call of tool %q are not JSON: %w", c.Name, err)
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

// toolInput returns the arguments as an object, which the API requires. Arguments
// of another type, which models of other providers may have written, are wrapped
// in one.
func toolInput(arguments json.RawMessage) (json.RawMessage, error) {
	if len(arguments) == 0 {
		return json.RawMessage("{}"), nil
	}
	if !bytes.HasPrefix(bytes.TrimSpace(arguments), []byte("{")) {
		return json.Marshal(map[string]json.RawMessage{"arguments": arguments})
	}
	if !json.Valid(arguments) {
		return nil, errors.New("malformed JSON")
	}
	return arguments, nil
}

// toolParam does not set strict: the API limits the number of strict tools in a
// request and of optional arguments in them.
func toolParam(t llm.Tool) (sdk.ToolUnionParam, error) {
	keywords, _ := provider.Keywords(t.InputSchema) // Check has tested it
	if kind, ok := keywords["type"].(json.RawMessage); ok && string(kind) != `"object"` {
		return sdk.ToolUnionParam{}, fmt.Errorf("its InputSchema has the type %.40s, not object", kind)
	}
	input := map[string]any{"type": "object"} // required by the API
	maps.Copy(input, keywords)
	// An override is always encoded in the same order, which the prompt cache of the
	// API relies on.
	f := &sdk.ToolParam{Name: t.Name, InputSchema: param.Override[sdk.ToolInputSchemaParam](input)}
	if t.Description != "" {
		f.Description = param.NewOpt(t.Description)
	}
	return sdk.ToolUnionParam{OfTool: f}, nil
}
