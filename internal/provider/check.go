package provider

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/qedkit/qed/llm"
)

// Check refuses a request that no provider can be sent. Its error is an [*llm.Error].
func (s *Server) Check(req *llm.Request) error {
	switch {
	case len(req.Messages) == 0:
		return s.Misused(llm.ErrBadRequest, "the request has no messages")
	case req.Temperature != nil && (math.IsNaN(*req.Temperature) || math.IsInf(*req.Temperature, 0)):
		return s.Misused(llm.ErrBadRequest, "the request's Temperature is no number")
	case req.MaxTokens < 0:
		return s.Misused(llm.ErrBadRequest, "the request's MaxTokens is negative: 0 means the provider's default")
	}
	for i, m := range req.Messages {
		if err := checkMessage(m); err != nil {
			return s.Misused(llm.ErrBadRequest, fmt.Sprintf("message %d: %v", i, err))
		}
	}
	for _, t := range req.Tools {
		if _, err := Keywords(t.Input); err != nil {
			return s.Misused(llm.ErrBadRequest, fmt.Sprintf("tool %q: its Input is no JSON Schema: %v", t.Name, err))
		}
	}
	if req.Format != nil {
		if err := checkFormat(req.Format); err != nil {
			return s.Misused(llm.ErrBadRequest, fmt.Sprintf("format %q: %v", req.Format.Name, err))
		}
	}
	return nil
}

func checkMessage(m llm.Message) error {
	if len(m.ToolCalls) > 0 && m.Role != llm.Assistant {
		return fmt.Errorf("it has tool calls and is of role %q: only an assistant has them", m.Role)
	}
	switch m.Role {
	case llm.System, llm.User, llm.Assistant:
	case llm.ToolRole:
		if m.ToolCallID == "" {
			return fmt.Errorf("a tool's result needs the ToolCallID that it answers")
		}
	default:
		return fmt.Errorf("its role %q is unknown", m.Role)
	}
	return nil
}

func checkFormat(f *llm.Format) error {
	switch f.Mode {
	case llm.JSONMode:
	case llm.SchemaMode:
		if !json.Valid(f.Schema) {
			return fmt.Errorf("its Schema is not JSON")
		}
	default:
		return fmt.Errorf("its mode %q is unknown", f.Mode)
	}
	return nil
}

// Keywords are those of a JSON Schema, each a [json.RawMessage], so that properties keep their order.
// No schema has none.
func Keywords(schema json.RawMessage) (map[string]any, error) {
	if len(schema) == 0 {
		return nil, nil
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(schema, &raw); err != nil {
		return nil, err
	}
	keywords := make(map[string]any, len(raw))
	for k, v := range raw {
		keywords[k] = v
	}
	return keywords, nil
}
