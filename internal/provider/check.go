package provider

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/qedkit/qed/llm"
)

// Check returns an [*llm.Error] for a request that is invalid for every provider.
func (s *Server) Check(req *llm.Request) error {
	switch {
	case len(req.Messages) == 0:
		return s.Invalid(llm.ErrBadRequest, "the request has no messages")
	case req.Temperature != nil && (!(*req.Temperature >= 0) || math.IsInf(*req.Temperature, 0)):
		return s.Invalid(llm.ErrBadRequest, "the request's Temperature is negative or not a number")
	case req.MaxOutputTokens < 0:
		return s.Invalid(llm.ErrBadRequest, "the request's MaxOutputTokens is negative: 0 means the provider's default")
	}
	for i, m := range req.Messages {
		if err := checkMessage(m); err != nil {
			return s.Invalid(llm.ErrBadRequest, fmt.Sprintf("message %d: %v", i, err))
		}
	}
	for _, t := range req.Tools {
		if _, err := Keywords(t.InputSchema); err != nil {
			return s.Invalid(llm.ErrBadRequest,
				fmt.Sprintf("tool %q: its InputSchema is not a JSON Schema: %v", t.Name, err))
		}
	}
	if req.Format != nil {
		if err := checkFormat(req.Format); err != nil {
			return s.Invalid(llm.ErrBadRequest, fmt.Sprintf("format %q: %v", req.Format.Name, err))
		}
	}
	return nil
}

func checkMessage(m llm.Message) error {
	if len(m.ToolCalls) > 0 && m.Role != llm.RoleAssistant {
		return fmt.Errorf("it has tool calls, but its role is %q instead of \"assistant\"", m.Role)
	}
	switch m.Role {
	case llm.RoleSystem, llm.RoleUser, llm.RoleAssistant:
	case llm.RoleTool:
		if m.ToolCallID == "" {
			return fmt.Errorf("a tool result needs a ToolCallID")
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

// Keywords returns the keywords of a JSON Schema. Each value is a
// [json.RawMessage], so that properties keep their order. An empty schema has no
// keywords.
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
