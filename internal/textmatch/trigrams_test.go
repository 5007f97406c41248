package textmatch_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/qedkit/qed/internal/textmatch"
)

// trigrams returns the trigrams of words.
func trigrams(words []string) *textmatch.Trigrams {
	return textmatch.NewTrigrams(len(words), func(id int32) []rune { return []rune(words[id]) })
}

func TestTrigrams(t *testing.T) {
	x := trigrams([]string{"rotterdam", "hamburg", "amsterdam", "rostock", "rotterdamer hafen", ""})
	var c textmatch.Common
	for range 2 { // the memory of a search is used again
		if got := x.Near([]rune("roterdam"), 1, &c); !slices.Contains(got, 0) || len(got) > 4 {
			t.Errorf("near roterdam: %v", got)
		}
		if got := x.Near([]rune("xyz"), 10, &c); len(got) > 0 {
			t.Errorf("near xyz: %v", got)
		}
		if got := new(textmatch.Trigrams).Near([]rune("xyz"), 10, &c); len(got) > 0 {
			t.Errorf("without words: %v", got)
		}
	}
	var many []string
	for i := range 1000 {
		many = append(many, fmt.Sprintf("ship%c", 'a'+i%26))
	}
	if got := trigrams(many).Near([]rune("ship"), 10, &c); len(got) != 40 {
		t.Errorf("%d words are near, want 40", len(got))
	}
}
