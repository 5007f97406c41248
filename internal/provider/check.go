package provider

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/qedkit/qed/llm"
)

// Check returns an [*llm.Error] for a request that is invalid for every provider.
// sets has the members of the body that the provider's package sets itself.
func (s *Server) Check(req *llm.Request, sets ...string) error {
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
	if err := checkChoice(req); err != nil {
		return s.Invalid(llm.ErrBadRequest, fmt.Sprintf("Request.ToolChoice: %v", err))
	}
	if slices.Contains(req.Stop, "") {
		return s.Invalid(llm.ErrBadRequest, "Request.Stop has an empty text")
	}
	for _, name := range slices.Sorted(maps.Keys(req.Extra)) {
		switch {
		case slices.Contains(sets, name):
			return s.Invalid(llm.ErrBadRequest, fmt.Sprintf(
				"Request.Extra has %q, which this package sets: use the field of the Request or of the Options", name))
		case !json.Valid(req.Extra[name]):
			return s.Invalid(llm.ErrBadRequest, fmt.Sprintf("Request.Extra: the value of %q is not JSON", name))
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
	for i, p := range m.Parts {
		if err := checkPart(m.Role, p); err != nil {
			return PartError(i, p, err.Error())
		}
	}
	return nil
}

// PartError returns the error for a part of a message that cannot be sent.
func PartError(i int, p llm.Part, why string) error {
	return fmt.Errorf("part %d (%s): %s", i, p.Type, why)
}

var mediaType = regexp.MustCompile(`^[a-zA-Z0-9]+/[a-zA-Z0-9.+-]+$`)

func checkPart(role llm.Role, p llm.Part) error {
	switch p.Type {
	case llm.PartText:
		return nil
	case llm.PartReasoning:
		if role != llm.RoleAssistant || p.Provider == "" {
			return errors.New("it needs a Provider, and a message of the assistant")
		}
		return nil
	case llm.PartImage, llm.PartFile:
	default:
		return errors.New("its type is unknown")
	}
	if role != llm.RoleUser && role != llm.RoleTool {
		return fmt.Errorf("a message of the role %q cannot have one", role)
	}
	if (len(p.Data) == 0) == (p.URL == "") {
		return errors.New("it needs either Data or a URL")
	}
	if p.URL != "" {
		u, err := url.Parse(p.URL)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
			return errors.New("its URL is not one of the form https://host/path")
		}
		return nil
	}
	if !mediaType.MatchString(p.MediaType) || p.Type == llm.PartImage && !strings.HasPrefix(p.MediaType, "image/") {
		return fmt.Errorf("its MediaType is %q; it has to be one such as image/png or application/pdf", p.MediaType)
	}
	return nil
}

func checkChoice(req *llm.Request) error {
	name, named := req.ToolChoice.Tool()
	switch {
	case named:
		if !slices.ContainsFunc(req.Tools, func(t llm.Tool) bool { return t.Name == name }) {
			return fmt.Errorf("the request has no tool %q", name)
		}
	case req.ToolChoice == llm.ToolChoiceRequired:
		if len(req.Tools) == 0 {
			return errors.New("a call is required, but the request has no tools")
		}
	case req.ToolChoice != llm.ToolChoiceAuto && req.ToolChoice != llm.ToolChoiceNone:
		return fmt.Errorf("%q is unknown: use a constant or ToolChoiceOf", req.ToolChoice)
	}
	return nil
}

// Missing returns the error for a field of a request that the API of the
// provider has no equivalent for.
func (s *Server) Missing(field string) error {
	return s.Invalid(llm.ErrBadRequest, "Request."+field+" is set, but "+s.api+" has no such parameter")
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
	return Fields(raw), nil
}

// Fields returns the members of an object as an SDK takes them.
func Fields(raw map[string]json.RawMessage) map[string]any {
	fields := make(map[string]any, len(raw))
	for name, value := range raw {
		fields[name] = value
	}
	return fields
}
