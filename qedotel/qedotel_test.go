package qedotel_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/qedotel"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/rag"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/toolagent"
)

var client = qedotel.Client{Provider: "scripted", Model: "m1"}

// A recording has what was recorded.
type recording struct {
	*qedotel.Telemetry
	spans  *tracetest.SpanRecorder
	reader *metric.ManualReader
}

func record(tb testing.TB, content bool) *recording {
	tb.Helper()
	r := &recording{spans: tracetest.NewSpanRecorder(), reader: metric.NewManualReader()}
	var err error
	r.Telemetry, err = qedotel.New(&qedotel.Options{
		Traces:  trace.NewTracerProvider(trace.WithSpanProcessor(r.spans)),
		Metrics: metric.NewMeterProvider(metric.WithReader(r.reader)),
		Content: content,
	})
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// tree returns the names of the spans, each below its parent, and checks that each
// span is over and within its parent's time.
func (r *recording) tree(tb testing.TB) string {
	tb.Helper()
	if began, ended := len(r.spans.Started()), len(r.spans.Ended()); began != ended {
		tb.Errorf("%d spans began and %d ended", began, ended)
	}
	below := map[string][]trace.ReadOnlySpan{}
	for _, s := range r.spans.Ended() {
		parent := ""
		if s.Parent().IsValid() {
			parent = s.Parent().SpanID().String()
		}
		below[parent] = append(below[parent], s)
	}
	var b strings.Builder
	var write func(parent trace.ReadOnlySpan, id, indent string)
	write = func(parent trace.ReadOnlySpan, id, indent string) {
		spans := below[id]
		slices.SortStableFunc(spans, func(a, b trace.ReadOnlySpan) int { return a.StartTime().Compare(b.StartTime()) })
		for _, s := range spans {
			if parent != nil && (s.StartTime().Before(parent.StartTime()) || s.EndTime().After(parent.EndTime())) {
				tb.Errorf("%s is not within the time of %s", s.Name(), parent.Name())
			}
			b.WriteString(indent + s.Name())
			for _, e := range s.Events() {
				b.WriteString(" +" + e.Name)
			}
			if s.Status().Code.String() == "Error" {
				b.WriteString(" !" + s.Status().Description)
			}
			b.WriteString("\n")
			write(s, s.SpanContext().SpanID().String(), indent+"  ")
		}
	}
	write(nil, "", "")
	return b.String()
}

// metrics returns the points of all metrics as "name{attributes} number of values".
func (r *recording) metrics(tb testing.TB) []string {
	tb.Helper()
	var all metricdata.ResourceMetrics
	if err := r.reader.Collect(context.Background(), &all); err != nil {
		tb.Fatal(err)
	}
	var out []string
	add := func(name string, set attribute.Set, n any) {
		out = append(out, fmt.Sprintf("%s{%s} %v", name, set.Encoded(attribute.DefaultEncoder()), n))
	}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			switch d := m.Data.(type) {
			case metricdata.Sum[int64]:
				for _, p := range d.DataPoints {
					add(m.Name, p.Attributes, p.Value)
				}
			case metricdata.Sum[float64]:
				for _, p := range d.DataPoints {
					add(m.Name, p.Attributes, p.Value)
				}
			case metricdata.Histogram[int64]:
				for _, p := range d.DataPoints {
					add(m.Name, p.Attributes, p.Sum)
				}
			case metricdata.Histogram[float64]: // times differ
				for _, p := range d.DataPoints {
					add(m.Name, p.Attributes, fmt.Sprint(p.Count, " values"))
				}
			default:
				tb.Fatalf("%s: %T", m.Name, d)
			}
		}
	}
	slices.Sort(out)
	return out
}

func ask(tb testing.TB, agent qed.Agent, text string) (qed.Answer, error) {
	tb.Helper()
	return qed.Ask(tb.Context(), agent, qed.Turn{Thread: "t1", Text: text})
}

