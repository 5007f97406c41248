package qedotel_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/toolagent"
)

func attr(s trace.ReadOnlySpan, key string) string {
	for _, a := range s.Attributes() {
		if string(a.Key) == key {
			return a.Value.String()
		}
	}
	return ""
}

// What calls of one tool do at the same time is below the call that did it, also in
// the branches of a graph within it.
func TestParallelCalls(t *testing.T) {
	const calls = 4
	r := record(t, true)
	helper := llm.Wrap(llm.ModelFunc(func(_ context.Context, req *llm.Request, _ func(llm.Delta)) (*llm.Response, error) {
		return &llm.Response{Message: llm.Message{Role: llm.RoleAssistant, Content: "yes"}, FinishReason: llm.FinishStop, Model: "m1",
			Usage: llm.Usage{InputTokens: len(req.Messages[0].Content), Calls: 1}}, nil
	}), r.Model(client))
	g := qed.NewGraph[int]("work")
	branch := func(name string) qed.Branch[int, int] {
		return qed.Branch[int, int]{Name: name, Run: func(ctx context.Context, n int) (int, error) {
			if _, err := llm.GenerateText(ctx, helper, strings.Repeat("x", n+1)); err != nil {
				return n, err
			}
			qed.Emit(ctx, qed.QueryWritten{Language: "sql", Query: fmt.Sprint(n), Attempt: 2, Reason: "m"})
			qed.Emit(ctx, qed.QueryExecuted{Query: fmt.Sprint(n), Rows: n})
			return n, nil
		}}
	}
	qed.FanOut(g, "each", func(n int, _ []int) (int, error) { return n, nil }, branch("a"), branch("b"))
	g.Edge(qed.Start, "each")
	g.Edge("each", qed.End)
	runner, err := g.Compile(nil)
	if err != nil {
		t.Fatal(err)
	}
	all := make(chan struct{})
	began := make(chan struct{}, calls)
	go func() {
		for range calls {
			<-began
		}
		close(all)
	}()
	count := qed.NewTool("count", "Counts.", func(ctx context.Context, in struct {
		N int `json:"n"`
	}) (int, error) {
		began <- struct{}{}
		<-all // every call has begun
		qed.Emit(ctx, qed.QueryExecuted{Query: fmt.Sprint(in.N), Rows: in.N})
		n, err := runner.Run(ctx, in.N)
		if err == nil && in.N == 3 {
			err = errors.New("secret")
		}
		return n, err
	})
	count.Idempotent = true // so that they run at the same time
	var wanted []llm.ToolCall
	for n := range calls {
		wanted = append(wanted, llm.ToolCall{ID: fmt.Sprint("call", n), Name: "count", Arguments: json.RawMessage(fmt.Sprintf(`{"n":%d}`, n))})
	}
	model := llm.Wrap(llmtest.New(llmtest.Rule{Replies: []llmtest.Reply{{ToolCalls: wanted}, {Text: "done"}}}), r.Model(client))
	agent, err := toolagent.New(model, qed.NewRegistry(nil, count), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ask(t, r.Agent("counter", agent), "count"); err != nil {
		t.Fatal(err)
	}
	r.tree(t) // the times
	parents, byID := map[string]trace.ReadOnlySpan{}, map[string]trace.ReadOnlySpan{}
	for _, s := range r.spans.Ended() {
		byID[s.SpanContext().SpanID().String()] = s
	}
	for id, s := range byID {
		parents[id] = byID[s.Parent().SpanID().String()]
	}
	callOf := func(s trace.ReadOnlySpan) string {
		for s != nil && attr(s, "gen_ai.tool.call.id") == "" {
			s = parents[s.SpanContext().SpanID().String()]
		}
		if s == nil {
			return ""
		}
		return attr(s, "gen_ai.tool.call.id")
	}
	queries, chats, corrections := 0, 0, 0
	for _, s := range byID {
		switch {
		case s.Name() == "query":
			queries++
			if got, want := callOf(s), "call"+attr(s, "db.response.returned_rows"); got != want {
				t.Errorf("a query of %s is below %q", want, got)
			}
		case strings.HasPrefix(s.Name(), "chat") && parents[s.SpanContext().SpanID().String()].Name() != "invoke_agent counter":
			chats++
			var n int
			fmt.Sscan(attr(s, "gen_ai.usage.input_tokens"), &n)
			if got, want := callOf(s), fmt.Sprint("call", n-1); got != want {
				t.Errorf("a model's call of %s is below %q", want, got)
			}
		case s.Name() == "node a" || s.Name() == "node b":
			for _, e := range s.Events() {
				if e.Name == "qed.query_written" {
					corrections++
				}
			}
		case attr(s, "gen_ai.tool.call.id") == "call3":
			if attr(s, "error.type") == "" {
				t.Error("the failed call has no error.type")
			}
		}
	}
	if queries != 3*calls || chats != 2*calls || corrections != 2*calls {
		t.Errorf("%d queries, %d calls of models and %d corrections have spans of their calls", queries, chats, corrections)
	}
}

// Names of tools that a model invents are one value of metrics and of spans, and
// codes without end are a bounded number.
func TestFewLabels(t *testing.T) {
	r := record(t, false)
	var replies []llmtest.Reply
	for i := range 30 {
		replies = append(replies, llmtest.Reply{ToolCalls: []llm.ToolCall{
			{ID: fmt.Sprint("c", i), Name: fmt.Sprint("invented_", i), Arguments: json.RawMessage(`{}`)},
		}})
	}
	known := qed.NewTool("known", "Fails.", func(ctx context.Context, _ struct{}) (int, error) {
		for i := range 1000 {
			qed.Emit(ctx, qed.Warning{Code: fmt.Sprint("code_", i, strings.Repeat("x", 1000)), Message: "m"})
			qed.Emit(ctx, qed.QueryRefused{Query: "q", Code: fmt.Sprint("code_", i), Message: "m"})
		}
		return 0, nil
	})
	replies = append(replies, llmtest.Reply{ToolCalls: []llm.ToolCall{{ID: "k", Name: "known", Arguments: json.RawMessage(`{}`)}}},
		llmtest.Reply{Text: "done"})
	model := llm.Wrap(llmtest.New(llmtest.Rule{Replies: replies}), r.Model(client))
	agent, err := toolagent.New(model, qed.NewRegistry(nil, known), &toolagent.Options{MaxSteps: 50})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ask(t, r.Agent("a", agent), "go"); err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, line := range r.metrics(t) {
		name, _, _ := strings.Cut(line, "{")
		count[name]++
		if strings.Contains(line, "invented") || len(line) > 500 {
			t.Error(line)
		}
	}
	if count["qed.tool.duration"] != 2 || count["qed.warnings"] > 201 || count["qed.queries.refused"] > 201 {
		t.Errorf("series: %v", count)
	}
	all := r.metrics(t)
	if !slices.ContainsFunc(all, func(line string) bool { return strings.Contains(line, "gen_ai.tool.name=known} 1 values") }) {
		t.Errorf("the tool that exists is not named in\n%s", strings.Join(all, "\n"))
	}
	for _, s := range r.spans.Ended() {
		if strings.Contains(s.Name(), "invented") {
			t.Error(s.Name())
		}
	}
}
