package modelcall_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"text/template"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/loading"
	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
)

// rows is a prompt's data of which rows and then columns can be left out.
type rows struct{ Lines, Columns string }

func (r *rows) ShrinkRows() bool { return modelcall.HalveLines(&r.Lines, 1) }
func (r *rows) Shrink() bool     { return modelcall.HalveLines(&r.Columns, 1) }

// What does not fit into the context is left out: first what the prompt can miss, and of
// the conversation what is oldest.
func TestRequestFits(t *testing.T) {
	lines := template.Must(template.New("p").Parse("{{.Lines}}"))
	line := strings.Repeat("word ", 10) + "\n"
	history := func(n int) (all []llm.Message) {
		for range n {
			all = append(all, llm.Message{Role: llm.RoleUser, Content: line})
		}
		return all
	}
	for name, test := range map[string]struct {
		context, reply int
		lines, said    int
		least, most    int // lines of the prompt
		kept           int // messages of the conversation, at least
		err            bool
	}{
		"all of it":         {context: 4096, lines: 20, said: 3, least: 20, most: 20, kept: 3},
		"fewer rows":        {context: 4096, lines: 2000, said: 0, least: 60, most: 300},
		"room for words":    {context: 4096, lines: 2000, said: 100, least: 60, most: 300, kept: 20},
		"all of a default":  {context: 0, lines: 2000, said: 100, least: 2000, most: 2000, kept: 100},
		"the least":         {context: 256, reply: 100, lines: 2000, least: 1, most: 12},
		"nothing fits":      {context: 256, reply: 250, lines: 2000, err: true},
		"a long reply":      {context: 4096, reply: 3000, lines: 2000, least: 15, most: 100},
		"as long as it can": {context: 8192, reply: 192, lines: 2000, least: 250, most: 700},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := modelcall.New("test", llmtest.New(), llm.Settings{ContextTokens: test.context, MaxOutputTokens: test.reply},
				func(m llm.Model) llm.Model { return m })
			if err != nil {
				t.Fatal(err)
			}
			m.MaxHistoryMessages = 1000
			req, err := m.Request("name", lines, &rows{Lines: strings.Repeat(line, test.lines)}, history(test.said))
			if test.err {
				if !errors.Is(err, llm.ErrContextLength) {
					t.Errorf("error %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(req.Messages[len(req.Messages)-1].Content, "\n"); n < test.least || n > test.most {
				t.Errorf("%d lines, want %d to %d", n, test.least, test.most)
			}
			if n := len(req.Messages) - 1; n < test.kept || n > test.said {
				t.Errorf("%d messages before, want %d to %d", n, test.kept, test.said)
			}
			if sent := llm.EstimateTokens(req) + req.MaxOutputTokens; test.context > 0 && sent > test.context*5/4 {
				t.Errorf("%d tokens for a context of %d", sent, test.context)
			}
		})
	}
}

