package claims

import (
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/textmatch"
)

// Phrases that name a cause, in the form of textmatch.Fold. They are a second opinion:
// [Claim].Causal says what the finding means.
var causes = folded("because", "cause", "causes", "caused", "causing", "due to", "owing to", "leads to", "lead to", "led to",
	"leading to", "drives", "driven by", "results in", "resulted in", "resulting in", "as a result of", "thanks to",
	"effect of", "affects", "affected by", "impact of", "impacts", "influences", "influenced by", "boosts", "the reason",
	"responsible for", "weil", "wegen", "aufgrund", "auf Grund", "dank", "verursacht", "verursachen", "verursachte", "führt zu",
	"führen zu", "führte zu", "führten zu", "bewirkt", "bewirken", "bewirkte", "beeinflusst", "beeinflussen", "Ursache", "ursächlich",
	"Grund für", "Grund dafür", "liegt an", "liegt daran", "infolge", "Auswirkung", "Auswirkungen", "wirkt sich", "sorgt für",
	"sorgen für", "wirken sich", "hervorgerufen", "zurückzuführen auf")

// Verbs that name a cause if the metric is their object: "increases the amount", but not
// "increases in May".
var changes = folded("increases", "increased", "improves", "improved", "reduces", "reduced", "raises", "lowers",
	"steigert", "steigern", "erhöht", "erhöhen", "verbessert", "senkt", "senken", "verringert")

var articles = folded("the", "a", "den", "die", "das", "der")

var negations = folded("not", "no", "never", "nicht", "kein", "keine", "keinen", "without", "ohne")

func folded(phrases ...string) []string {
	for i, p := range phrases {
		phrases[i] = textmatch.Fold(p)
	}
	return phrases
}

// causal checks a finding that names a cause. That no words name one proves nothing.
func (c *checker) causal(f *Finding) {
	typed := c.Claim != nil && c.Claim.Causal
	words := c.causalWords(f.Text)
	switch {
	case !typed && len(words) == 0:
	case c.Claim != nil && f.Experiment != "" && c.Claim.By == f.Experiment && (c.Claim.Kind == Means || c.Claim.Kind == Shares):
		c.add(CheckCausal, Pass, c.t.CausalRandomized)
	case typed:
		c.add(CheckCausal, Warn, c.t.CausalTyped)
	default:
		c.add(CheckCausal, Warn, fill(c.t.CausalUnsupported, "words", list(words)))
	}
}

// causalWords returns the words of a text that name a cause.
func (c *checker) causalWords(finding string) (found []string) {
	text := " " + textmatch.Fold(finding) + " "
	if c.Claim != nil {
		metric := " " + textmatch.Fold(c.Claim.Metric) + " "
		for _, verb := range changes {
			_, after, ok := strings.Cut(text, " "+verb+" ")
			for _, article := range articles {
				after = strings.TrimPrefix(after, article+" ")
			}
			if ok && strings.HasPrefix(" "+after, metric) {
				found = append(found, verb)
			}
		}
	}
	for _, col := range c.table.Columns { // a name in the data is no claim
		text = strings.ReplaceAll(text, " "+textmatch.Fold(col.Name)+" ", " ")
	}
	for _, phrase := range causes {
		before, _, ok := strings.Cut(text, " "+phrase+" ")
		words := strings.Fields(before)
		if ok && !slices.ContainsFunc(words[max(0, len(words)-2):], func(w string) bool { return slices.Contains(negations, w) }) {
			found = append(found, phrase)
		}
	}
	return found
}
