package anthropic_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/provider/providertest"
	"github.com/qedkit/qed/llm"
)

func reasoning(data, summary string) llm.Part {
	return llm.Part{Type: llm.PartReasoning, Text: summary, Data: []byte(data), Provider: "anthropic"}
}

func TestParts(t *testing.T) {
	image := llm.Part{Type: llm.PartImage, MediaType: "image/png", Data: []byte("png")}
	s := serve(t, providertest.Body(200, message(text("ok"), "end_turn")))
	_, err := s.model(t).Generate(t.Context(), &llm.Request{Messages: []llm.Message{
		{Role: llm.RoleSystem, Content: "be brief", Parts: []llm.Part{{Type: llm.PartText, Text: "be kind"}}},
		{Role: llm.RoleUser, Content: "compare", Parts: []llm.Part{
			{Type: llm.PartText, Text: "before:"}, image, {Type: llm.PartText, Text: " "},
			{Type: llm.PartImage, URL: "https://example.com/b.png"},
			{Type: llm.PartFile, MediaType: "application/pdf", Name: "terms.pdf", Data: []byte("%PDF")},
			{Type: llm.PartFile, MediaType: "text/csv", Data: []byte("a,b")},
			{Type: llm.PartFile, URL: "https://example.com/c.pdf"},
		}},
		{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{ID: "c", Name: "look"}}},
		{Role: llm.RoleTool, ToolCallID: "c", Content: "a chart", Parts: []llm.Part{image}},
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	png := `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"cG5n"}}`
	s.sends(t, `{"model":"claude-sonnet-5-5","max_tokens":4096,"system":[{"type":"text","text":"be kind"},{"type":"text","text":"be brief"}],"messages":[
		{"role":"user","content":[{"type":"text","text":"before:"},`+png+`,
			{"type":"image","source":{"type":"url","url":"https://example.com/b.png"}},
			{"type":"document","title":"terms.pdf","source":{"type":"base64","media_type":"application/pdf","data":"JVBERg=="}},
			{"type":"document","source":{"type":"text","media_type":"text/plain","data":"a,b"}},
			{"type":"document","source":{"type":"url","url":"https://example.com/c.pdf"}},
			{"type":"text","text":"compare"}]},
		{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"look","input":{}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":[`+png+`,{"type":"text","text":"a chart"}]}]}]}`)
}

func TestRequestFields(t *testing.T) {
	tools := []llm.Tool{{Name: "none"}, {Name: "f"}}
	for name, test := range map[string]struct {
		req  llm.Request
		want string
	}{
		"none":          {llm.Request{Tools: tools, ToolChoice: llm.ToolChoiceNone}, `"tool_choice":{"type":"none"}`},
		"required":      {llm.Request{Tools: tools, ToolChoice: llm.ToolChoiceRequired}, `"tool_choice":{"type":"any"}`},
		"named":         {llm.Request{Tools: tools, ToolChoice: llm.ToolChoiceOf("none")}, `"tool_choice":{"type":"tool","name":"none"}`},
		"none, no tool": {llm.Request{ToolChoice: llm.ToolChoiceNone}, ``},
		"stop":          {llm.Request{Stop: []string{"END", "\n\n"}}, `"stop_sequences":["END","\n\n"]`},
		"extra": {llm.Request{Extra: map[string]json.RawMessage{"thinking": json.RawMessage(`{"type":"adaptive"}`), "output_config": json.RawMessage(`{"effort":"low"}`)}},
			`"thinking":{"type":"adaptive"},"output_config":{"effort":"low"}`},
	} {
		s := serve(t, providertest.Body(200, message(text("ok"), "end_turn")))
		test.req.Messages = providertest.Request("hi").Messages
		if _, err := s.model(t).Generate(t.Context(), &test.req, nil); err != nil {
			t.Fatal(name, err)
		}
		want := test.want
		if want != "" {
			want += ","
		}
		if len(test.req.Tools) > 0 {
			want += `"tools":[{"name":"none","input_schema":{"type":"object"}},{"name":"f","input_schema":{"type":"object"}}],`
		}
		s.sends(t, `{"model":"claude-sonnet-5-5","max_tokens":4096,`+want+`"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]}`)
	}
}

// TestCacheHints: the last four hints are sent, as marks of the last block of
// their messages.
func TestCacheHints(t *testing.T) {
	hint := func(role llm.Role, text string) llm.Message {
		return llm.Message{Role: role, Content: text, CacheHint: true}
	}
	call := llm.Message{Role: llm.RoleAssistant, Content: "I look", CacheHint: true, ToolCalls: []llm.ToolCall{{ID: "c", Name: "f"}}}
	result := llm.Message{Role: llm.RoleTool, ToolCallID: "c", Content: "1", CacheHint: true}
	for name, test := range map[string]struct {
		messages []llm.Message
		want     []string // the texts that are marked
	}{
		"none":   {[]llm.Message{{Role: llm.RoleUser, Content: "a"}}, nil},
		"system": {[]llm.Message{hint(llm.RoleSystem, "s"), {Role: llm.RoleUser, Content: "a"}}, []string{"s"}},
		"blank":  {[]llm.Message{hint(llm.RoleSystem, " "), hint(llm.RoleUser, ""), {Role: llm.RoleUser, Content: "a"}}, nil},
		"five": {[]llm.Message{hint(llm.RoleSystem, "s"), hint(llm.RoleUser, "a"), call, result, hint(llm.RoleUser, "b")},
			[]string{"a", "f", "result", "b"}},
		"thinking last": {[]llm.Message{hint(llm.RoleUser, "a"), {Role: llm.RoleAssistant, CacheHint: true,
			Parts: []llm.Part{reasoning(`{"host":"127.0.0.1","block":{"type":"thinking","thinking":"x"}}`, "")}}}, []string{"a"}},
	} {
		s := serve(t, providertest.Body(200, message(text("ok"), "end_turn")))
		if _, err := s.model(t).Generate(t.Context(), &llm.Request{Messages: test.messages}, nil); err != nil {
			t.Fatal(name, err)
		}
		var body struct {
			System   []map[string]any
			Messages []struct{ Content []map[string]any }
		}
		if err := json.Unmarshal([]byte(s.Raw), &body); err != nil {
			t.Fatal(err)
		}
		blocks := body.System
		for _, m := range body.Messages {
			blocks = append(blocks, m.Content...)
		}
		var got []string
		for _, b := range blocks {
			if b["cache_control"] == nil {
				continue
			}
			switch b["type"] {
			case "text":
				got = append(got, b["text"].(string))
			case "tool_use":
				got = append(got, b["name"].(string))
			default:
				got = append(got, "result")
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

// TestThinkingIsSentBack: thinking keeps its position among text and calls.
func TestThinkingIsSentBack(t *testing.T) {
	content := `[{"type":"thinking","thinking":"first","signature":"s1"},{"type":"text","text":"I look"},` +
		`{"type":"redacted_thinking","data":"secret"},{"type":"tool_use","id":"a","name":"f","input":{"x":1}},` +
		`{"type":"thinking","thinking":"","signature":"s2"},{"type":"tool_use","id":"b","name":"f","input":{"x":2}}]`
	events := []string{start,
		blockStart(0, `{"type":"thinking","thinking":"","signature":""}`), delta(0, `{"type":"thinking_delta","thinking":"fir"}`),
		delta(0, `{"type":"thinking_delta","thinking":"st"}`), delta(0, `{"type":"signature_delta","signature":"s1"}`), blockStop(0),
		blockStart(1, `{"type":"text","text":""}`), delta(1, `{"type":"text_delta","text":"I look"}`), blockStop(1),
		blockStart(2, `{"type":"redacted_thinking","data":"secret"}`), blockStop(2),
		blockStart(3, `{"type":"tool_use","id":"a","name":"f","input":{}}`), delta(3, `{"type":"input_json_delta","partial_json":"{\"x\":1}"}`), blockStop(3),
		blockStart(4, `{"type":"thinking","thinking":"","signature":""}`), delta(4, `{"type":"signature_delta","signature":"s2"}`), blockStop(4),
		blockStart(5, `{"type":"tool_use","id":"b","name":"f","input":{"x":2}}`), blockStop(5),
		stop("tool_use"), end}
	reply := func(t *testing.T, isStreamed bool) llm.Message {
		handle := providertest.Body(200, message(content, "tool_use"))
		var stream func(llm.Delta)
		if isStreamed {
			handle, stream = providertest.Events(events...), func(llm.Delta) {}
		}
		resp, err := serve(t, handle).model(t).Generate(t.Context(), providertest.Request("hi"), stream)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(resp.Message) // as a durable run keeps it
		if err != nil {
			t.Fatal(err)
		}
		var kept llm.Message
		if err := json.Unmarshal(raw, &kept); err != nil {
			t.Fatal(err)
		}
		return kept
	}
	back := strings.Replace(content, `"thinking":"","signature":"s2"`, `"signature":"s2","thinking":""`, 1)
	for name, test := range map[string]struct {
		change func(*llm.Message)
		want   string
	}{
		"unchanged":    {func(*llm.Message) {}, back},
		"other ids":    {func(m *llm.Message) { m.ToolCalls[0].ID = "z" }, strings.Replace(back, `"id":"a"`, `"id":"z"`, 1)},
		"text removed": {func(m *llm.Message) { m.Content = "" }, strings.Replace(back, `{"type":"text","text":"I look"},`, "", 1)},
		"other provider": {func(m *llm.Message) {
			for i := range m.Parts {
				m.Parts[i].Provider = "openai"
			}
		}, `[{"type":"text","text":"I look"},{"type":"tool_use","id":"a","name":"f","input":{"x":1}},{"type":"tool_use","id":"b","name":"f","input":{"x":2}}]`},
		"other server": {func(m *llm.Message) {
			for i := range m.Parts {
				m.Parts[i].Data = []byte(strings.Replace(string(m.Parts[i].Data), "127.0.0.1", "example.com", 1))
			}
		}, `[{"type":"text","text":"I look"},{"type":"tool_use","id":"a","name":"f","input":{"x":1}},{"type":"tool_use","id":"b","name":"f","input":{"x":2}}]`},
	} {
		for _, isStreamed := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", streamed ", isStreamed), func(t *testing.T) {
				said := reply(t, isStreamed)
				if len(said.Parts) != 3 || said.Parts[0].Text != "first" || said.Content != "I look" || len(said.ToolCalls) != 2 {
					t.Fatalf("got %+v", said)
				}
				test.change(&said)
				s := serve(t, providertest.Body(200, message(text("ok"), "end_turn")))
				req := providertest.Request("hi")
				req.Messages = append(req.Messages, said)
				if _, err := s.model(t).Generate(t.Context(), req, nil); err != nil {
					t.Fatal(err)
				}
				var want any
				if err := json.Unmarshal([]byte(test.want), &want); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, s.Body["messages"].([]any)[1].(map[string]any)["content"]); diff != "" {
					t.Errorf("(-want +got)\n%s", diff)
				}
			})
		}
	}
}

// Fields and parts that the API has no form for.
func TestRefusedFields(t *testing.T) {
	s := serve(t, providertest.Body(200, message(text("ok"), "end_turn")))
	part := func(p llm.Part) llm.Request {
		return llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Parts: []llm.Part{{Type: llm.PartText, Text: "x"}, p}}}}
	}
	said := func(p llm.Part) llm.Request {
		return llm.Request{Messages: []llm.Message{{Role: llm.RoleAssistant, Content: "x", Parts: []llm.Part{p}}}}
	}
	for names, req := range map[string]llm.Request{
		"Seed":                      {Seed: new(int64(1))},
		`Extra has "messages"`:      {Extra: map[string]json.RawMessage{"messages": json.RawMessage(`[]`)}},
		`Extra has "output_config"`: {Format: &llm.Format{Schema: json.RawMessage(`{}`)}, Extra: map[string]json.RawMessage{"output_config": json.RawMessage(`{}`)}},
		"message 0: part 1 (file): the Messages API accepts PDF documents and plain text, not application/zip": part(llm.Part{Type: llm.PartFile, MediaType: "application/zip", Data: []byte("x")}),
		"part 1 (file): the Messages API accepts PDF documents and plain text, not text/plain":                 part(llm.Part{Type: llm.PartFile, MediaType: "text/plain", Data: []byte("\xff")}),
		"part 0 (reasoning)":         said(reasoning(`{`, "")),
		"reasoning parts was change": said(reasoning(`{"host":"127.0.0.1","block":{"type":"tool_use"}}`, "")),
	} {
		if len(req.Messages) == 0 {
			req.Messages = providertest.Request("hi").Messages
		}
		if _, err := s.model(t).Generate(t.Context(), &req, nil); !errors.Is(err, llm.ErrBadRequest) || !strings.Contains(err.Error(), names) {
			t.Errorf("got %v, want a bad request that names %q", err, names)
		}
	}
	if s.Path != "" {
		t.Error("a request was sent")
	}
}