// documents returns a tool that searches one document.
func documents(tb testing.TB) qed.Tool {
	tb.Helper()
	index, err := rag.NewIndex(rag.NewMemory(), nil)
	if err != nil {
		tb.Fatal(err)
	}
	if err := index.Put(tb.Context(), []rag.Chunk{{Document: "a.md", Text: "A cancelled order stays cancelled."}}); err != nil {
		tb.Fatal(err)
	}
	tool, err := rag.NewTool(index, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return tool
}

func TestToolLoop(t *testing.T) {
	r := record(t, false)
	search := documents(t)
	// A tool that reads a database and asks a model of its own.
	helper := llm.Wrap(llmtest.New(llmtest.Rule{Replies: []llmtest.Reply{{Text: "SELECT 1"}}}), r.Model(client))
	query := qed.NewTool("count_orders", "Counts orders.", func(ctx context.Context, _ struct{}) (int, error) {
		if _, err := llm.GenerateText(ctx, helper, "write SQL"); err != nil {
			return 0, err
		}
		qed.Emit(ctx, qed.QueryWritten{Language: "sql", Query: "SELECT 'Ann'", Attempt: 1})
		qed.Emit(ctx, qed.QueryRefused{Query: "SELECT 'Ann'", Code: "no_table", Message: "m"})
		qed.Emit(ctx, qed.QueryWritten{Language: "sql", Query: "SELECT 1", Attempt: 2, Reason: "m"})
		qed.Emit(ctx, qed.QueryExecuted{Query: "SELECT 1", Rows: 1})
		return 1, nil
	})
	broken := qed.NewTool("broken", "Fails.", func(context.Context, struct{}) (int, error) {
		return 0, errors.New("Ann's order is secret")
	})
	calls := func(names ...string) []llm.ToolCall {
		var out []llm.ToolCall
		for i, name := range names {
			arguments := "{}"
			if name == search.Name {
				arguments = `{"query":"cancelled order"}`
			}
			out = append(out, llm.ToolCall{ID: fmt.Sprint(name, i), Name: name, Arguments: json.RawMessage(arguments)})
		}
		return out
	}
	model := llm.Wrap(llmtest.New(llmtest.Rule{Replies: []llmtest.Reply{
		{ToolCalls: calls("count_orders", search.Name)},
		{ToolCalls: calls("broken")},
		{Text: "One order."},
	}}), r.Model(client))
	agent, err := toolagent.New(model, qed.NewRegistry(nil, search, query, broken), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ask(t, r.Agent("orders", agent), "How many orders has Ann?"); err != nil {
		t.Fatal(err)
	}

	want := "invoke_agent orders\n" +
		"  chat m1\n" +
		"  execute_tool count_orders +qed.query_refused +qed.query_written\n" +
		"    chat m1\n" +
		"    query\n" +
		"  execute_tool " + search.Name + "\n" +
		"    retrieval\n" +
		"  chat m1\n" +
		"  execute_tool broken !\n" +
		"  chat m1\n"
	if diff := cmp.Diff(want, r.tree(t)); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
	for _, s := range r.spans.Ended() {
		text := fmt.Sprint(s.Name(), s.Attributes(), s.Events(), s.Status())
		for _, secret := range []string{"Ann", "SELECT", "cancelled"} {
			if strings.Contains(text, secret) {
				t.Errorf("a span has the text %q: %s", secret, text)
			}
		}
	}
	got := r.metrics(t)
	for _, want := range []string{
		"gen_ai.client.operation.duration{gen_ai.operation.name=chat,gen_ai.provider.name=scripted,gen_ai.request.model=m1} 4 values",
		"qed.queries.corrected{gen_ai.agent.name=orders} 1",
		"qed.queries.refused{gen_ai.agent.name=orders,qed.code=no_table} 1",
		"qed.query.duration{gen_ai.agent.name=orders} 1 values",
		"qed.tool.duration{error.type=_OTHER,gen_ai.agent.name=orders,gen_ai.tool.name=broken} 1 values",
		"qed.tool.duration{gen_ai.agent.name=orders,gen_ai.tool.name=count_orders} 1 values",
		"qed.turn.duration{gen_ai.agent.name=orders,qed.outcome=completed} 1 values",
		"qed.turn.model_calls{gen_ai.agent.name=orders} 4",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("no metric %s in\n%s", want, strings.Join(got, "\n"))
		}
	}
}

// graph returns an agent whose graph repeats a node and runs two branches; all of
// them ask the model.
func graph(tb testing.TB, model llm.Model) qed.Agent {
	tb.Helper()
	asks := func(ctx context.Context) error {
		_, err := llm.GenerateText(ctx, model, "go on")
		return err
	}
	var attempts atomic.Int64
	g := qed.NewGraph[int]("work")
	g.Node("first", func(ctx context.Context, s int) (int, error) {
		if err := asks(ctx); err != nil {
			return s, err
		}
		if attempts.Add(1) == 1 {
			return s, errors.New("not yet")
		}
		return s, nil
	}, &qed.NodeOptions{Attempts: 2})
	branch := func(name string) qed.Branch[int, int] {
		return qed.Branch[int, int]{Name: name, Run: func(ctx context.Context, s int) (int, error) { return s, asks(ctx) }}
	}
	qed.FanOut(g, "each", func(s int, _ []int) (int, error) { return s, nil }, branch("a"), branch("b"))
	g.Edge(qed.Start, "first")
	g.Edge("first", "each")
	g.Edge("each", qed.End)
	runner, err := g.Compile(nil)
	if err != nil {
		tb.Fatal(err)
	}
	return qed.NewAgent(runner, func(_ context.Context, s int, _ qed.Turn) (int, error) { return s, nil },
		func(context.Context, int) (qed.Answer, error) { return qed.Answer{Text: "done"}, nil }, nil)
}

func TestGraph(t *testing.T) {
	r := record(t, false)
	model := llm.ModelFunc(func(context.Context, *llm.Request, func(llm.Delta)) (*llm.Response, error) {
		return &llm.Response{Message: llm.Message{Role: llm.RoleAssistant, Content: "yes"}, FinishReason: llm.FinishStop, Model: "m1",
			Usage: llm.Usage{InputTokens: 1000, OutputTokens: 10, Calls: 1}}, nil
	})
	priced := llm.Wrap(model, r.Model(client), llm.Prices(map[string]llm.Price{"m1": {Input: 1000, Output: 1000}}))
	if _, err := ask(t, r.Agent("worker", graph(t, priced)), "go"); err != nil {
		t.Fatal(err)
	}
	want := `invoke_agent worker
  node first !
    chat m1
  node first
    chat m1
  node each
    node a
      chat m1
    node b
      chat m1
`
	got := r.tree(t)
	if strings.Index(got, "node b") < strings.Index(got, "node a") { // they run at the same time
		got = strings.NewReplacer("node a", "node b", "node b", "node a").Replace(got)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
	for _, s := range r.spans.Ended() {
		if strings.HasPrefix(s.Name(), "chat") && attr(s, "qed.cost") != "1.01" {
			t.Errorf("%s has the cost %q", s.Name(), attr(s, "qed.cost"))
		}
	}
	metrics := r.metrics(t)
	for _, want := range []string{
		"gen_ai.client.token.usage{gen_ai.operation.name=chat,gen_ai.provider.name=scripted,gen_ai.request.model=m1,gen_ai.token.type=input} 4000",
		"gen_ai.client.token.usage{gen_ai.operation.name=chat,gen_ai.provider.name=scripted,gen_ai.request.model=m1,gen_ai.token.type=output} 40",
		"qed.cost{gen_ai.operation.name=chat,gen_ai.provider.name=scripted,gen_ai.request.model=m1} 4.04",
	} {
		if !slices.Contains(metrics, want) {
			t.Errorf("no metric %s in\n%s", want, strings.Join(metrics, "\n"))
		}
	}
}

// How a turn ends is its outcome, in whatever way it ends.
func TestOutcomes(t *testing.T) {
	answer := func(a qed.Answer, err error) qed.Agent {
		return qed.AgentFunc(func(context.Context, qed.Turn) (qed.Answer, error) { return a, err })
	}
	for name, test := range map[string]struct {
		agent qed.Agent
		want  string
	}{
		"completed": {answer(qed.Answer{Text: "yes"}, nil), "qed.outcome=completed"},
		"partial":   {answer(qed.Answer{Text: "yes", Partial: true, PartialReason: "why"}, nil), "qed.outcome=partial"},
		"interrupted": {qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
			_, err := qed.Interrupt[string](ctx, question.Question{Kind: question.KindText, Text: "which?"})
			return qed.Answer{}, err
		}), "qed.outcome=interrupted"},
		"failed":   {answer(qed.Answer{}, &llm.Error{Kind: llm.ErrQuota}), "error.type=model_quota,gen_ai.agent.name=a,qed.outcome=failed"},
		"other":    {answer(qed.Answer{}, errors.New("secret")), "error.type=*errors.errorString,gen_ai.agent.name=a,qed.outcome=failed"},
		"canceled": {answer(qed.Answer{}, context.Canceled), "error.type=canceled,gen_ai.agent.name=a,qed.outcome=failed"},
		"panic": {qed.AgentFunc(func(context.Context, qed.Turn) (qed.Answer, error) { panic("secret") }),
			"error.type=*qed.PanicError,gen_ai.agent.name=a,qed.outcome=failed"},
	} {
		t.Run(name, func(t *testing.T) {
			r := record(t, false)
			st := &store.InMemory{}
			ask(t, r.Agent("a", qed.Durable(test.agent, st, nil)), "go")
			r.tree(t)
			if all := strings.Join(r.metrics(t), "\n"); !strings.Contains(all, test.want+"}") || strings.Contains(all, "secret") {
				t.Errorf("no %s in\n%s", test.want, all)
			}
		})
	}
	t.Run("abandoned", func(t *testing.T) {
		r := record(t, false)
		for range r.Agent("a", graph(t, llmtest.New())).Run(t.Context(), qed.Turn{Text: "go"}) {
			break
		}
		r.tree(t)
		if all := strings.Join(r.metrics(t), "\n"); !strings.Contains(all, "qed.outcome=abandoned") {
			t.Errorf("no abandoned turn in\n%s", all)
		}
	})
}

