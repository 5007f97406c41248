package runtimetest_test

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
)

type addIn struct {
	A int64 `json:"a" jsonschema_description:"the first"`
	B int64 `json:"b,omitempty"`
}

func addTool() qed.Tool {
	t := qed.NewTool("add", "adds two numbers", func(_ context.Context, in addIn) (int64, error) { return in.A + in.B, nil })
	t.Idempotent = true
	return t
}

func registry(t testing.TB, opt *qed.RegistryOptions, tools ...qed.Tool) *qed.Registry {
	t.Helper()
	r := qed.NewRegistry(opt)
	if err := r.Add(tools...); err != nil {
		t.Fatal(err)
	}
	return r
}

// agentTool returns an agent as a tool, made as a host makes one.
func agentTool(name string, a qed.Agent) qed.Tool {
	type input struct {
		Question string `json:"question"`
	}
	type output struct {
		Text string `json:"text"`
	}
	t := qed.NewTool(name, "answers", func(ctx context.Context, in input) (output, error) {
		turn := qed.Info(ctx).Turn
		answer, err := qed.Ask(ctx, a, qed.Turn{Text: in.Question, User: turn.User, Tenant: turn.Tenant})
		return output{answer.Text}, err
	})
	t.Interrupts, t.Nested = true, true
	return t
}

func call(name, arguments string) llm.ToolCall {
	return llm.ToolCall{ID: "1", Name: name, Arguments: json.RawMessage(arguments)}
}

// nothing is a tool that does f.
func nothing(name string, f func(context.Context) error) qed.Tool {
	return qed.NewTool(name, "", func(ctx context.Context, _ struct{}) (string, error) { return "done", f(ctx) })
}

func TestDo(t *testing.T) {
	boom := errors.New("boom")
	byHand := qed.Tool{
		Name:  "hand",
		Input: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer","minimum":1}},"required":["n"]}`),
		Call:  func(_ context.Context, raw json.RawMessage) (json.RawMessage, error) { return raw, nil },
	}
	returns := func(name, text string) qed.Tool {
		return qed.Tool{Name: name, Call: func(context.Context, json.RawMessage) (json.RawMessage, error) { return json.RawMessage(text), nil }}
	}
	strict := qed.Tool{
		Name: "strict",
		Input: json.RawMessage(`{"type":"object","properties":{"port":{"type":"string"},"limit":{"type":"integer"}},
			"required":["port"],"additionalProperties":false}`),
		Call: byHand.Call,
	}
	r := registry(t, &qed.RegistryOptions{MaxResult: 20}, addTool(), byHand, strict,
		nothing("fails", func(context.Context) error { return boom }),
		nothing("panics", func(context.Context) error { panic(boom) }),
		nothing("exits", func(context.Context) error { runtime.Goexit(); return nil }),
		returns("large", `"`+strings.Repeat("x", 30)+`"`), returns("broken", "{"), returns("empty", ""))
	for name, test := range map[string]struct {
		call    llm.ToolCall
		want    string // the output, or
		wantErr string // what the error says
	}{
		"works":             {call("add", `{"a":9007199254740993,"b":1}`), "9007199254740994", ""},
		"optional":          {call("add", `{"a":1,"b":null}`), "1", ""},
		"by hand":           {call("hand", `{"n":1}`), `{"n":1}`, ""},
		"no arguments":      {call("fails", ``), "", "boom"},
		"missing argument":  {call("add", `{}`), "", "a"},
		"wrong argument":    {call("add", `{"a":"1"}`), "", "/a"},
		"unknown argument":  {call("add", `{"a":1,"c":1}`), "", "c"},
		"no JSON":           {call("add", `{"a":`), "", "JSON"},
		"wrong by hand":     {call("hand", `{"n":0}`), "", "/n: is too small, want at least 1"},
		"all that is wrong": {call("strict", `{"prt":"x","limit":"a"}`), "", "/port: is missing; /limit: is string, want integer; /prt: is unknown; did you mean port? Known are limit, port"},
		"null for nothing":  {call("strict", `{"port":"x","limit":null}`), `{"port":"x"}`, ""},
		"no JSON by hand":   {call("hand", `{`), "", "JSON"},
		"none are taken":    {call("large", `{"a":1}`), "", "arguments"},
		"failure":           {call("fails", `{}`), "", "boom"},
		"panic":             {call("panics", `{}`), "", "tool panics: panic: boom"},
		"goexit":            {call("exits", `{}`), "", "goroutine"},
		"too large":         {call("large", `{}`), "", "the limit is 20"},
		"no JSON out":       {call("broken", `{}`), "", "not valid JSON"},
		"nothing out":       {call("empty", `{}`), "", "not valid JSON"},
		"nearly a name":     {call("Ad", `{}`), "", "did you mean add?"},
		"no name":           {call("something else", `{}`), "", "The tools are add, broken"},
		"a very long name":  {call(strings.Repeat("x", 1<<20), `{}`), "", "there is no tool"},
	} {
		t.Run(name, func(t *testing.T) {
			noLeak(t)
			got, err := r.Do(t.Context(), test.call)
			if err != nil {
				t.Fatal(err)
			}
			if test.wantErr == "" {
				if got[0].Err != nil || string(got[0].Output) != test.want {
					t.Errorf("got %s, %v", got[0].Output, got[0].Err)
				}
				return
			}
			if got[0].Err == nil || !strings.Contains(got[0].Err.Error(), test.wantErr) || got[0].Output != nil {
				t.Fatalf("got %s, %v", got[0].Output, got[0].Err)
			}
			if m := got[0].Message(); m.ToolCallID != "1" || m.Role != llm.RoleTool || !strings.HasPrefix(m.Content, "error: ") || len(m.Content) > 2100 {
				t.Errorf("the model reads %d bytes: %.100s", len(m.Content), m.Content)
			}
		})
	}
	if got, err := r.Do(t.Context()); len(got) != 0 || err != nil {
		t.Errorf("no calls: %v, %v", got, err)
	}
}

