package esquery

var (
	fuzzyMatching = []param{
		{key: "fuzziness", takes: aFuzziness},
		{key: "prefix_length", takes: aCount},
		{key: "max_expansions", takes: someExpansions},
		{key: "fuzzy_transpositions", takes: aSwitch},
	}

	matchClause = clauseType{name: "match", need: needMatch, main: "query", params: withCommon(append(fuzzyMatching,
		param{key: "query"},
		param{key: "operator", takes: aText},
		param{key: "minimum_should_match", takes: minimumMatch},
		param{key: "analyzer", takes: aText},
		param{key: "lenient", takes: aSwitch},
		param{key: "zero_terms_query", takes: aText},
		param{key: "auto_generate_synonyms_phrase_query", takes: aSwitch})...)}
	matchPhraseClause = clauseType{name: "match_phrase", need: needPhrase, main: "query", params: withCommon(
		param{key: "query"},
		param{key: "analyzer", takes: aText},
		param{key: "slop", takes: aCount},
		param{key: "zero_terms_query", takes: aText})}
	matchPhrasePrefixClause = clauseType{name: "match_phrase_prefix", need: needPhrasePrefix, main: "query",
		params: withCommon(
			param{key: "query"},
			param{key: "analyzer", takes: aText},
			param{key: "slop", takes: aCount},
			param{key: "max_expansions", takes: someExpansions},
			param{key: "zero_terms_query", takes: aText})}
)

func (c *checker) match(v *value)             { c.matchOf(v, &matchClause) }
func (c *checker) matchPhrase(v *value)       { c.matchOf(v, &matchPhraseClause) }
func (c *checker) matchPhrasePrefix(v *value) { c.matchOf(v, &matchPhrasePrefixClause) }

// matchOf checks a query for a text in one field.
func (c *checker) matchOf(v *value, t *clauseType) {
	defer c.back(len(c.path))
	cl, ok := c.clause(v, t)
	if !ok || cl.field == nil {
		return
	}
	c.searchable(cl.field)
	if t != &matchPhrasePrefixClause { // which leaves the * out, and reads the beginning of a word
		c.starred(cl.value)
	}
	c.literal(cl.field, cl.value, exactLiteral, "")
	if cl.get("fuzziness") != nil {
		c.fuzzyText(cl.value.text, 1)
		if !needFuzzy.fits(cl.field) {
			c.unfit(cl.field, needFuzzy)
		}
	}
}
