package sqlagent

import (
	"cmp"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/words"
)

// nearest returns the tables whose names and columns share the most words with
// the question, best first, at most limit of them. With pad set, tables that
// share none follow, in the order of their names.
func (c *catalog) nearest(question string, limit int, pad bool) []string {
	sequence := nameWords(question)
	asked := map[string]bool{}
	for _, w := range sequence {
		asked[w] = true
	}
	type scored struct {
		name  string
		score float64
	}
	var all []scored
	for _, name := range c.names {
		// A word of the table's name weighs more than one of a column's, and a
		// short name that was asked for more than a part of a longer one.
		t := c.tables[name]
		var score float64
		whole := asksFor(sequence, t.own)
		for _, w := range t.own {
			if asked[w] && (whole || !weakWords[w]) {
				score += 4 / float64(len(t.own))
			}
		}
		for _, w := range t.details {
			if asked[w] {
				score++
			}
		}
		for _, name := range t.weakNames {
			if asksFor(sequence, name) {
				score++
			}
		}
		if score > 0 || pad {
			all = append(all, scored{name, score})
		}
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	all = all[:min(limit, len(all))]
	names := make([]string, len(all))
	for i, s := range all {
		names[i] = s.name
	}
	return names
}

// addColumn adds the words of a column's name.
func (t *table) addColumn(name string) {
	all := nameWords(name)
	strong := slices.DeleteFunc(slices.Clone(all), func(w string) bool { return weakWords[w] })
	t.details = append(t.details, strong...)
	if weak := len(strong) < len(all); weak && (len(all) > 1 || len(strings.Fields(words.Spaced(name))) == 1) {
		t.weakNames = append(t.weakNames, all)
	}
}

// nameWords returns the content words of a name, or of a text that contains
// names. ASCII words of one or two letters, such as id, are left out.
func nameWords(s string) []string {
	return slices.DeleteFunc(words.Split(words.Spaced(s), nil), func(w string) bool { return len(w) < 3 })
}

// asksFor reports whether the words of a question contain those of a name, one
// after the other.
func asksFor(question, name []string) bool {
	for i := range len(question) - len(name) + 1 {
		if len(name) > 0 && slices.Equal(question[i:i+len(name)], name) {
			return true
		}
	}
	return false
}

// weakWords ask for something or choose among rows, and do not say what a
// question is about: the last month is not in a column lastName. They count
// only if the question contains the whole name.
var weakWords = func() words.Set {
	set := words.Set{}
	for _, w := range words.Split(`all any current each every find first get give last latest least list many most much new
		newest next old oldest past please previous prior recent second show tell third top`, nil) {
		set[w] = true
	}
	return set
}()
