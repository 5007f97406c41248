package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/asking"
	"github.com/qedkit/qed/internal/vector"
	"github.com/qedkit/qed/llm"
)

type llmInput struct {
	Prompt string          `json:"prompt" jsonschema_description:"what the model is to do, complete in itself"`
	Data   json.RawMessage `json:"data,omitempty" jsonschema_description:"what it is to be done with, any JSON"`
	JSON   bool            `json:"json,omitempty" jsonschema_description:"true for a JSON object in place of a text; the prompt says with which members"`
}

type llmResult struct {
	Text      string                     `json:"text,omitempty"`
	Truncated bool                       `json:"truncated,omitempty"` // the text is cut off
	Value     map[string]json.RawMessage `json:"value,omitempty"`
}

// maxLLMPrompt limits the prompt that [NewLLMTool] takes, in bytes.
const maxLLMPrompt = 16 << 10

// NewLLMTool returns the tool llm_tool: it has the model do what a prompt says, with data beside it that stays data. Its arguments are
// {"prompt", "data", "json"}; only the first is required. Its result is {"text"}, with "truncated" where the model was cut off, or with json
// {"value"}, an object.
//
// The model gets nothing but these: no conversation, and no tools. The prompt has at most 16 KiB. It is asked by the request "llm_tool"
// ([llm.Request] Name), and replies with text, or with json with the object. Text streams: see [ModelToolOptions] Channel.
func NewLLM(model llm.Model, opt *Options) qed.Tool {
	m, err := newToolModel("llm_tool", model, opt, qed.ChannelTool)
	t := qed.NewTool("llm_tool", "Has a language model write a text, or a JSON object, from a prompt and data. "+
		"It knows nothing of the company but what it is given, so it is no source of figures.",
		func(ctx context.Context, in llmInput) (llmResult, error) {
			switch {
			case strings.TrimSpace(in.Prompt) == "":
				return llmResult{}, errors.New("the prompt is empty")
			case len(in.Prompt) > maxLLMPrompt:
				return llmResult{}, fmt.Errorf("the prompt has %d bytes, and at most %d are allowed: put into data what is no instruction", len(in.Prompt), maxLLMPrompt)
			}
			data := PromptData{Request: in.Prompt}
			data.Data, data.DataCut = jsonText(in.Data, m.maxData)
			if !in.JSON {
				text, cut, err := m.text(ctx, data)
				return llmResult{Text: text, Truncated: cut}, err
			}
			req, err := m.model.Request(m.tool, m.template, data, nil)
			if err != nil {
				return llmResult{}, err
			}
			value, err := asking.Object[map[string]json.RawMessage](ctx, m.json, new(llm.Usage), req)
			return llmResult{Value: value}, err
		})
	return m.made(t, qed.CoreTool, err)
}

type embeddingInput struct {
	Texts []string `json:"texts" jsonschema:"minItems=1,maxItems=100" jsonschema_description:"what to embed"`
}

type embeddingResult struct {
	Dimensions int         `json:"dimensions"`
	Vectors    [][]float32 `json:"vectors"`
}

// NewEmbeddingTool returns the tool embedding_tool: it turns texts into vectors. Its arguments are {"texts"}, at most 100, and its result is
// {"dimensions", "vectors"}, in their order. Vectors are long: a [Registry] takes a handful as one result, unless its MaxResult is larger.
func NewEmbedding(e llm.Embedder) qed.Tool {
	t := qed.NewTool("embedding_tool", "Turns texts into vectors that can be compared. For other tools: a vector says nothing by itself.",
		func(ctx context.Context, in embeddingInput) (embeddingResult, error) {
			vectors, err := vector.Embed(ctx, e, in.Texts, 0)
			if err != nil {
				return embeddingResult{}, err
			}
			return embeddingResult{len(vectors[0]), vectors}, nil
		})
	t.Kind, t.Idempotent = qed.CoreTool, true
	if e == nil {
		return qed.InvalidTool(t.Name, errors.New("tools: tool embedding_tool needs an Embedder"))
	}
	return t
}