// Outside of a recorded turn a call has a span of its own.
func TestCallsWithoutTurn(t *testing.T) {
	r := record(t, false)
	model := llm.Wrap(llmtest.New(), r.Model(client))
	if _, err := llm.GenerateText(t.Context(), model, "who is Ann?"); err == nil {
		t.Fatal("the model has no reply")
	}
	embedder := r.Embedder(llm.EmbedderFunc(func(_ context.Context, texts []string) ([][]float32, error) {
		return make([][]float32, len(texts)), nil
	}), qedotel.Client{Model: "e1"})
	if _, err := embedder.Embed(t.Context(), []string{"some text"}); err != nil {
		t.Fatal(err)
	}
	if got, want := r.tree(t), "chat m1 !*fmt.wrapError\nembeddings e1\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestContent(t *testing.T) {
	for _, content := range []bool{true, false} {
		r := record(t, content)
		agent := qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
			qed.Emit(ctx, qed.QueryExecuted{Query: "SELECT 'Ann'", Rows: 1})
			return qed.Answer{Text: "one"}, nil
		})
		if _, err := ask(t, r.Agent("a", agent), "Where is Ann?"); err != nil {
			t.Fatal(err)
		}
		for _, s := range r.spans.Ended() {
			if got := strings.Contains(fmt.Sprint(s.Attributes()), "Ann"); got != content {
				t.Errorf("Content %v: %s has %v", content, s.Name(), s.Attributes())
			}
		}
	}
}

