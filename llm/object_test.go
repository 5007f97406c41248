package llm_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
)

type selection struct {
	Tables []string `json:"tables"`
	Reason *string  `json:"reason,omitempty"`
}

func ask(text string) *llm.Request {
	return &llm.Request{Name: "select_tables", Messages: []llm.Message{{Role: llm.RoleSystem, Content: "Be brief."}, {Role: llm.RoleUser, Content: text}}}
}

func TestGenerateObject(t *testing.T) {
	usage := llm.Usage{InputTokens: 10, OutputTokens: 2, Calls: 1}
	reply := func(text string) llmtest.Reply { return llmtest.Reply{Text: text, Usage: usage} }
	good := reply(`{"tables":["crew"],"reason":null}`)
	bad := reply(`{"tables":"crew"}`)
	for name, test := range map[string]struct {
		replies []llmtest.Reply
		opt     *llm.ObjectOptions
		calls   int
		failed  bool
	}{
		"at once":        {[]llmtest.Reply{good}, nil, 1, false},
		"repaired once":  {[]llmtest.Reply{bad, good}, nil, 2, false},
		"repaired twice": {[]llmtest.Reply{bad, reply("no"), good}, nil, 3, false},
		"never right":    {[]llmtest.Reply{bad, bad, bad}, nil, 3, true},
		"JSON mode":      {[]llmtest.Reply{reply("Here:\n```json\n{\"tables\":[\"crew\"]}\n```")}, &llm.ObjectOptions{Mode: llm.JSONMode}, 1, false},
		"empty":          {[]llmtest.Reply{reply(""), good}, nil, 2, false},
		"refused by the server": {[]llmtest.Reply{{Err: &llm.Error{Kind: llm.ErrInvalidOutput, Message: "no JSON",
			Partial: &llm.Response{Usage: usage}}}, good}, nil, 2, false},
	} {
		t.Run(name, func(t *testing.T) {
			m := llmtest.Scripted(t, llmtest.Rule{Replies: test.replies})
			req := ask("Which?")
			got, resp, err := llm.GenerateObject[selection](t.Context(), m, req, test.opt)
			if want := (llm.Usage{InputTokens: 10 * test.calls, OutputTokens: 2 * test.calls, Calls: test.calls}); resp == nil || resp.Usage != want {
				t.Errorf("response is %+v, want usage %+v", resp, want)
			}
			if test.failed {
				var e *llm.Error
				if !errors.As(err, &e) || e.Kind != llm.ErrInvalidOutput || e.Partial == nil || e.Partial.Message.Content != bad.Text {
					t.Errorf("got %v, want invalid output with the last reply", err)
				}
			} else if diff := cmp.Diff(selection{Tables: []string{"crew"}}, got); err != nil || diff != "" {
				t.Errorf("%v (-want +got)\n%s", err, diff)
			}
			if diff := cmp.Diff(ask("Which?"), req); diff != "" {
				t.Errorf("the request was changed\n%s", diff)
			}
		})
	}
}

func TestGenerateObjectReportsProblems(t *testing.T) {
	m := llmtest.Scripted(t,
		llmtest.Rule{Contains: []string{"/tables: is missing", "/table: is unknown"}, Replies: []llmtest.Reply{{JSON: selection{Tables: []string{"a"}}}}},
		llmtest.Rule{Replies: []llmtest.Reply{{Text: `{"table":["a"]}`}}},
	)
	if _, _, err := llm.GenerateObject[selection](t.Context(), m, ask("Which?"), nil); err != nil {
		t.Fatal(err)
	}
	last := m.Requests()[1]
	roles := []llm.Role{}
	for _, msg := range last.Messages {
		roles = append(roles, msg.Role)
	}
	if diff := cmp.Diff([]llm.Role{llm.RoleSystem, llm.RoleUser, llm.RoleAssistant, llm.RoleUser}, roles); diff != "" {
		t.Error(diff)
	}
	if last.Name != "select_tables" || last.Format == nil || last.Format.Name != "selection" {
		t.Errorf("got %+v", last)
	}
}