func TestSettingsThatCannotBe(t *testing.T) {
	for name, s := range map[string]llm.Settings{
		"a negative context":    {ContextTokens: -1},
		"a context too small":   {ContextTokens: 100},
		"a reply that is all":   {ContextTokens: 1000, MaxOutputTokens: 1000},
		"more than can be":      {ContextTokens: 1 << 30},
		"a negative reply":      {MaxOutputTokens: -1},
		"a negative time limit": {ModelTimeout: -1},
		"a call without tokens": {CallTokens: map[string]int{"answer": 0}},
	} {
		if _, err := modelcall.New("test", llmtest.New(), s, func(m llm.Model) llm.Model { return m }); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// A kind of call has its own limit if that is lower.
func TestCallTokens(t *testing.T) {
	m, err := modelcall.New("test", llmtest.New(), llm.Settings{MaxOutputTokens: 500, CallTokens: map[string]int{"route": 30, "answer": 900}},
		func(m llm.Model) llm.Model { return m })
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{"route": 30, "answer": 500, "generate": 500} {
		if got := m.Send(name).MaxOutputTokens; got != want {
			t.Errorf("%s: %d tokens, want %d", name, got, want)
		}
	}
}

// What does not fit goes in this order: rows, the conversation, columns.
func TestOrderOfShrinking(t *testing.T) {
	both := template.Must(template.New("p").Parse("{{.Lines}}\n{{.Columns}}"))
	line := strings.Repeat("word ", 10) + "\n"
	for name, test := range map[string]struct {
		columns                     int
		allRows, allSaid, allOfThem bool
	}{
		"all":                   {10, true, true, true},
		"fewer rows":            {130, false, true, true},
		"no conversation":       {210, false, false, true},
		"in the end as columns": {420, false, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := modelcall.New("test", llmtest.New(), llm.Settings{ContextTokens: 4096}, func(m llm.Model) llm.Model { return m })
			if err != nil {
				t.Fatal(err)
			}
			m.MaxHistoryMessages = 100
			data := &rows{Lines: strings.Repeat("row "+line, 80), Columns: strings.Repeat("column "+line, test.columns)}
			req, err := m.Request("name", both, data, []llm.Message{{Role: llm.RoleUser, Content: strings.Repeat("said "+line, 20)}})
			if err != nil {
				t.Fatal(err)
			}
			text := req.Messages[len(req.Messages)-1].Content
			if got := strings.Count(text, "row "); (got == 80) != test.allRows {
				t.Errorf("%d rows", got)
			}
			if got := len(req.Messages) == 2; got != test.allSaid {
				t.Errorf("the conversation is kept: %v", got)
			}
			if got := strings.Count(text, "column "); (got == test.columns) != test.allOfThem {
				t.Errorf("%d columns", got)
			}
		})
	}
}

// What is the same for all questions stands before the conversation, so servers read it once.
func TestConversationInPrompt(t *testing.T) {
	user, assistant := llm.RoleUser, llm.RoleAssistant
	for name, test := range map[string]struct {
		prompt string
		said   []llm.Message
		want   []llm.Message
	}{
		"none": {"Rules.\n{{conversation}}\nQuestion.", nil, []llm.Message{{Role: user, Content: "Rules.\n\nQuestion."}}},
		"of the user": {"Rules.\n{{conversation}}\nQuestion.", []llm.Message{{Role: user, Content: "a"}, {Role: assistant, Content: "b"}},
			[]llm.Message{{Role: user, Content: "Rules.\n\nThe conversation before the question:\n\na"}, {Role: assistant, Content: "b"}, {Role: user, Content: "\nQuestion."}}},
		"of the assistant": {"Rules.\n{{conversation}}\nQuestion.", []llm.Message{{Role: assistant, Content: "b"}},
			[]llm.Message{{Role: user, Content: "Rules.\n"}, {Role: assistant, Content: "b"}, {Role: user, Content: "\nQuestion."}}},
		"the prompt does not say where": {"Rules. Question.", []llm.Message{{Role: user, Content: "a"}},
			[]llm.Message{{Role: user, Content: "a"}, {Role: user, Content: "Rules. Question."}}},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := modelcall.New("test", llmtest.New(), llm.Settings{}, func(m llm.Model) llm.Model { return m })
			if err != nil {
				t.Fatal(err)
			}
			m.MaxHistoryMessages = 100
			req, err := m.Request("name", template.Must(template.New("p").Funcs(prompt.Funcs()).Parse(test.prompt)), nil, test.said)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, req.Messages); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A choice may have as many tokens as its longest reply. A model that thinks has no such
// limit, whether its server reports the thoughts or not.
func TestChoiceIsLimited(t *testing.T) {
	type selection struct {
		Tables []string `json:"tables"`
		Reason string   `json:"reason,omitempty" jsonschema_description:"one sentence why"`
	}
	type free struct{ SQL string }
	usage := llm.Usage{OutputTokens: 10, Calls: 1}
	replied := func(resp llm.Response) func(*llm.Request) (*llm.Response, error) {
		return func(*llm.Request) (*llm.Response, error) {
			resp := resp
			resp.Usage.Add(usage)
			return &resp, nil
		}
	}
	cut := func(resp llm.Response) func(*llm.Request) (*llm.Response, error) {
		return func(r *llm.Request) (*llm.Response, error) {
			if r.MaxOutputTokens == 4000 {
				return replied(llm.Response{Message: llm.Message{Content: `{"tables":["a"]}`}})(r)
			}
			resp := resp
			resp.Usage.Add(usage)
			resp.FinishReason = llm.FinishLength
			return nil, &llm.Error{Kind: llm.ErrTruncated, Partial: &resp}
		}
	}
	text := llm.Response{Message: llm.Message{Content: `{"tables":["a"]}`}}
	for name, test := range map[string]struct {
		model  func(*llm.Request) (*llm.Response, error)
		limits []bool // of the requests of two calls
		err    bool
	}{
		"a plain model":        {replied(text), []bool{true, true}, false},
		"reasoning is counted": {replied(llm.Response{Message: text.Message, Usage: llm.Usage{ReasoningTokens: 5}}), []bool{true, false}, false},
		"reasoning is a part": {replied(llm.Response{Message: llm.Message{Content: text.Message.Content, Parts: []llm.Part{{Type: llm.PartReasoning}}}}),
			[]bool{true, false}, false},
		"thoughts reach the limit":         {cut(llm.Response{}), []bool{true, false, false}, false},
		"a repetition reaches it":          {cut(llm.Response{Message: llm.Message{Content: `{"tables":[` + strings.Repeat(`"a",`, 200)}}), []bool{true, true, true, true}, true},
		"thoughts that nobody counts":      {cut(llm.Response{Message: llm.Message{Content: `{"tables":["a"`}}), []bool{true, false, false}, false},
		"a part of the reply and thoughts": {cut(llm.Response{Message: llm.Message{Content: `{`}, Usage: llm.Usage{ReasoningTokens: 5}}), []bool{true, false, false}, false},
	} {
		t.Run(name, func(t *testing.T) {
			var limits []bool
			model := llm.ModelFunc(func(_ context.Context, req *llm.Request, _ func(llm.Delta)) (*llm.Response, error) {
				limits = append(limits, req.MaxOutputTokens < 1000)
				return test.model(req)
			})
			var usage llm.Usage
			m, err := modelcall.New("test", model, llm.Settings{}, paidInto(&usage))
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				_, err := modelcall.Choose[selection](t.Context(), m, m.Send("select"), map[string]llm.Choice{"tables": {Texts: []string{"a", "b"}}})
				if (err != nil) != test.err {
					t.Errorf("error %v", err)
				}
			}
			if diff := cmp.Diff(test.limits, limits); diff != "" {
				t.Errorf("limited: %s", diff)
			}
			if usage.Calls != len(limits) || usage.OutputTokens != 10*len(limits) {
				t.Errorf("%d requests and the usage %+v", len(limits), usage)
			}
			limits = nil
			if _, err := modelcall.Object[free](t.Context(), m, m.Send("generate")); err == nil || slices.Contains(limits, true) {
				t.Errorf("a text of any length is limited: %v, %v", limits, err)
			}
		})
	}
}

// paidInto returns a wrapper of models that adds the usage of their calls, as
// qed.DurableModel does.
func paidInto(usage *llm.Usage) func(llm.Model) llm.Model {
	return func(m llm.Model) llm.Model {
		return llm.Wrap(m, llm.Trace(func(_ context.Context, c llm.Call) {
			if failed, ok := errors.AsType[*llm.Error](c.Err); ok {
				c.Response = failed.Partial
			}
			if c.Response != nil {
				usage.Add(c.Response.Usage)
			}
		}))
	}
}

// The first of two requests for a choice is paid for, also if the second one fails.
func TestChoiceThatFailsIsPaid(t *testing.T) {
	first := llm.Response{Usage: llm.Usage{OutputTokens: 10, ReasoningTokens: 9, Calls: 1}}
	calls := 0
	model := llm.ModelFunc(func(context.Context, *llm.Request, func(llm.Delta)) (*llm.Response, error) {
		if calls++; calls == 1 {
			return nil, &llm.Error{Kind: llm.ErrTruncated, Partial: &first}
		}
		return nil, &llm.Error{Kind: llm.ErrTimeout}
	})
	var paid llm.Usage
	m, err := modelcall.New("test", model, llm.Settings{}, paidInto(&paid))
	if err != nil {
		t.Fatal(err)
	}
	type selection struct {
		Tables []string `json:"tables"`
	}
	_, err = modelcall.Choose[selection](t.Context(), m, m.Send("select"), map[string]llm.Choice{"tables": {Texts: []string{"a"}}})
	if diff := cmp.Diff(first.Usage, paid); diff != "" || !errors.Is(err, llm.ErrTimeout) || calls != 2 {
		t.Errorf("%d calls, %v, paid (-want +got):\n%s", calls, err, diff)
	}
}

// The time in which a server loads its model is not the model's.
func TestTimeWhileLoading(t *testing.T) {
	const limit = 600 * time.Millisecond // a pause of half of it may take longer on a busy machine
	for name, test := range map[string]struct {
		pauses  int
		restart bool
		late    bool
	}{
		"a slow model":       {4, false, true},
		"a model that loads": {4, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			slow := llm.ModelFunc(func(ctx context.Context, _ *llm.Request, _ func(llm.Delta)) (*llm.Response, error) {
				for range test.pauses {
					select {
					case <-ctx.Done():
						return nil, ctx.Err()
					case <-time.After(limit / 2):
					}
					if test.restart {
						loading.Restart(ctx)
					}
				}
				return &llm.Response{Message: llm.Message{Content: "yes"}}, nil
			})
			m, err := modelcall.New("test", slow, llm.Settings{ModelTimeout: limit}, func(m llm.Model) llm.Model { return m })
			if err != nil {
				t.Fatal(err)
			}
			_, err = m.Text(t.Context(), m.Send("name"), func(llm.Delta) {})
			if errors.Is(err, llm.ErrTimeout) != test.late || errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
		})
	}
}
