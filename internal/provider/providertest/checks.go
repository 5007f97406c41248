package providertest

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/llm"
)

// checkOutcome calls a model whose server sends anything. It fails the test unless
// the outcome is a valid reply, or an error that has a kind and does not contain
// the key.
func checkOutcome(t *testing.T, m llm.Model, isStreamed bool) {
	var stream func(llm.Delta)
	var pieces []byte
	if isStreamed {
		stream = func(d llm.Delta) {
			if d.Discard {
				pieces = nil
			}
			pieces = append(pieces, d.Text...)
		}
	}
	resp, err := m.Generate(t.Context(), Request("q"), stream)
	if err != nil {
		var e *llm.Error
		if resp != nil || !errors.As(err, &e) || e.Kind == "" || e.RetryAfter < 0 {
			t.Fatalf("got %v, %#v", resp, err)
		}
		CheckNoKey(t, err)
		return
	}
	if isStreamed && string(pieces) != resp.Message.Content {
		t.Errorf("streamed %q of %q", pieces, resp.Message.Content)
	}
	if _, err := json.Marshal(resp); err != nil {
		t.Error(err)
	}
}

// CheckBrokenStream fails the test unless a streamed reply ends in an error of this
// kind after the text partial. If partial and finish are both empty, the error
// must have no Partial.
func CheckBrokenStream(t *testing.T, m llm.Model, kind llm.ErrorKind, partial string, finish llm.FinishReason) {
	t.Helper()
	var got strings.Builder
	resp, err := m.Generate(t.Context(), Request("hi"), func(d llm.Delta) { got.WriteString(d.Text) })
	if resp != nil || !errors.Is(err, kind) {
		t.Fatalf("got %v, %v, want %v", resp, err, kind)
	}
	CheckNoKey(t, err)
	var e *llm.Error
	if !errors.As(err, &e) {
		t.Fatalf("%T is not an *llm.Error", err)
	}
	if got.String() != partial {
		t.Errorf("streamed %q, want %q", got.String(), partial)
	}
	switch {
	case partial == "" && finish == "" && e.Partial != nil:
		t.Errorf("partial is %+v, want none", e.Partial)
	case (partial != "" || finish != "") && (e.Partial == nil || e.Partial.Message.Content != partial || e.Partial.FinishReason != finish):
		t.Errorf("partial is %+v, want %q and finish %q", e.Partial, partial, finish)
	}
}

// CheckStream fails the test unless a reply is streamed in these pieces and equals
// want.
func CheckStream(t *testing.T, m llm.Model, pieces []string, want *llm.Response) {
	t.Helper()
	var got []string
	resp, err := m.Generate(t.Context(), Request("hi"), func(d llm.Delta) { got = append(got, d.Text) })
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(pieces, got); diff != "" {
		t.Errorf("pieces (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(want, resp); diff != "" {
		t.Errorf("response (-want +got)\n%s", diff)
	}
}

// EndlessLine is a handler that sends an event with a line of 40 MiB.
func EndlessLine(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	io.WriteString(w, "data: ")
	for range 40 {
		if _, err := w.Write(make([]byte, 1<<20)); err != nil {
			return
		}
	}
}

// FuzzReplies fuzzes the response of the server. newModel returns a model that uses
// client.
func FuzzReplies(f *testing.F, newModel func(tb testing.TB, client *http.Client) llm.Model) {
	f.Add(200, false, []byte("null"))
	f.Add(500, true, []byte(`[{"error":"`+Key+`"}]`))
	f.Fuzz(func(t *testing.T, status int, isStreamed bool, reply []byte) {
		if status < 200 || status > 599 {
			return
		}
		contentType := "application/json"
		if isStreamed {
			contentType = "text/event-stream"
		}
		var sent []byte
		checkOutcome(t, newModel(t, FakeClient(status, contentType, reply, &sent)), isStreamed)
	})
}
