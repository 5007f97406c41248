package llm

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/qedkit/qed/internal/lru"
	"github.com/qedkit/qed/retry"
)

// An Embedder turns texts into vectors (embeddings). It returns one vector per
// text, in the order of the texts. All vectors of an Embedder have the same
// length. It is safe for concurrent use.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// EmbedderFunc is a function that implements [Embedder].
type EmbedderFunc func(ctx context.Context, texts []string) ([][]float32, error)

// Embed calls f.
func (f EmbedderFunc) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	return f(ctx, texts)
}

// RetryEmbedder calls e again after a transient failure, as [Retry] does for a
// [Model]. Nil means the defaults of [Retry].
func RetryEmbedder(e Embedder, policy *retry.Policy) Embedder {
	r := newRetrying(policy)
	return EmbedderFunc(func(ctx context.Context, texts []string) (vectors [][]float32, err error) {
		err = r.do(ctx, func() (bool, error) {
			vectors, err = e.Embed(ctx, texts)
			return true, err
		})
		return vectors, err
	})
}

// An EmbedCall is one finished call of an [Embedder], as [TraceEmbedder] reports
// it. Texts must not be modified.
type EmbedCall struct {
	Texts    []string
	Err      error
	Start    time.Time
	Duration time.Duration
}

// TraceEmbedder calls done after every call of e, on the goroutine that made it.
// done must be safe for concurrent use.
func TraceEmbedder(e Embedder, done func(context.Context, EmbedCall)) Embedder {
	return EmbedderFunc(func(ctx context.Context, texts []string) ([][]float32, error) {
		call := EmbedCall{Texts: texts, Start: time.Now()}
		vectors, err := e.Embed(ctx, texts)
		call.Err, call.Duration = err, time.Since(call.Start)
		done(ctx, call)
		return vectors, err
	})
}

// CacheEmbedder keeps the n most recently used vectors of e in memory. Only texts
// without a vector are sent, each of them once. The returned vectors are the
// caller's own. Failures are not cached. Two equal calls at the same time both
// reach e.
//
// CacheEmbedder panics if n is less than 1.
func CacheEmbedder(e Embedder, n int) Embedder {
	if n < 1 {
		panic("llm: CacheEmbedder: n must be at least 1")
	}
	known := lru.New[string, []float32](n, 0)
	return EmbedderFunc(func(ctx context.Context, texts []string) ([][]float32, error) {
		return embedMissing(ctx, e, texts, known.Get, func(text string, v []float32) { known.Add(text, v) })
	})
}

// embedMissing returns vectors that are known, and asks e for the others. get and add
// keep vectors.
func embedMissing(
	ctx context.Context, e Embedder, texts []string, get func(text string) ([]float32, bool), add func(text string, v []float32),
) ([][]float32, error) {
	if ctx.Err() != nil {
		return nil, contextError(ctx)
	}
	vectors := make([][]float32, len(texts))
	var missing []string
	at := map[string]int{} // the index in missing
	for i, text := range texts {
		if v, ok := get(text); ok {
			vectors[i] = slices.Clone(v)
		} else if _, twice := at[text]; !twice {
			at[text] = len(missing)
			missing = append(missing, text)
		}
	}
	if len(missing) == 0 {
		return vectors, nil
	}
	sent, err := e.Embed(ctx, slices.Clone(missing))
	if err != nil {
		return nil, err
	}
	if len(sent) != len(missing) {
		return nil, &Error{Kind: ErrProtocol, Message: fmt.Sprintf(
			"the embedder returned %d vectors for %d texts", len(sent), len(missing))}
	}
	for i, text := range missing {
		add(text, slices.Clone(sent[i]))
	}
	for i, text := range texts {
		if vectors[i] == nil {
			vectors[i] = slices.Clone(sent[at[text]])
		}
	}
	return vectors, nil
}
