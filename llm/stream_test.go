package llm_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
)

func TestStream(t *testing.T) {
	oops := &llm.Error{Kind: llm.ErrTruncated, Message: "oops"}
	for name, test := range map[string]struct {
		reply  llmtest.Reply
		pieces []string
		err    error
	}{
		"text":        {llmtest.Reply{Text: "a b c"}, []string{"a ", "b ", "c"}, nil},
		"calls":       {llmtest.Reply{ToolCalls: []llm.ToolCall{{ID: "1", Name: "f"}}}, nil, nil},
		"fails":       {llmtest.Reply{Err: oops}, nil, oops},
		"fails later": {llmtest.Reply{Text: "a b", Err: oops}, []string{"a ", "b"}, oops},
	} {
		m := llmtest.New(llmtest.Rule{Replies: []llmtest.Reply{test.reply}, Repeat: true})
		sequence := llm.Stream(t.Context(), m, ask("q"))
		for range 2 { // it can be ranged over again
			var pieces []string
			var last *llm.Response
			var failed error
			for piece, err := range sequence {
				switch {
				case last != nil || failed != nil:
					t.Fatalf("%s: %+v, %v after the end", name, piece, err)
				case err != nil:
					failed = err
				case piece.Response != nil:
					last = piece.Response
				default:
					pieces = append(pieces, piece.Text)
				}
			}
			if diff := cmp.Diff(test.pieces, pieces); diff != "" || failed != test.err || (failed == nil) != (last != nil) {
				t.Errorf("%s: got %v, %v (-want +got)\n%s", name, last, failed, diff)
			}
			if last != nil && last.Message.Content != test.reply.Text {
				t.Errorf("%s: got %+v", name, last)
			}
		}
	}
}

// TestLeftStream: leaving the loop cancels the call and waits for it, and nothing
// is yielded after that.
func TestLeftStream(t *testing.T) {
	ended := false
	m := llm.ModelFunc(func(ctx context.Context, _ *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
		defer func() { ended = true }()
		stream(llm.Delta{Text: "one"})
		stream(llm.Delta{Text: "two"}) // a model that does not look at its context
		<-ctx.Done()
		return nil, ctx.Err()
	})
	seen := 0
	for range llm.Stream(t.Context(), m, ask("q")) {
		seen++
		break
	}
	if seen != 1 || !ended {
		t.Errorf("%d pieces were read, ended is %v", seen, ended)
	}
}

// TestStreamPanic: a panic of the loop's body reaches the caller.
func TestStreamPanic(t *testing.T) {
	defer func() {
		if recover() != "mine" {
			t.Error("the panic did not come through")
		}
	}()
	m := llmtest.New(llmtest.Rule{Replies: []llmtest.Reply{{Text: "a b"}}})
	for range llm.Stream(t.Context(), m, ask("q")) {
		panic("mine")
	}
}

func TestStreamEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	reason := errors.New("the user went away")
	m := llmtest.New(llmtest.Rule{Replies: []llmtest.Reply{{Text: "a b c"}}})
	var errs []error
	for _, err := range llm.Stream(ctx, m, ask("q")) {
		cancel(reason)
		errs = append(errs, err)
	}
	if len(errs) != 2 || errs[0] != nil || !errors.Is(errs[1], context.Canceled) {
		t.Errorf("got %v, want one piece and the cancellation", slices.Clone(errs))
	}
}

// What is discarded is no part of the reply.
func TestStreamDiscards(t *testing.T) {
	m := llm.ModelFunc(func(_ context.Context, _ *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
		stream(llm.Delta{Text: "hm"})
		stream(llm.Delta{Discard: true})
		stream(llm.Delta{Text: "Yes."})
		return &llm.Response{Message: llm.Message{Content: "Yes."}}, nil
	})
	text := ""
	for piece, err := range llm.Stream(t.Context(), m, ask("q")) {
		if err != nil {
			t.Fatal(err)
		}
		if piece.Discard {
			text = ""
		}
		if text += piece.Text; piece.Response != nil && piece.Response.Message.Content != text {
			t.Errorf("got %q", text)
		}
	}
}
