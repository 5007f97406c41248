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
	c.lenient(cl.field, cl.value, cl.is("lenient"))
	if cl.get("fuzziness") != nil {
		c.fuzzyText(cl.value.text, 1, cl.long)
		if !needFuzzy.fits(cl.field) {
			c.unfit(cl.field, needFuzzy)
		}
	}
}

// unchecked are the families whose values only the engines check.
const unchecked familySet = 1<<dateFamily | 1<<dateRangeFamily | 1<<booleanFamily | 1<<ipFamily | 1<<ipRangeFamily | 1<<rangeFamily

// lenient checks the text of a match query. If the text is not a value of the
// field, a lenient query finds nothing and reports no error.
func (c *checker) lenient(f *Field, text *value, lenient bool) {
	if lenient && unchecked&(1<<f.family) != 0 {
		c.report(ErrInvalidLiteral, nil,
			"%s is of type %s, and a lenient query hides that a value does not fit it; leave lenient out",
			quoted(f.Path), f.Type)
		return
	}
	c.literal(f, text, exactLiteral, "")
}
