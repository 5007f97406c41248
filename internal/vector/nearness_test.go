package vector_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/vector"
)

// embedder embeds texts by whether they mention ships or crews.
type embedder struct{}

func (embedder) Embed(_ context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		v := []float32{1, 0, 0} // a direction that all vectors share
		if strings.Contains(text, "ship") {
			v[1] = 2
		}
		if strings.Contains(text, "crew") {
			v[2] = 2
		}
		vectors[i] = v
	}
	return vectors, nil
}

type constant struct{}

func (constant) Embed(_ context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i := range vectors {
		vectors[i] = []float32{3, 4}
	}
	return vectors, nil
}

func TestNearness(t *testing.T) {
	near, err := vector.Nearness(t.Context(), embedder{}, "late ships", []string{"all ships", "ships and crews", "crews", "rain"})
	if err != nil || len(near) != 4 {
		t.Fatal(near, err)
	}
	if math.Abs(near[0]-1) > 1e-6 || near[1] >= near[0] || near[2] >= near[1] || math.Abs(near[3]) > 1e-6 {
		t.Errorf("nearness %v, want 1 for the same vector, 0 for an unrelated one, and others by their angle", near)
	}
	if near[1] < vector.LeastNear || near[2] >= vector.LeastNear {
		t.Errorf("nearness %v: the second text has the same subject, the third has not", near)
	}

	near, err = vector.Nearness(t.Context(), constant{}, "late ships", []string{"all ships", "crews"})
	if diff := cmp.Diff([]float64{0, 0}, near); diff != "" || err != nil {
		t.Errorf("all vectors are equal: %v (-want +got)\n%s", err, diff)
	}

	down := errors.New("down")
	for _, want := range []error{down, vector.ErrEmbedding} {
		if _, err := vector.Nearness(t.Context(), failing{want}, "a", []string{"b"}); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
}
