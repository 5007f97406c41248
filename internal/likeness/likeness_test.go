package likeness_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/likeness"
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

type failing struct{ error }

func (f failing) Embed(context.Context, []string) ([][]float32, error) { return nil, f.error }

func TestNearness(t *testing.T) {
	near, err := likeness.Nearness(t.Context(), embedder{}, "late ships", []string{"all ships", "ships and crews", "crews", "rain"})
	if err != nil || len(near) != 4 {
		t.Fatal(near, err)
	}
	if math.Abs(near[0]-1) > 1e-6 || near[1] >= near[0] || near[2] >= near[1] || math.Abs(near[3]) > 1e-6 {
		t.Errorf("nearness %v, want 1 for the same vector, 0 for an unrelated one, and others by their angle", near)
	}
	if near[1] < likeness.LeastNear || near[2] >= likeness.LeastNear {
		t.Errorf("nearness %v: the second text has the same subject, the third has not", near)
	}

	near, err = likeness.Nearness(t.Context(), constant{}, "late ships", []string{"all ships", "crews"})
	if diff := cmp.Diff([]float64{0, 0}, near); diff != "" || err != nil {
		t.Errorf("all vectors are equal: %v (-want +got)\n%s", err, diff)
	}

	down := errors.New("down")
	for _, want := range []error{down, vector.ErrEmbedding} {
		if _, err := likeness.Nearness(t.Context(), failing{want}, "a", []string{"b"}); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
}

func TestAlike(t *testing.T) {
	others := []string{"ships that are late", "late invoices", "ships and late crews of ships", "weather"}
	scores := likeness.Alike("show the late crews", others)
	if scores[3] != 0 || scores[0] <= 0 || scores[0] != scores[1] || scores[2] <= scores[0] {
		t.Errorf("scores %v: want 0 without common words, and more for the rare word", scores)
	}
	for _, text := range []string{"", "show me all the results, please"} {
		if diff := cmp.Diff(make([]float64, len(others)), likeness.Alike(text, others)); diff != "" {
			t.Errorf("%q has no content words (-want +got)\n%s", text, diff)
		}
	}
	if got := likeness.Alike("ships", nil); len(got) != 0 {
		t.Errorf("got %v for no texts", got)
	}
}

func TestRanked(t *testing.T) {
	if diff := cmp.Diff([]int{1, 4, 0, 3}, likeness.Ranked([]float64{0.5, 2, 0, 0.25, 0.5, -1})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := likeness.Ranked([]float64{0, -2}); len(got) != 0 {
		t.Errorf("got %v, want none", got)
	}
}

func TestSubjectWords(t *testing.T) {
	for request, want := range map[string][]string{
		"":                                      nil,
		"show the last query as a bar chart":    nil,
		"visualize the previous results":        nil,
		"a pie chart of late ships per harbour": {"harbour", "lat", "per", "ship"},
		"compare ships with ships":              {"ship"},
	} {
		got := likeness.SubjectWords(request)
		if len(got) == 0 {
			got = nil
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got)\n%s", request, diff)
		}
	}
}

// InCommon with the words of SubjectWords finds the query that a request names.
func TestInCommon(t *testing.T) {
	others := []string{"number of crews", "late ships per harbour", "ships per flag"}
	asked := likeness.SubjectWords("plot the late ships")
	if order := likeness.Ranked(likeness.InCommon(asked, others)); len(order) != 2 || order[0] != 1 {
		t.Errorf("order %v, want the second text first and not the first one", order)
	}
	if diff := cmp.Diff(make([]float64, 3), likeness.InCommon(nil, others)); diff != "" {
		t.Errorf("no words (-want +got)\n%s", diff)
	}
}