// TestObjectAttemptsAreSeparateRequests: a trace may keep the requests.
func TestGenerateObjectAttemptsAreSeparateRequests(t *testing.T) {
	var seen []*llm.Request
	m := llm.Wrap(
		llmtest.New(llmtest.Rule{Replies: []llmtest.Reply{{Text: "no"}, {Text: `{"tables":[]}`}}}),
		llm.Trace(func(_ context.Context, c llm.Call) { seen = append(seen, c.Request) }),
	)
	if _, _, err := llm.GenerateObject[selection](t.Context(), m, ask("q"), nil); err != nil {
		t.Fatal(err)
	}
	if len(seen) != 2 || len(seen[0].Messages) != 2 || len(seen[1].Messages) != 4 {
		t.Errorf("got %+v", seen)
	}
}

// TestObjectModes: the prompt has the schema only if the provider does not get it.
func TestGenerateObjectModes(t *testing.T) {
	for _, test := range []struct {
		mode     llm.FormatMode
		messages []llm.Message
		in       int // the index of the message with the schema; -1: none
		of       int
	}{
		{llm.SchemaMode, ask("q").Messages, -1, 2},
		{llm.JSONMode, ask("q").Messages, 0, 2},
		{llm.JSONMode, ask("q").Messages[1:], 0, 2},
		{llm.JSONMode, nil, 0, 1},
	} {
		m := llmtest.Scripted(t, llmtest.Rule{Replies: []llmtest.Reply{{JSON: selection{Tables: []string{}}}}})
		if _, _, err := llm.GenerateObject[selection](t.Context(), m, &llm.Request{Messages: test.messages}, &llm.ObjectOptions{Mode: test.mode}); err != nil {
			t.Fatal(err)
		}
		sent := m.Requests()[0]
		if sent.Format.Mode != test.mode || len(sent.Messages) != test.of {
			t.Errorf("sent %+v", sent)
		}
		for i, msg := range sent.Messages {
			if has := strings.Contains(msg.Content, string(sent.Format.Schema)); has != (i == test.in) {
				t.Errorf("mode %q, message %d: %q", test.mode, i, msg.Content)
			}
		}
	}
}

func TestGenerateObjectFailures(t *testing.T) {
	limit := &llm.Error{Kind: llm.ErrRateLimit}
	m := llmtest.New(llmtest.Rule{Replies: []llmtest.Reply{{Text: "no", Usage: llm.Usage{Calls: 1}}, {Err: limit}}})
	_, resp, err := llm.GenerateObject[selection](t.Context(), m, ask("q"), nil)
	if !errors.Is(err, llm.ErrRateLimit) || resp == nil || resp.Usage.Calls != 1 {
		t.Errorf("got %+v, %v, want the failure and what was used before it", resp, err)
	}
	partial := &llm.Response{Message: llm.Message{Content: "half"}, Usage: llm.Usage{Calls: 1}}
	m = llmtest.New(llmtest.Rule{Replies: []llmtest.Reply{{Text: "no"}, {Err: &llm.Error{Kind: llm.ErrTruncated, Partial: partial}}}})
	_, resp, err = llm.GenerateObject[selection](t.Context(), m, ask("q"), nil)
	if !errors.Is(err, llm.ErrTruncated) || resp == nil || resp.Usage.Calls != 2 || resp.Message.Content != "half" {
		t.Errorf("got %+v, %v, want what had arrived, and the use of both tries", resp, err)
	}
	if _, resp, err := llm.GenerateObject[selection](t.Context(), llmtest.New(), ask("q"), nil); resp != nil || !errors.Is(err, llmtest.ErrUnexpected) {
		t.Errorf("got %v, %v, want the model's own error", resp, err)
	}
	withTools := ask("q")
	withTools.Tools = []llm.Tool{{Name: "t"}}
	withFormat := ask("q")
	withFormat.Format = &llm.Format{}
	for _, req := range []*llm.Request{withTools, withFormat} {
		if _, _, err := llm.GenerateObject[selection](t.Context(), m, req, nil); !errors.Is(err, llm.ErrBadRequest) {
			t.Errorf("got %v, want a bad request", err)
		}
	}
	if _, _, err := llm.GenerateObject[[]string](t.Context(), m, ask("q"), nil); !errors.Is(err, llm.ErrBadRequest) {
		t.Errorf("of a list: got %v, want a bad request", err)
	}
	if _, _, err := llm.GenerateObject[struct{ F func() }](t.Context(), m, ask("q"), nil); !errors.Is(err, llm.ErrBadRequest) {
		t.Errorf("of a func: got %v, want a bad request", err)
	}
}
