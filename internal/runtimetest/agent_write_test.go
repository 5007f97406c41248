package runtimetest_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// A flushed is a writer that fails after some writes.
type flushed struct {
	text          strings.Builder
	flushes, left int
}

func (f *flushed) Flush() { f.flushes++ }

func (f *flushed) Write(p []byte) (int, error) {
	if f.left--; f.left < 0 {
		return 0, errFull
	}
	return f.text.Write(p)
}

var errFull = errors.New("full")

// The writer gets the whole text of the answer, each piece once.
func TestWriteAnswer(t *testing.T) {
	says := func(text string, pieces ...string) qed.Agent {
		return qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
			qed.Emit(ctx, qed.Token{Channel: qed.ChannelDraft, Content: "draft"})
			for _, piece := range pieces {
				qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: piece})
			}
			return qed.Answer{Text: text}, nil
		})
	}
	asks := qed.Durable(qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
		_, err := qed.Interrupt[string](ctx, question.Question{Text: "Which?"})
		return qed.Answer{}, err
	}), new(store.InMemory), nil)
	for name, test := range map[string]struct {
		agent   qed.Agent
		want    string
		flushes int
	}{
		"streamed":  {says("ab", "a", "b"), "ab", 2},
		"at once":   {says("ab"), "ab", 1},
		"longer":    {says("abc", "ab"), "abc", 2},
		"other":     {says("c", "ab"), "ab\nc", 2},
		"empty":     {says(""), "", 0},
		"question":  {asks, "Which?", 1},
		"the other": {qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) { return qed.Ask(ctx, says("x"), turn) }), "x", 1},
	} {
		w := &flushed{left: 9}
		answer, err := qed.WriteAnswer(t.Context(), w, test.agent, qed.Turn{Thread: "t", Text: "q"})
		if err != nil || w.text.String() != test.want || w.flushes != test.flushes || !strings.HasSuffix(test.want, answer.Text) {
			t.Errorf("%s: %q after %d flushes, %+v %v", name, w.text.String(), w.flushes, answer, err)
		}
	}
	for left := range 2 {
		if _, err := qed.WriteAnswer(t.Context(), &flushed{left: left}, says("ab", "a", "b"), qed.Turn{}); !errors.Is(err, errFull) {
			t.Errorf("after %d pieces: %v", left, err)
		}
	}
	broken := errors.New("broken")
	failing := qed.AgentFunc(func(context.Context, qed.Turn) (qed.Answer, error) { return qed.Answer{}, broken })
	if _, err := qed.WriteAnswer(t.Context(), new(strings.Builder), failing, qed.Turn{}); !errors.Is(err, broken) {
		t.Error(err)
	}
}

// A registry with a tool that cannot be used has no tools, and makes no call.
func TestNewRegistryWithTools(t *testing.T) {
	good := qed.Tool{Name: "good", Call: func(context.Context, json.RawMessage) (json.RawMessage, error) {
		return json.RawMessage(`1`), nil
	}}
	r := qed.NewRegistry(nil, good)
	results, err := r.Do(t.Context(), llm.ToolCall{Name: "good"})
	if r.Err() != nil || err != nil || string(results[0].Output) != "1" {
		t.Errorf("%v %v %+v", r.Err(), err, results)
	}
	bad := qed.NewRegistry(nil, good, qed.Tool{Name: "no call"})
	if bad.Err() == nil || len(bad.Names()) != 0 {
		t.Errorf("%v %v", bad.Err(), bad.Names())
	}
	if _, err := bad.Do(t.Context(), llm.ToolCall{Name: "good"}); !errors.Is(err, bad.Err()) {
		t.Error(err)
	}
}
