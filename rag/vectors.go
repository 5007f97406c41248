package rag

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/qedkit/qed/llm"
)

// vectors are the embeddings of chunks, each of length one and behind the other.
type vectors struct {
	embedder llm.Embedder
	size     int // of one vector
	flat     []float32
}

// newVectors embeds the texts of all chunks, a batch at a time.
func newVectors(ctx context.Context, embedder llm.Embedder, texts []string, batch int) (*vectors, error) {
	v := &vectors{embedder: embedder}
	for some := range slices.Chunk(texts, batch) {
		embedded, err := v.embed(ctx, some)
		if err != nil {
			return nil, err
		}
		for _, vector := range embedded {
			n := len(v.flat)
			v.flat = append(v.flat, vector...) // a copy: the Embedder may keep its own
			if !normalise(v.flat[n:]) {
				return nil, fmt.Errorf("%w: that of chunk %d is zero", ErrEmbedding, n/v.size)
			}
		}
	}
	return v, nil
}

// embed returns a vector for each of texts. The first of all says how long they
// are.
func (v *vectors) embed(ctx context.Context, texts []string) ([][]float32, error) {
	embedded, err := v.embedder.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	if len(embedded) != len(texts) {
		return nil, fmt.Errorf("%w: %d vectors for %d texts", ErrEmbedding, len(embedded), len(texts))
	}
	for i, vector := range embedded {
		if v.size == 0 {
			v.size = len(vector)
		}
		if len(vector) != v.size || v.size == 0 {
			return nil, fmt.Errorf("%w: one has %d dimensions, the first had %d", ErrEmbedding, len(vector), v.size)
		}
		for _, f := range vector {
			if f64 := float64(f); math.IsNaN(f64) || math.IsInf(f64, 0) {
				return nil, fmt.Errorf("%w: vector %d holds %v", ErrEmbedding, i, f)
			}
		}
	}
	return embedded, nil
}

// scores compares a query with every chunk.
func (v *vectors) scores(ctx context.Context, query string) ([]float64, error) {
	embedded, err := v.embed(ctx, []string{query})
	if err != nil {
		return nil, err
	}
	scores := make([]float64, len(v.flat)/v.size)
	asked := slices.Clone(embedded[0])
	if !normalise(asked) {
		return scores, nil // it is like nothing
	}
	for i := range scores {
		if i%stride == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		scores[i] = float64(dot(asked, v.flat[i*v.size:][:v.size]))
	}
	return scores, nil
}

// stride is after how many chunks a search looks whether it is still wanted.
const stride = 4096

// normalise makes v a vector of length one, in place. It reports whether v has a
// direction.
func normalise(v []float32) bool {
	var square float64
	for _, f := range v {
		square += float64(f) * float64(f)
	}
	if square == 0 {
		return false
	}
	scale := 1 / math.Sqrt(square)
	for i, f := range v {
		v[i] = float32(float64(f) * scale)
	}
	return true
}

// dot is the sum of the products of two vectors of one length. Four sums do not
// wait for each other.
func dot(a, b []float32) float32 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float32
	i := 0
	for ; i+8 <= len(a); i += 8 {
		x, y := (*[8]float32)(a[i:]), (*[8]float32)(b[i:])
		s0 += x[0]*y[0] + x[4]*y[4]
		s1 += x[1]*y[1] + x[5]*y[5]
		s2 += x[2]*y[2] + x[6]*y[6]
		s3 += x[3]*y[3] + x[7]*y[7]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return s0 + s1 + s2 + s3
}
