package esquery

import (
	"slices"
	"strings"
)

var (
	multiMatchParams = withCommon(append(fuzzyMatching,
		param{key: "query", takes: aText, required: true},
		param{key: "fields", takes: texts},
		param{key: "type", takes: aText},
		param{key: "operator", takes: aText},
		param{key: "minimum_should_match", takes: minimumMatch},
		param{key: "analyzer", takes: aText},
		param{key: "slop", takes: aCount},
		param{key: "tie_breaker", takes: aNumber},
		param{key: "lenient", takes: aSwitch},
		param{key: "zero_terms_query", takes: aText},
		param{key: "auto_generate_synonyms_phrase_query", takes: aSwitch})...)
	simpleQueryStringParams = withCommon(
		param{key: "query", takes: aText, required: true},
		param{key: "fields", takes: anArray},
		param{key: "default_operator", takes: aText},
		param{key: "flags", takes: aText},
		param{key: "analyze_wildcard", takes: aSwitch},
		param{key: "analyzer", takes: aText},
		param{key: "auto_generate_synonyms_phrase_query", takes: aSwitch},
		param{key: "fuzzy_max_expansions", takes: someExpansions},
		param{key: "fuzzy_prefix_length", takes: aCount},
		param{key: "fuzzy_transpositions", takes: aSwitch},
		param{key: "lenient", takes: aSwitch},
		param{key: "minimum_should_match", takes: minimumMatch},
		param{key: "quote_field_suffix", takes: aText})
)

func (c *checker) multiMatch(v *value) {
	if !c.params(v, "multi_match", multiMatchParams) {
		return
	}
	n, kind := needMatch, textOf(v, "type")
	switch kind {
	case "phrase":
		n = needPhrase
	case "phrase_prefix":
		n = needPhrasePrefix
	}
	if v.get("fuzziness") != nil && n == needMatch {
		n = needFuzzy
		c.fuzzyText(v.get("query").text, c.weighted(v, n))
		return
	}
	c.weighted(v, n)
}

func (c *checker) simpleQueryString(v *value) {
	if !c.params(v, "simple_query_string", simpleQueryStringParams) {
		return
	}
	text := v.get("query").text
	if len(text) > maxQueryString {
		c.report(ErrTooExpensive, nil, "the query can have at most %d bytes", maxQueryString)
	}
	if suffix := v.get("quote_field_suffix"); suffix != nil && !c.trusted && c.index.sensitive.any() {
		c.in("quote_field_suffix")
		c.report(ErrForbidden, nil, "quote_field_suffix changes the names of fields; name all fields in fields")
		c.out()
	}
	// A * makes prefixes and quotes make phrases, which some fields do not
	// support.
	n := needMatch
	switch lenient := v.get("lenient"); {
	case lenient != nil && lenient.text == "true":
	case strings.Contains(text, "*"):
		n = needPrefix
	case strings.Contains(text, `"`):
		n = needPhrase
	}
	searched := c.weighted(v, n)
	if words := strings.Count(text, "~"); words > 0 {
		c.lookUp(times(words, searched))
	}
}

// weighted checks fields, each of which can have a weight: "title^3". A text that
// is not a value of one of them is an error, unless the query is lenient. It returns
// the number of fields.
func (c *checker) weighted(v *value, n need) (searched int) {
	text, names := v.get("query"), v.get("fields")
	if names == nil || names.kind == array && len(names.items) == 0 {
		return c.allFields(v, n)
	}
	given := v.get("lenient")
	// The * for all fields makes engines lenient.
	isAll := func(v value) bool { return v.text == "*" }
	lenient := given != nil && given.text == "true" || given == nil && slices.ContainsFunc(names.items, isAll)
	use := func(f *Field) {
		searched++
		c.searchable(f)
		if f.family != textFamily && (f.family != keywordFamily || len(names.items) == 1) && !lenient {
			c.literal(f, text, sharedLiteral, "")
		}
	}
	c.in("fields")
	defer c.out()
	c.each(names, func(name *value) { c.weightedField(name, n, use) })
	return searched
}

func (c *checker) weightedField(v *value, n need, use func(*Field)) {
	if !c.must(v.kind == str, v, "each of fields", "the name of a field") {
		return
	}
	name, weight, weighs := strings.Cut(v.text, "^")
	if strings.Contains(name, "*") {
		for _, f := range c.pattern(name, n, c.sees) {
			use(f)
		}
		return
	}
	asked := name
	f := c.field(&name, n)
	if f == nil {
		return
	}
	if name != asked {
		v.text = name
		if weighs {
			v.text += "^" + weight
		}
	}
	use(f)
}

// allFields reports a search of all fields if some of them are hidden or differ between
// indices, or if a nested query sees none of them. It returns their number.
func (c *checker) allFields(v *value, n need) (searched int) {
	texts := func(f *Field) bool {
		return f.family == textFamily && f.Parent == "" && n.fits(f) && c.sees(f)
	}
	switch {
	case !c.trusted && c.index.sensitive.any():
		c.report(ErrForbidden, c.some(texts), "name the fields: not all fields may be searched")
	case c.nested != "":
		c.report(ErrMalformed, c.some(texts),
			"name the fields: without them, fields of the document are searched, which a query on %s does not see",
			quoted(c.nested))
	}
	for _, path := range c.index.mapping.known {
		f := c.index.mapping.fields[path]
		if f.family != textFamily && f.family != keywordFamily {
			continue
		}
		if searched++; f.split != "" && c.visible(path) {
			c.unfit(f, n)
			break
		}
	}
	return searched
}
