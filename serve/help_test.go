package serve_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/serve"
)

// A frame is a server-sent event.
type frame struct{ id, data string }

// nextFrame reads the next server-sent event.
func nextFrame(r *bufio.Reader) (f frame, ok bool) {
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return frame{}, false
		}
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "" && f.data != "":
			return f, true
		case strings.HasPrefix(line, "id: "):
			f.id = line[4:]
		case strings.HasPrefix(line, "data: "):
			f.data = line[6:]
		}
	}
}

// A response is a response that was read to its end.
type response struct {
	status int
	header http.Header
	body   string
	frames []frame
}

// data returns the data of the frames.
func (r response) data() []string {
	var all []string
	for _, f := range r.frames {
		all = append(all, f.data)
	}
	return all
}

// send sends a request and reads the response. header has names and values in turn.
func send(t testing.TB, method, url, body string, header ...string) response {
	t.Helper()
	resp := open(t, t.Context(), method, url, body, header...)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	got := response{status: resp.StatusCode, header: resp.Header, body: string(text)}
	for r := bufio.NewReader(strings.NewReader(got.body)); ; {
		f, ok := nextFrame(r)
		if !ok {
			return got
		}
		got.frames = append(got.frames, f)
	}
}

// open sends a request, whose response the caller reads.
func open(t testing.TB, ctx context.Context, method, url, body string, header ...string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
			continue
		}
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// newServer serves an agent.
func newServer(t testing.TB, agent qed.Agent, opt *serve.Options) (url string, h *serve.Handler) {
	t.Helper()
	own := serve.Options{}
	if opt != nil {
		own = *opt
	}
	if own.Logger == nil {
		own.Logger = slog.New(slog.DiscardHandler)
	}
	h = serve.New(agent, &own)
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL, h
}

// byHeader reads the caller from headers that a host's middleware would set.
func byHeader(r *http.Request) (context.Context, serve.Caller, error) {
	user := r.Header.Get("User")
	if user == "" {
		return nil, serve.Caller{}, http.ErrNoCookie
	}
	return nil, serve.Caller{User: user, Tenant: r.Header.Get("Tenant"), Backend: user == "backend"}, nil
}

// chat returns the body of a request to /internal/chat/stream.
func chat(thread, message string) string {
	return encode(map[string]any{
		"input": map[string]any{"message": message}, "conversation": map[string]any{"id": thread},
	})
}

// reply is like chat, with a reply to a question.
func reply(thread, question string, value any) string {
	return encode(map[string]any{
		"input":        map[string]any{"replies": []any{map[string]any{"question": question, "value": value}}},
		"conversation": map[string]any{"id": thread},
	})
}

func encode(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// rich is an agent that emits events of all formats: what it does depends on the
// message.
var rich = qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
	switch turn.Text {
	case "panic":
		panic("secret of the developer")
	case "fail":
		qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: "There"})
		return qed.Answer{}, io.ErrUnexpectedEOF
	case "wait":
		qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: "There"})
		<-ctx.Done()
		return qed.Answer{}, ctx.Err()
	case "whose":
		return qed.Answer{Text: turn.Tenant + "/" + turn.User}, nil
	case "history":
		return qed.Answer{Text: encode(turn.History)}, nil
	case "ask", "approve":
	default:
		return richAnswer(ctx, turn)
	}
	if turn.Text == "ask" {
		crew, err := qed.Interrupt[string](ctx, question.Question{
			Text: "Which crew?", Choices: []question.Choice{{ID: "n", Text: "North"}, {ID: "s", Text: "South"}},
		})
		return qed.Answer{Text: "The crew is " + crew + "."}, err
	}
	done, err := qed.Approve(ctx, "Send this?", map[string]string{"to": "Rosa"})
	return qed.Answer{Text: string(done.Decision) + "d."}, err
})

func richAnswer(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
	qed.Emit(ctx, qed.RouteDecision{Route: "sql"})
	qed.Emit(ctx, qed.Token{Channel: qed.ChannelReasoning, Content: "Count them."})
	qed.Emit(ctx, qed.ToolStarted{Tool: "sql_agent", ID: "call_1", Arguments: json.RawMessage(`{"q":"count"}`)})
	qed.Emit(ctx, qed.QueryExecuted{Query: "SELECT count(*) FROM crew", Rows: 1})
	qed.Emit(ctx, qed.ToolFinished{Tool: "sql_agent", ID: "call_1", Result: `{"rows":1}`})
	qed.Emit(ctx, qed.ToolStarted{Tool: "broken"})
	qed.Emit(ctx, qed.ToolFinished{Tool: "broken", Error: "it does not work"})
	qed.Emit(ctx, qed.CustomEvent{Kind: "host.progress", JSON: json.RawMessage(`{"done":1}`)})
	qed.Emit(ctx, qed.Planned{Tasks: []qed.PlanTask{{Key: "count", Description: "count", Tool: "sql"}}})
	qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: "There"})
	qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: " are 10"})
	table := &qed.Table{Columns: []qed.Column{{Name: "name"}, {Name: "n"}, {Name: "n"}}}
	if err := table.Append("Rosa", 10, 9007199254740993); err != nil {
		return qed.Answer{}, err
	}
	a := qed.Answer{
		Text: "There are 10.", Table: table,
		Citations: []qed.Citation{{Title: "Manual", Location: "https://example.com/m"}, {Title: "Notes", Location: "notes.md"}},
		Artifacts: []qed.Artifact{{Name: "chart", MediaType: "application/json", Data: []byte("{}")}},
	}
	a.Usage.InputTokens, a.Usage.OutputTokens, a.Usage.Calls = 12, 3, 1
	return a, nil
}
