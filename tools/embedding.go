package tools

import (
	"context"
	"errors"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/vector"
	"github.com/qedkit/qed/llm"
)

type embeddingInput struct {
	Texts []string `json:"texts" jsonschema:"minItems=1,maxItems=100" jsonschema_description:"what to embed"`
}

type embeddingResult struct {
	Dimensions int         `json:"dimensions"`
	Vectors    [][]float32 `json:"vectors"`
}

// NewEmbedding returns the tool embedding_tool, which turns texts into vectors.
// Its arguments are {"texts"}, at most 100; its result is {"dimensions",
// "vectors"} in the order of the texts. Vectors are long: a [qed.Registry]
// accepts only a few as one result unless its MaxResult is raised.
func NewEmbedding(e llm.Embedder) qed.Tool {
	t := qed.NewTool("embedding_tool",
		"Turns texts into vectors that can be compared. For use by other tools: a vector means nothing to a user.",
		func(ctx context.Context, in embeddingInput) (embeddingResult, error) {
			vectors, err := vector.Embed(ctx, e, in.Texts, 0)
			if err != nil {
				return embeddingResult{}, err
			}
			return embeddingResult{len(vectors[0]), vectors}, nil
		})
	t.Kind, t.Idempotent = qed.CoreTool, true
	if e == nil {
		return qed.Tool{Name: t.Name, Err: errors.New("tools: embedding_tool needs an Embedder")}
	}
	return t
}