func TestAddRefuses(t *testing.T) {
	call := func(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, nil }
	for name, tools := range map[string][]qed.Tool{
		"twice":            {addTool(), addTool()},
		"taken":            {{Name: "taken", Call: call}},
		"no name":          {{Call: call}},
		"a bad name":       {{Name: "a b", Call: call}},
		"a long name":      {{Name: strings.Repeat("a", 65), Call: call}},
		"no call":          {{Name: "a"}},
		"no schema":        {{Name: "a", Call: call, Input: json.RawMessage(`{"type":1}`)}},
		"schema elsewhere": {{Name: "a", Call: call, Input: json.RawMessage(`{"$ref":"https://example.com/a"}`)}},
		"no object":        {qed.NewTool("a", "", func(context.Context, int) (int, error) { return 0, nil })},
		"no JSON":          {qed.NewTool("a", "", func(context.Context, struct{ F func() }) (int, error) { return 0, nil })},
		"no function":      {qed.NewTool[addIn, int]("a", "", nil)},
		"an error":         {{Name: "a", Call: call, Err: errors.New(`tool "a" needs an agent`)}},
		"no such kind":     {{Name: "a", Call: call, Kind: "wild"}},
		"an endless check": {{Name: "a", Call: call, Input: json.RawMessage(`{"type":"object","anyOf":[{"$ref":"#"}]}`)}},
	} {
		r := registry(t, nil, qed.Tool{Name: "taken", Call: call})
		if err := r.Add(append([]qed.Tool{{Name: "good", Call: call}}, tools...)...); err == nil {
			t.Errorf("%s: added", name)
		} else if name != "no name" && !strings.Contains(err.Error(), `"`+tools[0].Name) {
			t.Errorf("%s: the error names no tool: %v", name, err)
		}
		if n := len(r.Specs()); n != 1 {
			t.Errorf("%s: %d tools", name, n)
		}
	}
}

