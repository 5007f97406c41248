package refusal

import (
	"cmp"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/lists"
)

const (
	maxNameRunes = 128    // longer names are not compared
	maxCompared  = 20_000 // nor are longer lists
)

// Nearest returns at most n of names that may have been meant by name, best
// first. Letter case and underscores are ignored. A name matches if it is a few
// edits away, or if one of the two contains the other. Names of more than 128
// characters match nothing, and nothing is compared with more than 20,000 names.
func Nearest(name string, names []string, n int) []string {
	if len(name) > 8*maxNameRunes {
		return nil // folding it for each call would take long
	}
	want := fold(name)
	if len(want) == 0 || len(want) > maxNameRunes || len(names) > maxCompared {
		return nil
	}
	type scored struct {
		name  string
		score int
	}
	var found []scored
	for _, n := range names {
		have := fold(n)
		if len(have) == 0 || len(have) > maxNameRunes {
			continue
		}
		limit := max(1, min(len(want), len(have))/3)
		d := editDistance(want, have, limit)
		if d > limit {
			if !contains(have, want) && !contains(want, have) {
				continue
			}
			d = limit + 1
		}
		found = append(found, scored{n, d})
	}
	slices.SortFunc(found, func(a, b scored) int {
		return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(len(a.name), len(b.name)), strings.Compare(a.name, b.name))
	})
	return lists.Map(found[:min(n, len(found))], func(f scored) string { return f.name })
}

func fold(name string) []rune {
	return []rune(strings.ReplaceAll(strings.ToLower(name), "_", ""))
}

// contains leaves out parts of one or two letters: they are in everything.
func contains(s, part []rune) bool {
	return len(part) > 2 && strings.Contains(string(s), string(part))
}

// editDistance is the optimal string alignment distance: insertions, deletions,
// replacements and swaps of neighbours. Above limit it returns some larger
// number.
func editDistance(a, b []rune, limit int) int {
	if d := len(a) - len(b); d > limit || -d > limit {
		return limit + 1
	}
	var rows [3][maxNameRunes + 1]int
	before, last, row := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		best := i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			best = min(best, row[j])
		}
		if best > limit {
			return limit + 1
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
