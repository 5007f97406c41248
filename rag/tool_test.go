package rag_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/rag"
)

// toolFound is the result of the tool.
type toolFound struct {
	Hits []struct {
		Title, Location, Text string
		Score                 float64
	}
	Citations []qed.Citation
	Truncated bool
}

func newTool(t testing.TB, searcher rag.Searcher, opt *rag.ToolOptions) qed.Tool {
	t.Helper()
	tool, err := rag.NewTool(searcher, opt)
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

func callTool(t testing.TB, tool qed.Tool, arguments string) (toolFound, error) {
	t.Helper()
	r := qed.NewRegistry(nil)
	if err := r.Add(tool); err != nil {
		t.Fatal(err)
	}
	results, err := r.Do(t.Context(), llm.ToolCall{ID: "1", Name: tool.Name, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatal(err)
	}
	var f toolFound
	if results[0].Err == nil {
		if err := json.Unmarshal(results[0].Output, &f); err != nil {
			t.Fatal(err)
		}
	}
	return f, results[0].Err
}

func TestToolFinds(t *testing.T) {
	f, err := callTool(t, newTool(t, manual(t), nil), `{"query":"cancelled work order"}`)
	if err != nil || len(f.Hits) == 0 || len(f.Citations) != len(f.Hits) {
		t.Fatalf("%+v, %v", f, err)
	}
	h := f.Hits[0]
	if !strings.HasPrefix(h.Location, "orders.md:") || !strings.Contains(h.Text, "cannot be opened") || h.Score <= 0 || h.Title != f.Citations[0].Title {
		t.Errorf("the best is %+v", h)
	}
	if f, err := callTool(t, newTool(t, manual(t), nil), `{"query":"zebra"}`); err != nil || f.Hits == nil || len(f.Hits) != 0 {
		t.Errorf("without a hit: %+v, %v", f, err)
	}
}

func TestToolLimits(t *testing.T) {
	for name, tt := range map[string]struct {
		hits      fixed
		arguments string
		want      int
		truncated bool
	}{
		"the default":       {passages(30), `{"query":"q"}`, 5, false},
		"k":                 {passages(30), `{"query":"q","k":7}`, 7, false},
		"k above the limit": {passages(30), `{"query":"q","k":100}`, 20, false},
		"as many as fit":    {long(20), `{"query":"q","k":20}`, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := callTool(t, newTool(t, tt.hits, nil), tt.arguments)
			if err != nil {
				t.Fatal(err)
			}
			if n := len(f.Hits); tt.want > 0 && n != tt.want || n == 0 || f.Truncated != tt.truncated {
				t.Errorf("%d hits, truncated %v", n, f.Truncated)
			}
		})
	}
}

// long returns n hits whose JSON is much longer than their text.
func long(n int) fixed {
	all := passages(n)
	for i := range all {
		all[i].Chunk.Text = strings.Repeat("<\x01", 5000)
	}
	return all
}

// TestToolSchemaHasLimits checks that models can read the limits of k.
func TestToolSchemaHasLimits(t *testing.T) {
	var input struct {
		Properties map[string]struct {
			Minimum     float64
			Description string
		}
	}
	if err := json.Unmarshal(newTool(t, passages(1), nil).Input, &input); err != nil {
		t.Fatal(err)
	}
	if k := input.Properties["k"]; k.Minimum != 1 || !strings.Contains(k.Description, "up to 20") {
		t.Errorf("k is at least %v: %s", k.Minimum, k.Description)
	}
}

func TestNewToolRefuses(t *testing.T) {
	for name, make := range map[string]func() (qed.Tool, error){
		"no searcher": func() (qed.Tool, error) { return rag.NewTool(nil, nil) },
	} {
		if tool, err := make(); err == nil || tool.Call != nil {
			t.Errorf("NewTool accepted %s", name)
		}
	}
}

func TestToolRefuses(t *testing.T) {
	down := errors.New("down")
	failing := searcherFunc(func(context.Context, rag.Query) ([]rag.Hit, error) { return nil, down })
	for name, tt := range map[string]struct {
		tool      qed.Tool
		arguments string
	}{
		"no query":           {newTool(t, passages(1), nil), `{}`},
		"an empty query":     {newTool(t, passages(1), nil), `{"query":" "}`},
		"a k below one":      {newTool(t, passages(1), nil), `{"query":"q","k":-1}`},
		"a failing searcher": {newTool(t, failing, nil), `{"query":"q"}`},
	} {
		if _, err := callTool(t, tt.tool, tt.arguments); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func ExampleNewTool() {
	index, err := rag.NewIndex(rag.NewMemory(), nil)
	if err != nil {
		panic(err)
	}
	if err := index.Put(context.Background(), []rag.Chunk{
		{Document: "orders.md", Span: rag.Span{FirstLine: 7, LastLine: 9}, Text: "A cancelled work order cannot be opened again."},
	}); err != nil {
		panic(err)
	}
	search, err := rag.NewTool(index, nil)
	if err != nil {
		panic(err)
	}
	tools := qed.NewRegistry(nil)
	if err := tools.Add(search); err != nil {
		panic(err)
	}
	results, err := tools.Do(context.Background(), llm.ToolCall{Name: "vectordb_tool", Arguments: json.RawMessage(`{"query":"reopen a cancelled order"}`)})
	if err != nil {
		panic(err)
	}
	var out struct{ Citations []qed.Citation }
	if err := json.Unmarshal(results[0].Output, &out); err != nil {
		panic(err)
	}
	fmt.Println(out.Citations[0].Location)
	// Output: orders.md:7-9
}
