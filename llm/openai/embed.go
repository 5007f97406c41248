package openai

import (
	"context"
	"fmt"

	sdk "github.com/openai/openai-go/v3"

	"github.com/qedkit/qed/internal/provider"
	"github.com/qedkit/qed/llm"
)

// maxBatch is how many texts go into one request. Servers take 2,048 at most, local ones fewer in good time.
const maxBatch = 256

// Embedder is an [llm.Embedder] behind the embeddings protocol. It has a [Config] of its own, whose Model is the
// embedding model. Its Timeout is for each request; many texts take several.
type Embedder struct{ server *provider.Server }

// NewEmbedder returns the embedder that cfg describes. It sends nothing. Its error is an [*llm.Error].
func NewEmbedder(cfg *Config) (*Embedder, error) {
	s, err := newServer(cfg)
	if err != nil {
		return nil, err
	}
	return &Embedder{s}, nil
}

// Embed returns a vector for each of texts. An empty text is an error: it has no embedding.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	for i, t := range texts {
		if t == "" {
			return nil, e.server.Misused(llm.ErrBadRequest, fmt.Sprintf("text %d is empty: it has no embedding", i))
		}
	}
	vectors := make([][]float32, 0, len(texts))
	for len(texts) > 0 {
		n := min(len(texts), maxBatch)
		batch, err := e.batch(ctx, texts[:n])
		if err != nil {
			return nil, err
		}
		vectors = append(vectors, batch...)
		if len(batch[0]) != len(vectors[0]) {
			return nil, e.server.Misused(llm.ErrProtocol, "the server sent vectors of different lengths")
		}
		texts = texts[n:]
	}
	return vectors, nil
}

func (e *Embedder) batch(ctx context.Context, texts []string) ([][]float32, error) {
	call, end := e.server.Begin(ctx)
	defer end()
	embeddings := sdk.NewEmbeddingService(options(call)...)
	resp, err := embeddings.New(call.Ctx, sdk.EmbeddingNewParams{
		Model:          e.server.Model,
		Input:          sdk.EmbeddingNewParamsInputUnion{OfArrayOfStrings: texts},
		EncodingFormat: sdk.EmbeddingNewParamsEncodingFormatFloat,
	})
	if err != nil {
		return nil, call.Failed(err, nil)
	}
	if resp == nil {
		return nil, call.Protocol("the reply is null")
	}
	vectors := make([][]float32, len(texts))
	for _, d := range resp.Data {
		if d.Index < 0 || d.Index >= int64(len(texts)) || vectors[d.Index] != nil || len(d.Embedding) == 0 {
			return nil, call.Protocol("the embeddings do not match the texts")
		}
		v := make([]float32, len(d.Embedding))
		for i, f := range d.Embedding {
			v[i] = float32(f)
		}
		vectors[d.Index] = v
	}
	for _, v := range vectors {
		if len(v) == 0 || len(v) != len(vectors[0]) {
			return nil, call.Protocol("the embeddings do not match the texts")
		}
	}
	return vectors, nil
}
