package esquery

import (
	"strings"

	"github.com/qedkit/qed/refusal"
)

var (
	suggesterNames = []string{"completion", "phrase", "term"}

	suggestionParams = []param{
		{key: "text", takes: aText}, {key: "prefix", takes: aText}, {key: "regex", takes: aText},
		{key: "term", takes: anything}, {key: "phrase", takes: anything}, {key: "completion", takes: anything},
	}
	termSuggesterParams = []param{
		{key: "field", takes: aField, need: needMatch, required: true},
		{key: "text", takes: aText},
		{key: "analyzer", takes: aText},
		{key: "size", takes: aPositive}, {key: "shard_size", takes: aPositive},
		{key: "sort", takes: aText},
		{key: "suggest_mode", takes: aText},
		{key: "max_edits", takes: aPositive},
		{key: "prefix_length", takes: aCount}, {key: "min_word_length", takes: aPositive},
		{key: "max_inspections", takes: aPositive},
		{key: "min_doc_freq", takes: aBoost}, {key: "max_term_freq", takes: aBoost},
		{key: "string_distance", takes: aText},
		{key: "accuracy", takes: aNumber},
	}
	phraseSuggesterParams = []param{
		{key: "field", takes: aField, need: needMatch, required: true},
		{key: "text", takes: aText},
		{key: "analyzer", takes: aText}, {key: "separator", takes: aText},
		{key: "size", takes: aPositive}, {key: "shard_size", takes: aPositive}, {key: "gram_size", takes: aPositive},
		{key: "confidence", takes: aBoost}, {key: "max_errors", takes: aNumber},
		{key: "real_word_error_likelihood", takes: aBoost}, {key: "token_limit", takes: aPositive},
		{key: "force_unigrams", takes: aSwitch},
		{key: "highlight", takes: anObject}, {key: "smoothing", takes: anObject},
		{key: "direct_generator", takes: anything},
		{key: "collate", takes: aScript, why: "collate is a script, and scripts are refused"},
	}
	completionParams = []param{
		{key: "field", takes: aField, need: needCompletion, required: true},
		{key: "size", takes: aPositive}, {key: "shard_size", takes: aPositive},
		{key: "analyzer", takes: aText},
		{key: "skip_duplicates", takes: aSwitch},
		{key: "fuzzy", takes: anything}, {key: "regex", takes: anObject},
		{key: "contexts", takes: anObject}, {key: "context", takes: anObject},
	}
	generatorParams = append([]param{
		{key: "pre_filter", takes: aText}, {key: "post_filter", takes: aText},
	}, termSuggesterParams...)
)

// suggest checks the suggesters, which search the words of all documents.
func (c *checker) suggest(v *value) {
	if c.filtered() {
		c.report(ErrFilterBypass, nil, "suggest searches the words of the documents of others; use a match with fuzziness")
		return
	}
	if !c.is(v, object, "suggest") {
		return
	}
	for i := range v.members {
		m := &v.members[i]
		c.in(m.key)
		if m.key == "text" && m.value.kind != object {
			c.must(isText(&m.value), &m.value, "text", "a string")
		} else {
			c.suggestion(&m.value, v.get("text"))
		}
		c.out()
	}
}

// suggestion checks one suggester. shared is the text of all suggesters; it can be
// nil.
func (c *checker) suggestion(v, shared *value) {
	if !c.params(v, "a suggestion", suggestionParams) {
		return
	}
	text := textOf(v, "text")
	if text == "" && shared != nil {
		text = shared.text
	}
	found := 0
	for i := range v.members {
		m := &v.members[i]
		c.in(m.key)
		switch m.key {
		case "term":
			found++
			c.params(&m.value, m.key, termSuggesterParams)
			c.fuzzyText(text, 1, nil)
		case "phrase":
			found++
			c.fuzzyText(text, 1, nil)
			if c.params(&m.value, m.key, phraseSuggesterParams) {
				c.member(&m.value, "direct_generator", c.generators)
			}
		case "completion":
			found++
			c.params(&m.value, m.key, completionParams)
			if n := count(&m.value, "size", 5); n > c.v.opt.MaxHits {
				c.report(ErrTooExpensive, nil, "there can be at most %d suggestions", c.v.opt.MaxHits)
			}
		}
		c.out()
	}
	if found != 1 {
		c.report(ErrMalformed, refusal.Nearest("", suggesterNames, maxCandidates),
			"a suggestion needs exactly one of %s", strings.Join(suggesterNames, ", "))
	}
}

func (c *checker) generators(v *value) {
	for i := range v.items {
		c.at(i)
		c.params(&v.items[i], "a generator", generatorParams)
		c.out()
	}
	c.must(v.kind == array, v, "direct_generator", "an array")
}
