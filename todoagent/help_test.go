package todoagent_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
)

type vectors func(texts []string) ([][]float32, error)

func (v vectors) Embed(_ context.Context, texts []string) ([][]float32, error) { return v(texts) }

// callTool calls a tool through a registry that has only this tool.
func callTool(ctx context.Context, t *testing.T, tool qed.Tool, arguments string) (map[string]any, error) {
	t.Helper()
	registry := qed.NewRegistry(nil)
	if err := registry.Add(tool); err != nil {
		t.Fatal(err)
	}
	results, err := registry.Do(ctx, llm.ToolCall{ID: "1", Name: tool.Name, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatal(err)
	}
	if results[0].Err != nil {
		return nil, results[0].Err
	}
	var result map[string]any
	if err := json.Unmarshal(results[0].Output, &result); err != nil {
		t.Fatal(err)
	}
	return result, nil
}

func compile[S any](t testing.TB, g *qed.Graph[S], opt *qed.CompileOptions) *qed.Runner[S] {
	t.Helper()
	r, err := g.Compile(opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
