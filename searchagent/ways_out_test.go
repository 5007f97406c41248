package searchagent_test

import (
	"context"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/searchagent"
	"github.com/qedkit/qed/store"
)

// The question which document is meant can be left in each way.
func TestWaysOut(t *testing.T) {
	qedtest.WaysOut(t, func(t *testing.T, wrap func(llm.Model) llm.Model) qed.Agent {
		m := llm.ModelFunc(func(ctx context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
			return llmtest.New(isSearch(), reply("plan", folderPlan()), generates(findFolder, body(folderBody)),
				generates(findDocuments, documentsIn("folder-1")), reply("answer", text("One file."))).Generate(ctx, req, stream)
		})
		return newAgent(t, wrap(m), several(3), &searchagent.Options{Store: &store.InMemory{}})
	}, taxDocuments)
}
