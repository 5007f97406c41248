package anthropic

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/qedkit/qed/internal/provider"
	"github.com/qedkit/qed/internal/schema"
	"github.com/qedkit/qed/llm"
)

func (m *Model) requestParams(req *llm.Request) (sdk.MessageNewParams, error) {
	p := sdk.MessageNewParams{Model: m.server.Model}
	sets := []string{"model", "messages", "system", "max_tokens", "temperature", "stop_sequences", "tools", "tool_choice", "stream"}
	if req.Format != nil {
		sets = append(sets, "output_config")
	}
	if err := m.server.Check(req, sets...); err != nil {
		return p, err
	}
	if req.Seed != nil {
		return p, m.server.Missing("Seed")
	}
	p.MaxTokens = int64(cmp.Or(req.MaxOutputTokens, m.maxOutputTokens))
	p.StopSequences = req.Stop
	if req.Temperature != nil {
		p.Temperature = param.NewOpt(*req.Temperature)
	}
	if len(req.Extra) > 0 {
		p.SetExtraFields(provider.Fields(req.Extra))
	}
	var hints cacheHints
	for i, message := range req.Messages {
		if err := m.addMessage(&p, message, req.Tools); err != nil {
			return p, m.server.Invalid(llm.ErrBadRequest, fmt.Sprintf("message %d: %v", i, err))
		}
		if message.CacheHint {
			hints.add(&p, message.Role)
		}
	}
	hints.set(&p)
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
	if len(req.Tools) > 0 {
		p.ToolChoice = toolChoice(req.ToolChoice)
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
func (m *Model) addMessage(p *sdk.MessageNewParams, message llm.Message, tools []llm.Tool) error {
	role := sdk.MessageParamRoleUser
	var blocks []sdk.ContentBlockParamUnion
	var err error
	switch message.Role {
	case llm.RoleSystem:
		for _, text := range texts(message) {
			p.System = append(p.System, sdk.TextBlockParam{Text: text})
		}
		return nil
	case llm.RoleAssistant:
		role = sdk.MessageParamRoleAssistant
		blocks, err = m.assistantBlocks(message, tools)
	case llm.RoleTool:
		blocks, err = toolResult(message)
	default:
		blocks, err = userBlocks(message)
	}
	if err != nil {
		return err
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

// texts returns the text parts and the content of m that are not blank.
func texts(m llm.Message) (list []string) {
	for _, p := range m.Parts {
		if p.Type == llm.PartText && !blank(p.Text) {
			list = append(list, p.Text)
		}
	}
	if !blank(m.Content) {
		list = append(list, m.Content)
	}
	return list
}

// blank reports whether the API does not accept a text, because it has nothing
// but space.
func blank(text string) bool { return strings.TrimSpace(text) == "" }

func userBlocks(m llm.Message) (blocks []sdk.ContentBlockParamUnion, err error) {
	for i, p := range m.Parts {
		switch p.Type {
		case llm.PartText:
			if !blank(p.Text) {
				blocks = append(blocks, sdk.NewTextBlock(p.Text))
			}
		case llm.PartImage:
			blocks = append(blocks, sdk.ContentBlockParamUnion{OfImage: imageBlock(p)})
		case llm.PartFile:
			document, err := documentBlock(i, p)
			if err != nil {
				return nil, err
			}
			blocks = append(blocks, sdk.ContentBlockParamUnion{OfDocument: document})
		}
	}
	if !blank(m.Content) {
		blocks = append(blocks, sdk.NewTextBlock(m.Content))
	}
	return blocks, nil
}

// toolResult returns m as a result of a tool, which has text, images and
// documents as messages of the user have them.
func toolResult(m llm.Message) ([]sdk.ContentBlockParamUnion, error) {
	content, err := userBlocks(m)
	if err != nil {
		return nil, err
	}
	result := &sdk.ToolResultBlockParam{ToolUseID: m.ToolCallID}
	for _, b := range content {
		result.Content = append(result.Content, sdk.ToolResultBlockParamContentUnion{
			OfText: b.OfText, OfImage: b.OfImage, OfDocument: b.OfDocument,
		})
	}
	return []sdk.ContentBlockParamUnion{{OfToolResult: result}}, nil
}

func imageBlock(p llm.Part) *sdk.ImageBlockParam {
	if p.URL != "" {
		return &sdk.ImageBlockParam{Source: sdk.ImageBlockParamSourceUnion{OfURL: &sdk.URLImageSourceParam{URL: p.URL}}}
	}
	return &sdk.ImageBlockParam{Source: sdk.ImageBlockParamSourceUnion{OfBase64: &sdk.Base64ImageSourceParam{
		MediaType: sdk.Base64ImageSourceMediaType(p.MediaType), Data: base64.StdEncoding.EncodeToString(p.Data),
	}}}
}

func documentBlock(i int, p llm.Part) (*sdk.DocumentBlockParam, error) {
	d := &sdk.DocumentBlockParam{}
	if p.Name != "" {
		d.Title = param.NewOpt(p.Name)
	}
	switch {
	case p.URL != "":
		d.Source.OfURL = &sdk.URLPDFSourceParam{URL: p.URL}
	case p.MediaType == "application/pdf":
		d.Source.OfBase64 = &sdk.Base64PDFSourceParam{Data: base64.StdEncoding.EncodeToString(p.Data)}
	case strings.HasPrefix(p.MediaType, "text/") && utf8.Valid(p.Data):
		d.Source.OfText = &sdk.PlainTextSourceParam{Data: string(p.Data)}
	default:
		return nil, provider.PartError(i, p, "the Messages API accepts PDF documents and plain text, not "+p.MediaType)
	}
	return d, nil
}

// assistantBlocks returns the blocks of a message of Claude in the order in which
// it wrote them. The API compares thinking blocks with their signatures.
func (m *Model) assistantBlocks(
	message llm.Message, tools []llm.Tool,
) (blocks []sdk.ContentBlockParamUnion, err error) {
	segments, err := m.server.Segments(message, tools)
	if err != nil {
		return nil, err
	}
	for _, s := range segments {
		if s.Reasoning != nil {
			thinking, err := thinkingBlock(s.Reasoning)
			if err != nil {
				return nil, err
			}
			blocks = append(blocks, thinking)
		}
		if !blank(s.Text) {
			blocks = append(blocks, sdk.NewTextBlock(s.Text))
		}
		for _, c := range s.Calls {
			input, err := toolInput(c.Arguments)
			if err != nil {
				return nil, fmt.Errorf("the Arguments of its call of tool %q are not JSON: %w", c.Name, err)
			}
			blocks = append(blocks, sdk.NewToolUseBlock(c.ID, input, c.Name))
		}
	}
	return blocks, nil
}

func thinkingBlock(raw json.RawMessage) (b sdk.ContentBlockParamUnion, err error) {
	var t thinking
	err = json.Unmarshal(raw, &t)
	switch {
	case err == nil && t.Type == "thinking":
		return sdk.NewThinkingBlock(t.Signature, t.Thinking), nil
	case err == nil && t.Type == "redacted_thinking":
		return sdk.NewRedactedThinkingBlock(t.Data), nil
	}
	return b, errors.New("one of its reasoning parts was changed: send it back as it came, or remove it")
}

// maxHints is how many marks for its cache the API accepts.
const maxHints = 4

// cacheHints are the blocks that get a mark for the cache.
type cacheHints []hint

// A hint is the position of a block: in the system prompt, or in a message.
type hint struct{ message, block int }

const inSystem = -1

// add adds the last block of the system prompt or of the messages.
func (h *cacheHints) add(p *sdk.MessageNewParams, role llm.Role) {
	at := hint{inSystem, len(p.System) - 1}
	if role != llm.RoleSystem {
		at.message = len(p.Messages) - 1
		if at.message < 0 {
			return
		}
		at.block = len(p.Messages[at.message].Content) - 1
	}
	if at.block >= 0 && !slices.Contains(*h, at) {
		*h = append(*h, at)
	}
}

// set marks the last blocks. A block that cannot be marked, such as thinking, is
// left out.
func (h cacheHints) set(p *sdk.MessageNewParams) {
	for _, at := range h[max(0, len(h)-maxHints):] {
		if at.message == inSystem {
			p.System[at.block].CacheControl = sdk.NewCacheControlEphemeralParam()
			continue
		}
		if mark := p.Messages[at.message].Content[at.block].GetCacheControl(); mark != nil {
			*mark = sdk.NewCacheControlEphemeralParam()
		}
	}
}

func toolChoice(c llm.ToolChoice) sdk.ToolChoiceUnionParam {
	if name, ok := c.Tool(); ok {
		return sdk.ToolChoiceParamOfTool(name)
	}
	switch c {
	case llm.ToolChoiceNone:
		return sdk.ToolChoiceUnionParam{OfNone: new(sdk.NewToolChoiceNoneParam())}
	case llm.ToolChoiceRequired:
		return sdk.ToolChoiceUnionParam{OfAny: &sdk.ToolChoiceAnyParam{}}
	}
	return sdk.ToolChoiceUnionParam{}
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
