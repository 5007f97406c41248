package vector_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/vector"
)

type fixed [][]float32

func (f fixed) Embed(context.Context, []string) ([][]float32, error) { return f, nil }

type failing struct{ error }

func (f failing) Embed(context.Context, []string) ([][]float32, error) { return nil, f.error }

func TestEmbed(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	texts := []string{"one", "two"}
	for name, tt := range map[string]struct {
		made       fixed
		dimensions int
		want       error
	}{
		"good":               {fixed{{1, 2}, {3, 4}}, 0, nil},
		"of that length":     {fixed{{1, 2}, {3, 4}}, 2, nil},
		"very large":         {fixed{{math.MaxFloat32, 1}, {math.MaxFloat32, math.MaxFloat32}}, 0, nil},
		"very small":         {fixed{{math.SmallestNonzeroFloat32}, {1}}, 0, nil},
		"of another length":  {fixed{{1, 2}, {3, 4}}, 3, vector.ErrEmbedding},
		"of two lengths":     {fixed{{1, 2}, {3}}, 0, vector.ErrEmbedding},
		"without dimensions": {fixed{{}, {}}, 0, vector.ErrEmbedding},
		"too few":            {fixed{{1}}, 0, vector.ErrEmbedding},
		"too many":           {fixed{{1}, {2}, {3}}, 0, vector.ErrEmbedding},
		"not a number":       {fixed{{1}, {nan}}, 0, vector.ErrEmbedding},
		"infinite":           {fixed{{inf}, {1}}, 0, vector.ErrEmbedding},
		"zero":               {fixed{{1}, {0}}, 0, vector.ErrZero},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := vector.Embed(t.Context(), tt.made, texts, tt.dimensions)
			if !errors.Is(err, tt.want) || tt.want != nil && !errors.Is(err, vector.ErrEmbedding) {
				t.Fatalf("error %v, want %v", err, tt.want)
			}
			if tt.want == nil && !cmp.Equal(got, [][]float32(tt.made)) {
				t.Errorf("got %v, want %v", got, tt.made)
			}
		})
	}
	down := errors.New("down")
	if _, err := vector.Embed(t.Context(), failing{down}, texts, 0); !errors.Is(err, down) || errors.Is(err, vector.ErrEmbedding) {
		t.Errorf("the embedder failed with %v", err)
	}
}

func TestUnitAndDot(t *testing.T) {
	for n := 1; n < 20; n++ {
		a, b := make([]float32, n), make([]float32, n)
		var product, lengthA, lengthB float64
		for i := range n {
			a[i], b[i] = float32(i+1), float32(3-i)
			product += float64(a[i]) * float64(b[i])
			lengthA += float64(a[i]) * float64(a[i])
			lengthB += float64(b[i]) * float64(b[i])
		}
		want := product / math.Sqrt(lengthA*lengthB)
		if got := vector.Dot(vector.Unit(a), vector.Unit(b)); math.Abs(got-want) > vector.Precision {
			t.Errorf("%d dimensions: the cosine is %v, want %v", n, got, want)
		}
		if a[0] != 1 {
			t.Fatal("Unit changed its argument")
		}
	}
}

func TestEncode(t *testing.T) {
	v := []float32{0, -1.5, math.MaxFloat32}
	raw := vector.Encode(v)
	if len(raw) != 12 {
		t.Errorf("%d bytes, want 12", len(raw))
	}
	if diff := cmp.Diff(v, vector.Decode(append(raw, 1))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
