package llmtest_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
)

func TestCassette(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tape.jsonl")
	partial := &llm.Response{Message: llm.Message{Role: llm.RoleAssistant, Content: "half "}, FinishReason: llm.FinishLength, Usage: llm.Usage{Calls: 1}}
	real := llmtest.New(
		llmtest.Rule{Contains: []string{"twice"}, Replies: []llmtest.Reply{{Text: "first"}, {Text: "second"}}},
		llmtest.Rule{Contains: []string{"tool"}, Replies: []llmtest.Reply{{ToolCalls: []llm.ToolCall{{ID: "1", Name: "f", Arguments: []byte(`{"a":1}`)}}}}},
		llmtest.Rule{Contains: []string{"fail"}, Replies: []llmtest.Reply{{Err: &llm.Error{Kind: llm.ErrRateLimit, Provider: "p", Status: 429, RetryAfter: time.Second, Message: "slow"}}}},
		llmtest.Rule{Contains: []string{"cut"}, Replies: []llmtest.Reply{{Err: &llm.Error{Kind: llm.ErrTruncated, Partial: partial}}}},
	)
	recorder, err := llmtest.Record(real, path)
	if err != nil {
		t.Fatal(err)
	}
	asked := []*llm.Request{ask("a", "twice"), ask("b", "twice"), ask("a", "tool"), ask("a", "fail"), ask("a", "cut")}
	type outcome struct {
		Resp *llm.Response
		Err  error
	}
	run := func(m llm.Model) (outcomes []outcome) {
		for _, req := range asked {
			resp, err := m.Generate(t.Context(), req, nil)
			outcomes = append(outcomes, outcome{resp, err})
		}
		return outcomes
	}
	recorded := run(recorder)
	player, err := llmtest.Replay(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(recorded, run(player)); diff != "" {
		t.Errorf("(-recorded +replayed)\n%s", diff)
	}

	// A further request gets the last reply. The Name is not compared.
	var text strings.Builder
	resp, err := player.Generate(t.Context(), ask("renamed", "twice"), func(d llm.Delta) { text.WriteString(d.Text) })
	if err != nil || resp.Message.Content != "second" || text.String() != "second" {
		t.Errorf("got %+v, streamed %q, %v", resp, text.String(), err)
	}
	_, err = player.Generate(t.Context(), ask("a", "twice, changed"), nil)
	if !errors.Is(err, llmtest.ErrUnexpected) || !strings.Contains(err.Error(), `request "a"`) {
		t.Errorf("got %v, want an error that names the request", err)
	}
}

func TestMalformedCassettes(t *testing.T) {
	good, err := ask("q", "x").Hash()
	if err != nil {
		t.Fatal(err)
	}
	request := `"request":{"messages":[{"role":"user","content":"x"}]}`
	response := `"response":{"message":{"role":"assistant"},"finish_reason":"stop","usage":{"input_tokens":0,"output_tokens":0,"calls":1}}`
	line := `{"key":"` + good + `",` + request + `,` + response + `}`
	for name, test := range map[string]struct{ text, want string }{
		"empty":            {"", ""},
		"good":             {line + "\n\n" + line, ""},
		"not JSON":         {line + "\noops", "line 2"},
		"unknown field":    {`{"keys":1}`, "line 1"},
		"no request":       {`{"key":"` + good + `",` + response + `}`, "line 1"},
		"no response":      {`{"key":"` + good + `",` + request + `}`, "line 1"},
		"changed by hand":  {strings.Replace(line, `"x"`, `"y"`, 1), "record it again"},
		"two on one line":  {line + line, "line 1"},
		"both of the ends": {strings.TrimSuffix(line, "}") + `,"failure":{"kind":"timeout"}}`, "line 1"},
	} {
		_, err := llmtest.ReplayFrom(strings.NewReader(test.text))
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", name, err, test.want)
		}
	}
	if _, err := llmtest.Replay(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want that the file does not exist", err)
	}
	if _, err := llmtest.Record(llmtest.New(), filepath.Join(t.TempDir(), "no", "folder")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want that the folder does not exist", err)
	}
}

func FuzzReplayFrom(f *testing.F) {
	f.Add(`{"key":"x","request":{"messages":null},"response":{}}`)
	f.Add("{\n")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := llmtest.ReplayFrom(strings.NewReader(text))
		if (m == nil) == (err == nil) {
			t.Errorf("got %v, %v", m, err)
		}
	})
}
