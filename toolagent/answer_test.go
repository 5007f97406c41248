package toolagent_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/toolagent"
)

// The answer has the proof of all findings, and the rows of the last one with rows.
func TestAnswerHasTheProof(t *testing.T) {
	query := func(text string) []qed.Query { return []qed.Query{{Language: "sql", Written: text}} }
	manual := qed.Citation{Title: "manual"}
	tools := []qed.Tool{
		portTool(700),
		tool("first", func(ctx context.Context) (any, error) {
			rows, err := finding.SaveRows(ctx, ports(2))
			return finding.Finding{Rows: rows, Queries: query("a"), Citations: []qed.Citation{manual}}, err
		}),
		tool("chart", func(ctx context.Context) (any, error) {
			ref, err := finding.SaveArtifact(ctx, qed.Artifact{Name: "chart", MediaType: "image/png", Data: make([]byte, 9000)})
			return finding.Finding{Artifacts: []finding.ArtifactRef{ref}, Citations: []qed.Citation{manual, {Title: "other"}}, Partial: "one year is missing"}, err
		}),
	}
	for name, st := range map[string]store.Store{"saved": new(store.InMemory), "not saved": nil} {
		model := steps(calls(`first {}`), calls(`ports {}`, `chart {}`), calls(`ports {}`), says("done"))
		agent := newAgent(t, model, registry(t, tools...), &toolagent.Options{Store: st})
		answer, err := qed.Ask(t.Context(), agent, qed.Turn{Thread: "t", Text: "q"})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]qed.Citation{manual, {Title: "other"}}, answer.Citations); diff != "" || len(answer.Queries) != 2 {
			t.Errorf("%s: %+v %s", name, answer.Queries, diff)
		}
		if len(answer.Artifacts) != 1 || len(answer.Artifacts[0].Data) != 9000 {
			t.Errorf("%s: %d artifacts", name, len(answer.Artifacts))
		}
		if !answer.Partial || answer.PartialReason != "one year is missing" || answer.Text != "done" {
			t.Errorf("%s: %+v", name, answer.PartialReason)
		}
		if answer.Table == nil || st != nil && len(answer.Table.Rows) != 700 || len(answer.Table.Rows) < 100 {
			t.Errorf("%s: the table is %+v", name, answer.Table)
		}
	}
	// Without findings the answer has nothing but the text.
	answer := ask(t, t.Context(), newAgent(t, steps(calls(`temperature {"city":"x"}`), says("done")), registry(t, temperature()), nil))
	answer.Usage.Calls = 0
	if diff := cmp.Diff(qed.Answer{Text: "done"}, answer); diff != "" {
		t.Error(diff)
	}
}

// The model learns that there is an artifact, without its data.
func TestModelDoesNotGetArtifactData(t *testing.T) {
	draw := tool("chart", func(ctx context.Context) (any, error) {
		ref, err := finding.SaveArtifact(ctx, qed.Artifact{Name: "chart", MediaType: "image/png", Data: make([]byte, 900)})
		return finding.Finding{Text: "drawn", Artifacts: []finding.ArtifactRef{ref}}, err
	})
	model := steps(calls(`chart {}`), says("done"))
	var seen string
	watched := llm.ModelFunc(func(ctx context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
		seen = req.Messages[len(req.Messages)-1].Content
		return model.Generate(ctx, req, stream)
	})
	answer, err := qed.Ask(t.Context(), newAgent(t, watched, registry(t, draw), nil), qed.Turn{Text: "q"})
	if err != nil || len(answer.Artifacts) != 1 || len(answer.Artifacts[0].Data) != 900 {
		t.Fatalf("%+v, %v", answer.Artifacts, err)
	}
	if !strings.Contains(seen, "image/png") || !strings.Contains(seen, "drawn") || strings.Contains(seen, "AAAA") {
		t.Errorf("the model sees %s", seen)
	}
}
