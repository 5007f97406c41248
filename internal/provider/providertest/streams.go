package providertest

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/llm"
)

// dated is the first line of a recorded stream: a comment with the server, its version
// and the date, which the stream imitates.
var dated = regexp.MustCompile(`^: .+, 20[0-9]{2}-[0-9]{2}`)

// TestStreams reads the streams in testdata/streams, which have the forms of servers of
// today, and compares the responses with those beside them. A reply that a limit cut off
// has a name that ends in -cut. newModel returns a model that uses the server; file is the
// name of the stream.
func TestStreams(t *testing.T, newModel func(t *testing.T, s *Server, file string) llm.Model) {
	files, err := filepath.Glob("testdata/streams/*.sse")
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".sse")
		t.Run(name, func(t *testing.T) {
			stream, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !dated.Match(stream) {
				t.Errorf("%s does not begin with the server and the date that it imitates", file)
			}
			want, err := os.ReadFile(strings.TrimSuffix(file, ".sse") + ".json")
			if err != nil {
				t.Error(err)
			}
			// Packets that end anywhere, also within a rune.
			var packets []string
			for rest := string(stream); rest != ""; {
				n := min(len(rest), 37)
				packets, rest = append(packets, rest[:n]), rest[n:]
			}
			s := Serve(t, Events(packets...))
			var text strings.Builder
			resp, err := newModel(t, s, name).Generate(t.Context(), called(), func(d llm.Delta) { text.WriteString(d.Text) })
			if cut, ok := errors.AsType[*llm.Error](err); ok && cut.Kind == llm.ErrTruncated && cut.Partial != nil && strings.HasSuffix(name, "-cut") {
				resp = cut.Partial
			} else if err != nil {
				t.Fatal(err)
			}
			got, err := json.MarshalIndent(readable(resp), "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.TrimSpace(string(want)), string(got)); diff != "" || text.String() != resp.Message.Content {
				t.Errorf("streamed %q (-want +got)\n%s", text.String(), diff)
			}
			dies(t, string(stream), name, newModel)
		})
	}
}

// A response is a response whose reasoning can be read.
type response struct {
	llm.Response
	Reasoning []string `json:"reasoning,omitempty"` // the Data of the parts
}

func readable(resp *llm.Response) *response {
	r := &response{Response: *resp}
	for _, p := range resp.Message.Parts {
		r.Reasoning = append(r.Reasoning, string(p.Data))
	}
	r.Message.Parts = nil
	return r
}

// called is a request with a tool.
func called() *llm.Request {
	req := Request("How warm?")
	req.Tools = []llm.Tool{{Name: "temperature"}}
	return req
}

// dies ends a stream in each of its events. The outcome is an error with what has been
// streamed, unless the reply was complete.
func dies(t *testing.T, stream, name string, newModel func(t *testing.T, s *Server, file string) llm.Model) {
	cut := 0
	s := Serve(t, func(w http.ResponseWriter, r *http.Request) {
		Events(stream[:cut])(w, r)
		panic(http.ErrAbortHandler)
	})
	m := newModel(t, s, name)
	complete := max(strings.LastIndex(stream, `_reason":"tool_`), strings.LastIndex(stream, `_reason":"stop`), strings.LastIndex(stream, "response.completed"))
	for at, event := range strings.SplitAfter(stream, "\n\n") {
		cut += len(event) / 2
		var text strings.Builder
		resp, err := m.Generate(t.Context(), called(), func(d llm.Delta) { text.WriteString(d.Text) })
		var e *llm.Error
		if resp == nil && (!errors.As(err, &e) || e.Kind != llm.ErrTruncated && e.Kind != llm.ErrProtocol) || resp != nil && cut < complete {
			t.Errorf("cut in event %d: got %+v, %v", at, resp, err)
		}
		if e != nil && e.Partial != nil && e.Partial.Message.Content != text.String() {
			t.Errorf("cut in event %d: the partial text is %q, streamed %q", at, e.Partial.Message.Content, text.String())
		}
		cut += len(event) - len(event)/2
	}
}
