package sqlagent

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// nearest returns the tables whose names and columns share the most words with
// the question, best first, at most limit of them. With pad set, tables that
// share none follow, in the order of their names.
func (c *catalog) nearest(question string, limit int, pad bool) []string {
	asked := map[string]bool{}
	for _, w := range words(question) {
		asked[w] = true
	}
	type scored struct {
		name  string
		score float64
	}
	var all []scored
	for _, name := range c.names {
		// A word of the table's name is worth more than one of a column's, and a
		// name of which every word was asked for more than a longer one.
		t := c.tables[name]
		var score float64
		for _, w := range t.own {
			if asked[w] {
				score += 4 / float64(len(t.own))
			}
		}
		for _, w := range t.details {
			if asked[w] {
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

// words splits text and camelCase or snake_case names into lower-case words
// without a plural s. Words of one or two letters say nothing.
func words(s string) []string {
	var out []string
	var word []rune
	flush := func() {
		if w := strings.ToLower(string(word)); len(w) > 2 {
			out = append(out, singular(w))
		}
		word = word[:0]
	}
	lower := false
	for _, r := range s {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
		case unicode.IsUpper(r) && lower:
			flush()
			word = append(word, r)
		default:
			word = append(word, r)
		}
		lower = unicode.IsLower(r)
	}
	flush()
	return out
}

func singular(w string) string {
	switch {
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss"):
		return w[:len(w)-1]
	}
	return w
}
