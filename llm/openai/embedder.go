package openai

import (
	"context"
	"fmt"

	sdk "github.com/openai/openai-go/v3"

	"github.com/qedkit/qed/internal/provider"
	"github.com/qedkit/qed/llm"
)

// maxBatch is the number of texts in one request. Servers accept at most 2,048;
// local ones are slow with that many.
const maxBatch = 256

// Embedder is an [llm.Embedder] that uses the embeddings API. It sends 256 texts
// per request. [Options.Timeout] applies to each request.
type Embedder struct{ server *provider.Server }

// NewEmbedder returns an Embedder. [Options.Model] is the embedding model. It sends
// nothing. Its error is an [*llm.Error].
func NewEmbedder(opt *Options) (*Embedder, error) {
	s, err := newServer(opt, "the embeddings API")
	if err != nil {
		return nil, err
	}
	return &Embedder{server: s}, nil
}

// Embed implements [llm.Embedder]. An empty text is an error that matches
// [llm.ErrBadRequest], because it has no embedding.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	for i, t := range texts {
		if t == "" {
			return nil, e.server.Invalid(llm.ErrBadRequest, fmt.Sprintf("text %d is empty: it has no embedding", i))
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
			return nil, e.server.Invalid(llm.ErrProtocol, "the server sent vectors of different lengths")
		}
		texts = texts[n:]
	}
	return vectors, nil
}

func (e *Embedder) batch(ctx context.Context, texts []string) ([][]float32, error) {
	call, end := e.server.Begin(ctx, nil)
	defer end()
	embeddings := sdk.NewEmbeddingService(sdkOptions(call)...)
	resp, err := embeddings.New(call.Ctx, sdk.EmbeddingNewParams{
		Model:          e.server.Model,
		Input:          sdk.EmbeddingNewParamsInputUnion{OfArrayOfStrings: texts},
		EncodingFormat: sdk.EmbeddingNewParamsEncodingFormatFloat,
	})
	if err != nil {
		return nil, call.Error(err, nil)
	}
	if resp == nil {
		return nil, call.ProtocolError("the reply is null")
	}
	vectors := make([][]float32, len(texts))
	for _, d := range resp.Data {
		if d.Index < 0 || d.Index >= int64(len(texts)) || vectors[d.Index] != nil || len(d.Embedding) == 0 {
			return nil, call.ProtocolError("the embeddings do not match the texts")
		}
		v := make([]float32, len(d.Embedding))
		for i, f := range d.Embedding {
			v[i] = float32(f)
		}
		vectors[d.Index] = v
	}
	for _, v := range vectors {
		if len(v) == 0 || len(v) != len(vectors[0]) {
			return nil, call.ProtocolError("the embeddings do not match the texts")
		}
	}
	return vectors, nil
}
