package llm_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/retry"
)

func TestWrapOrder(t *testing.T) {
	var order []string
	note := func(name string) llm.Middleware {
		return func(m llm.Model) llm.Model {
			return llm.ModelFunc(func(ctx context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
				order = append(order, name)
				return m.Generate(ctx, req, stream)
			})
		}
	}
	m := llmtest.New(llmtest.Rule{Replies: []llmtest.Reply{{Text: "x"}}})
	if _, err := llm.Wrap(m, note("outer"), note("inner")).Generate(t.Context(), ask("q"), nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"outer", "inner"}, order); diff != "" {
		t.Error(diff)
	}
}

func TestByName(t *testing.T) {
	replies := func(text string) llm.Model {
		return llmtest.New(llmtest.Rule{Replies: []llmtest.Reply{{Text: text}, {Text: text}}})
	}
	m := llm.ByName(map[string]llm.Model{"classify": replies("small")})(replies("large"))
	for name, want := range map[string]string{"classify": "small", "plan": "large", "": "large"} {
		req := ask("q")
		req.Name = name
		resp, err := m.Generate(t.Context(), req, nil)
		if err != nil || resp.Message.Content != want {
			t.Errorf("%q: %v, %v", name, resp, err)
		}
	}
}

// A smaller model classifies messages, and plans are made by the large one.
func ExampleByName() {
	small := llmtest.New(llmtest.Rule{Name: "classify", Replies: []llmtest.Reply{{Text: "search"}}})
	large := llmtest.New(llmtest.Rule{Name: "plan", Replies: []llmtest.Reply{{Text: "find the folder, then its documents"}}})
	model := llm.Wrap(large, llm.ByName(map[string]llm.Model{"classify": small}))
	for _, name := range []string{"classify", "plan"} {
		resp, err := model.Generate(context.Background(), &llm.Request{
			Name: name, Messages: []llm.Message{{Role: llm.RoleUser, Content: "What is in the folder Tax?"}},
		}, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(name+":", resp.Message.Content)
	}
	// Output:
	// classify: search
	// plan: find the folder, then its documents
}

func TestLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		running, most := 0, 0
		var mu sync.Mutex
		inner := llm.ModelFunc(func(context.Context, *llm.Request, func(llm.Delta)) (*llm.Response, error) {
			mu.Lock()
			running++
			most = max(most, running)
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			running--
			mu.Unlock()
			return &llm.Response{}, nil
		})
		limit := llm.LimitConcurrency(3)
		models := []llm.Model{limit(inner), limit(inner)}
		var wg sync.WaitGroup
		for i := range 9 {
			wg.Go(func() {
				if _, err := models[i%2].Generate(t.Context(), ask("q"), nil); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Millisecond, cancel)
		if _, err := models[0].Generate(ctx, ask("q"), nil); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want a cancelled context", err)
		}
		if _, err := models[0].Generate(ctx, ask("q"), nil); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want a cancelled context", err)
		}
		ctx, cancel = context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := models[0].Generate(ctx, ask("q"), nil); !errors.Is(err, llm.ErrTimeout) {
			t.Errorf("got %v, want a timeout", err)
		}
		wg.Wait()
		if most != 3 {
			t.Errorf("%d ran at a time, want 3", most)
		}
	})
}

func TestLimitAfterPanic(t *testing.T) {
	m := llm.LimitConcurrency(1)(llm.ModelFunc(func(context.Context, *llm.Request, func(llm.Delta)) (*llm.Response, error) { panic("x") }))
	for range 2 {
		func() {
			defer func() { recover() }()
			m.Generate(t.Context(), ask("q"), nil)
		}()
	}
}

func TestTrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := llmtest.New(llmtest.Rule{Replies: []llmtest.Reply{
			{Text: "a b", Delay: time.Second}, {Text: "c"}, {Err: &llm.Error{Kind: llm.ErrAuth}},
		}})
		var calls []llm.Call
		m := llm.Wrap(inner, llm.Trace(func(_ context.Context, c llm.Call) { calls = append(calls, c) }))
		m.Generate(t.Context(), ask("q"), func(llm.Delta) {})
		m.Generate(t.Context(), ask("q"), nil)
		m.Generate(t.Context(), ask("q"), func(llm.Delta) {})
		if len(calls) != 3 {
			t.Fatalf("%d calls, want 3", len(calls))
		}
		if c := calls[0]; c.Duration != time.Second || c.TimeToFirstToken != time.Second || c.Response.Message.Content != "a b" || c.Request.Name != "select_tables" {
			t.Errorf("got %+v", c)
		}
		if c := calls[1]; c.TimeToFirstToken != 0 || c.Err != nil {
			t.Errorf("got %+v", c)
		}
		if c := calls[2]; !errors.Is(c.Err, llm.ErrAuth) || c.Response != nil {
			t.Errorf("got %+v", c)
		}
	})
}

func TestInvalidOptions(t *testing.T) {
	for _, f := range []func(){
		func() { llm.LimitConcurrency(0) },
		func() { llm.Retry(policy(retry.Policy{Attempts: -1})) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		}()
	}
}
