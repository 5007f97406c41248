package claims

import (
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/textmatch"
)

// Phrases that name a cause, in the form of textmatch.Fold.
var causes = folded("because", "cause", "causes", "caused", "causing", "due to", "owing to", "leads to", "lead to", "led to",
	"leading to", "drives", "driven by", "results in", "resulted in", "resulting in", "as a result of", "thanks to",
	"effect of", "affects", "affected by", "impact of", "impacts", "influences", "influenced by", "boosts", "the reason",
	"weil", "wegen", "aufgrund", "auf Grund", "dank", "verursacht", "verursachen", "verursachte", "führt zu", "führen zu",
	"führte zu", "führten zu", "bewirkt", "bewirken", "bewirkte", "beeinflusst", "beeinflussen", "Ursache", "ursächlich",
	"Grund für", "Grund dafür", "liegt an", "liegt daran", "infolge", "Auswirkung", "Auswirkungen", "wirkt sich",
	"wirken sich", "hervorgerufen", "zurückzuführen auf")

var negations = folded("not", "no", "never", "nicht", "kein", "keine", "keinen", "without", "ohne")

func folded(phrases ...string) []string {
	for i, p := range phrases {
		phrases[i] = textmatch.Fold(p)
	}
	return phrases
}

// causal checks the words of the finding for causes.
func (c *checker) causal(f *Finding) {
	text := " " + textmatch.Fold(f.Text) + " "
	for _, col := range c.table.Columns { // a name in the data is no claim
		text = strings.ReplaceAll(text, " "+textmatch.Fold(col.Name)+" ", " ")
	}
	var found []string
	for _, phrase := range causes {
		before, _, ok := strings.Cut(text, " "+phrase+" ")
		words := strings.Fields(before)
		if ok && !slices.ContainsFunc(words[max(0, len(words)-2):], func(w string) bool { return slices.Contains(negations, w) }) {
			found = append(found, phrase)
		}
	}
	switch {
	case len(found) == 0:
		c.add(CheckCausal, Pass, c.t.CausalNone)
	case f.Randomized:
		c.add(CheckCausal, Pass, c.t.CausalRandomized)
	default:
		c.add(CheckCausal, Warn, fill(c.t.CausalUnsupported, "words", list(found)))
	}
}
