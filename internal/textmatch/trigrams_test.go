package textmatch_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/qedkit/qed/internal/textmatch"
)

func TestTrigrams(t *testing.T) {
	var x textmatch.Trigrams
	names := []string{"rotterdam", "hamburg", "amsterdam", "rostock", "rotterdamer hafen"}
	for i, name := range names {
		x.Add(int32(i), []rune(name))
	}
	var c textmatch.Common
	for range 2 { // the memory of a search is used again
		if got := x.Near([]rune("roterdam"), 1, &c); !slices.Contains(got, 0) || len(got) > 4 {
			t.Errorf("near roterdam: %v", got)
		}
		if got := x.Near([]rune("xyz"), 10, &c); len(got) > 0 {
			t.Errorf("near xyz: %v", got)
		}
	}
	var many textmatch.Trigrams
	for i := range 1000 {
		many.Add(int32(i), []rune(fmt.Sprintf("ship%c", 'a'+i%26)))
	}
	if got := many.Near([]rune("ship"), 10, &c); len(got) != 40 {
		t.Errorf("%d words are near, want 40", len(got))
	}
}
