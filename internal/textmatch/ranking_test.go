package textmatch_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/textmatch"
)

func TestLexical(t *testing.T) {
	x := textmatch.NewLexical([]map[string]float64{
		{"crew": 1, "time": 1},
		{"crew": 3},
		{"crew": 1, "a": 5, "b": 5, "c": 5},
		{},
	}, textmatch.LengthLoss)
	scores := x.Scores(map[string]float64{"crew": 1, "unknown": 1}, nil)
	if !(scores[1] > scores[0] && scores[0] > scores[2] && scores[2] > 0) || scores[3] != 0 {
		t.Errorf("scores %v: want the repeated word first, the long document last", scores)
	}
	if half := x.Scores(map[string]float64{"crew": 0.5}, nil); math.Abs(half[0]*2-scores[0]) > 1e-12 {
		t.Errorf("half the weight: %v of %v", half[0], scores[0])
	}
	none := x.Scores(map[string]float64{"crew": 1}, func(_ string, document int) bool { return document == 2 })
	if none[0] != 0 || none[2] != scores[2] {
		t.Errorf("only the third counts: %v", none)
	}
	if x.Rarity("time") <= x.Rarity("crew") || x.Rarity("unknown") != 0 {
		t.Errorf("rarity of time %v, of crew %v", x.Rarity("time"), x.Rarity("crew"))
	}
	if diff := cmp.Diff([]string{"a", "b", "c", "crew", "time"}, x.Words()); diff != "" {
		t.Error(diff)
	}
	if got := textmatch.NewLexical(nil, 1).Scores(map[string]float64{"x": 1}, nil); len(got) != 0 {
		t.Errorf("no documents: %v", got)
	}
}

func TestBest(t *testing.T) {
	scores := []float64{0, 3, 1, 3, -1, 2}
	for k, want := range map[int][]textmatch.Scored{
		0: nil,
		1: {{1, 3}},
		3: {{1, 3}, {3, 3}, {5, 2}},
		9: {{1, 3}, {3, 3}, {5, 2}, {2, 1}},
	} {
		if diff := cmp.Diff(want, []textmatch.Scored(textmatch.Best(scores, k))); diff != "" {
			t.Errorf("%d (-want +got):\n%s", k, diff)
		}
	}
}

// A document that is good in both orders beats one that is the best in one.
func TestFuse(t *testing.T) {
	got := textmatch.Fuse([]float64{9, 8, 0, 0}, []float64{0, 0.7, 0.9, 0})
	if !(got[1] > got[0] && got[0] == got[2] && got[3] == 0) {
		t.Errorf("%v", got)
	}
}