func TestAddTakesEveryKind(t *testing.T) {
	call := func(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, nil }
	for _, kind := range []qed.ToolKind{"", qed.CoreTool, qed.ModelTool, qed.FunctionTool, qed.AnalysisTool} {
		registry(t, nil, qed.Tool{Name: "a", Call: call, Kind: kind})
	}
}

func TestSpecs(t *testing.T) {
	call := func(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, nil }
	got := registry(t, nil, qed.Tool{Name: "z", Call: call}, addTool(), qed.Tool{Name: "b", Description: "d", Call: call}).Specs()
	var names []string
	for _, s := range got {
		names = append(names, s.Name)
	}
	if diff := cmp.Diff([]string{"add", "b", "z"}, names); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(string(got[0].InputSchema), "the first") || got[0].Description != "adds two numbers" {
		t.Errorf("got %+v", got[0])
	}
}

// Calls that may be repeated run at the same time; with one among them that may not, they run in order.
func TestDoInOrder(t *testing.T) {
	for name, test := range map[string]struct {
		repeat bool
		want   string
		took   time.Duration
	}{
		"may be repeated":     {true, "cba", 3 * time.Second},
		"may not be repeated": {false, "abc", 6 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				order := make(chan string, 3)
				sleeps := func(name string, d time.Duration, repeat bool) qed.Tool {
					tool := nothing(name, func(context.Context) error {
						time.Sleep(d)
						order <- name
						return nil
					})
					tool.Idempotent = repeat
					return tool
				}
				r := registry(t, nil, sleeps("a", 3*time.Second, true), sleeps("b", 2*time.Second, test.repeat), sleeps("c", time.Second, true))
				start := time.Now()
				results, err := r.Do(t.Context(), call("a", ""), call("b", ""), call("c", ""))
				if err != nil || len(results) != 3 || results[0].Call.Name != "a" {
					t.Fatalf("got %v, %v", results, err)
				}
				if took := time.Since(start); took != test.took {
					t.Errorf("it took %v", took)
				}
				if got := <-order + <-order + <-order; got != test.want {
					t.Errorf("they ended in the order %s", got)
				}
			})
		})
	}
}

func TestToolTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		obeys := nothing("obeys", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
		own := nothing("own", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
		own.Timeout = time.Hour
		late := nothing("late", func(ctx context.Context) error { <-ctx.Done(); time.Sleep(time.Second); return nil })
		r := registry(t, &qed.RegistryOptions{Timeout: time.Minute, Grace: 2 * time.Second}, obeys, own, late)
		for name, took := range map[string]time.Duration{"obeys": time.Minute, "own": time.Hour} {
			start := time.Now()
			got, err := r.Do(t.Context(), call(name, ""))
			if err != nil || !errors.Is(got[0].Err, context.DeadlineExceeded) || time.Since(start) != took {
				t.Errorf("%s: got %v, %v after %v", name, got, err, time.Since(start))
			}
		}
		if got, err := r.Do(t.Context(), call("late", "")); err != nil || got[0].Err != nil {
			t.Errorf("within the grace: %v, %v", got, err)
		}
	})
}

func TestToolIsAbandoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		deaf := nothing("deaf", func(context.Context) error { time.Sleep(time.Hour); return nil })
		r := registry(t, &qed.RegistryOptions{Timeout: time.Minute}, deaf)
		start := time.Now()
		_, err := r.Do(t.Context(), call("deaf", ""))
		if !errors.Is(err, qed.ErrToolAbandoned) || !strings.Contains(err.Error(), "deaf") || time.Since(start) != 65*time.Second {
			t.Errorf("got %v after %v", err, time.Since(start))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := r.Do(ctx, call("deaf", "")); !errors.Is(err, qed.ErrToolAbandoned) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a cancelled turn: %v", err)
		}
		time.Sleep(2 * time.Hour) // it ends some time
	})
}