// The dashboard asks for metrics that exist, by the names that Prometheus gives them.
func TestDashboard(t *testing.T) {
	raw, err := os.ReadFile("dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(raw, &board); err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("qedotel.go")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^//\t((?:qed|gen_ai)\.[a-z_.]+) `).FindAllStringSubmatch(string(doc), -1) {
		known[strings.ReplaceAll(m[1], ".", "_")] = true
	}
	asked := map[string]bool{}
	suffix := regexp.MustCompile(`_(seconds|total|bucket|sum|count)$`)
	for _, panel := range board.Panels {
		for _, target := range panel.Targets {
			for _, name := range regexp.MustCompile(`\b(qed|gen_ai)_[a-z_]+`).FindAllString(target.Expr, -1) {
				if strings.HasPrefix(name, "gen_ai_agent") || strings.HasPrefix(name, "gen_ai_tool_name") ||
					strings.HasPrefix(name, "gen_ai_request") || strings.HasPrefix(name, "gen_ai_token_type") ||
					name == "qed_outcome" || name == "qed_code" {
					continue // labels
				}
				for suffix.MatchString(name) {
					name = suffix.ReplaceAllString(name, "")
				}
				if asked[name] = true; !known[name] {
					t.Errorf("%s: there is no metric %s", panel.Title, name)
				}
			}
		}
	}
	for name := range known {
		if !asked[name] {
			t.Errorf("no panel shows %s", name)
		}
	}
}
