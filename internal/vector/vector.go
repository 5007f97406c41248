// Package vector checks, normalises, compares and encodes embedding vectors.
package vector

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/qedkit/qed/llm"
)

// ErrEmbedding means that an embedder returned vectors that cannot be compared.
var ErrEmbedding = errors.New("the embedder's vectors cannot be used")

// ErrZero means that an embedder returned a vector of length zero, which has no
// direction. It matches [ErrEmbedding].
var ErrZero = fmt.Errorf("%w: a vector is zero", ErrEmbedding)

// ErrDimensions means that an embedder's vectors have another number of dimensions
// than the vectors they would be compared with. It matches [ErrEmbedding].
var ErrDimensions = fmt.Errorf("%w: another number of dimensions", ErrEmbedding)

// Embed returns the vectors that e returns for texts, after checking them.
//
// The error matches [ErrEmbedding] unless there is one vector for each text, all
// have the given number of dimensions, all elements are finite, and no vector is
// zero. If dimensions is 0, all must have as many as the first vector. An error of
// e is returned as it is.
func Embed(ctx context.Context, e llm.Embedder, texts []string, dimensions int) ([][]float32, error) {
	vectors, err := e.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	if len(vectors) != len(texts) {
		return nil, fmt.Errorf("%w: %d vectors for %d texts", ErrEmbedding, len(vectors), len(texts))
	}
	for i, v := range vectors {
		dimensions = cmp.Or(dimensions, len(v))
		if len(v) != dimensions || dimensions == 0 {
			return nil, fmt.Errorf("%w: a vector has %d, want %d", ErrDimensions, len(v), dimensions)
		}
		switch square := squared(v); {
		case math.IsNaN(square) || math.IsInf(square, 0):
			return nil, fmt.Errorf("%w: vector %d has an element that is not finite", ErrEmbedding, i+1)
		case square == 0:
			return nil, ErrZero
		}
	}
	return vectors, nil
}

// squared returns the square of the length of v. Elements of type float32 do not
// let it overflow.
func squared(v []float32) float64 {
	var sum float64
	for _, f := range v {
		sum += float64(f) * float64(f)
	}
	return sum
}

// Unit returns a copy of v with length 1. v must not be zero.
func Unit(v []float32) []float32 {
	scale := 1 / math.Sqrt(squared(v))
	unit := make([]float32, len(v))
	for i, f := range v {
		unit[i] = float32(float64(f) * scale)
	}
	return unit
}

// Dot returns the dot product of two vectors with the same number of dimensions.
// For vectors of length 1 this is the cosine of the angle between them, with an
// error of about [Precision].
func Dot(a, b []float32) float64 {
	// Four independent sums let the processor compute them in parallel.
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
	return float64(s0 + s1 + s2 + s3)
}

// Precision is the difference below which results of [Dot] are equal.
const Precision = 1e-6

// Encode returns v as bytes, four for each dimension in little-endian order.
func Encode(v []float32) []byte {
	raw := make([]byte, 0, 4*len(v))
	for _, f := range v {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(f))
	}
	return raw
}

// Decode returns the vector that [Encode] encoded. It ignores incomplete bytes at
// the end.
func Decode(raw []byte) []float32 {
	v := make([]float32, len(raw)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i : 4*i+4]))
	}
	return v
}
