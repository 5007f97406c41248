package textmatch_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/textmatch"
)

func TestAlike(t *testing.T) {
	others := []string{"ships that are late", "late invoices", "ships and late crews of ships", "weather"}
	scores := textmatch.Alike("show the late crews", others)
	if scores[3] != 0 || scores[0] <= 0 || scores[0] != scores[1] || scores[2] <= scores[0] {
		t.Errorf("scores %v: want 0 without common words, and more for the rare word", scores)
	}
	for _, text := range []string{"", "show me all the results, please"} {
		if diff := cmp.Diff(make([]float64, len(others)), textmatch.Alike(text, others)); diff != "" {
			t.Errorf("%q has no content words (-want +got)\n%s", text, diff)
		}
	}
	if got := textmatch.Alike("ships", nil); len(got) != 0 {
		t.Errorf("got %v for no texts", got)
	}
}

func TestRanked(t *testing.T) {
	if diff := cmp.Diff([]int{1, 4, 0, 3}, textmatch.Ranked([]float64{0.5, 2, 0, 0.25, 0.5, -1})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := textmatch.Ranked([]float64{0, -2}); len(got) != 0 {
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
		got := textmatch.SubjectWords(request)
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
	asked := textmatch.SubjectWords("plot the late ships")
	if order := textmatch.Ranked(textmatch.InCommon(asked, others)); len(order) != 2 || order[0] != 1 {
		t.Errorf("order %v, want the second text first and not the first one", order)
	}
	if diff := cmp.Diff(make([]float64, 3), textmatch.InCommon(nil, others)); diff != "" {
		t.Errorf("no words (-want +got)\n%s", diff)
	}
}