func TestDoIsCancelled(t *testing.T) {
	noLeak(t)
	why := errors.New("why")
	ctx, cancel := context.WithCancelCause(t.Context())
	r := registry(t, nil, nothing("waits", func(ctx context.Context) error { cancel(why); <-ctx.Done(); return ctx.Err() }))
	if _, err := r.Do(ctx, call("waits", "")); !errors.Is(err, why) || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestToolEvents(t *testing.T) {
	inner := qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: turn.Text})
		qed.Emit(ctx, qed.Token{Channel: qed.ChannelReasoning, Content: turn.User + turn.Tenant})
		return qed.Answer{Text: "42"}, nil
	})
	for name, agent := range map[string]qed.Agent{"ours": inner, "foreign": foreign{inner}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // in which calls take no time
				r := registry(t, nil, agentTool("sub", agent))
				var results []qed.ToolResult
				outer := qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (_ qed.Answer, err error) {
					results, err = r.Do(ctx, call("sub", `{"question":"why?"}`), call("sub", `{"question":`))
					return qed.Answer{}, err
				})
				got, _, err := told(t.Context(), outer)
				for i, line := range got {
					got[i], _, _ = strings.Cut(line, "[") // arguments are bytes
				}
				want := []string{
					" qed.ToolStarted{sub 1 ",
					"sub qed.Token{tool why? false}",
					"sub qed.Token{reasoning uc false}",
					` qed.ToolFinished{sub 1 0 {"text":"42"}  false false}`,
					" qed.ToolStarted{sub 1 ",
				}
				if diff := cmp.Diff(want, got[:5]); diff != "" || err != nil {
					t.Errorf("%v: %s", err, diff)
				}
				var answer qed.Answer
				if err := json.Unmarshal(results[0].Output, &answer); err != nil || answer.Text != "42" {
					t.Errorf("the model gets %s: %v", results[0].Output, err)
				}
				if results[1].Err == nil {
					t.Error("broken arguments are taken")
				}
			})
		})
	}
}

// An event of broken arguments can still be written.
func TestToolStartedIsJSON(t *testing.T) {
	r := registry(t, nil, addTool())
	a := qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
		_, err := r.Do(ctx, call("add", `{"a":`), call("none", "\xff"))
		return qed.Answer{}, err
	})
	for event, err := range a.Run(t.Context(), qed.Turn{}) {
		if err != nil {
			t.Fatal(err)
		}
		if _, err := json.Marshal(event); err != nil {
			t.Error(err)
		}
	}
}

// TestDeepArguments gives a tool arguments whose check would take time with the third power of their depth.
func TestDeepArguments(t *testing.T) {
	tool := qed.Tool{
		Name: "tree",
		Input: json.RawMessage(`{"$ref":"#/$defs/node",
			"$defs":{"node":{"type":"object","properties":{"child":{"$ref":"#/$defs/node"}}}}}`),
		Call: func(_ context.Context, raw json.RawMessage) (json.RawMessage, error) {
			return json.RawMessage("1"), nil
		},
	}
	r := registry(t, nil, tool)
	for levels, ok := range map[int]bool{50: true, 5000: false} {
		arguments := strings.Repeat(`{"child":`, levels) + "{}" + strings.Repeat("}", levels)
		results, err := r.Do(t.Context(), call("tree", arguments))
		if err != nil || (results[0].Err == nil) != ok {
			t.Errorf("%d levels: %v, %v", levels, results, err)
		}
		if err == nil && results[0].Err != nil && len(results[0].Err.Error()) > 1000 {
			t.Errorf("%d levels: the error has %d bytes", levels, len(results[0].Err.Error()))
		}
	}
}

// TestArgumentsAreWhatWasChecked hides a value that the schema does not allow behind a second one of the same name.
func TestArgumentsAreWhatWasChecked(t *testing.T) {
	var got string
	tool := qed.Tool{
		Name:  "limit",
		Input: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer","maximum":10}}}`),
		Call: func(_ context.Context, raw json.RawMessage) (json.RawMessage, error) {
			got = string(raw)
			return json.RawMessage("1"), nil
		},
	}
	results, err := registry(t, nil, tool).Do(t.Context(), call("limit", `{"n":99999999999999999,"n":7}`))
	if err != nil || results[0].Err != nil || got != `{"n":7}` {
		t.Errorf("the tool got %s, %v, %v", got, results, err)
	}
}
