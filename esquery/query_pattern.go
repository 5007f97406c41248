package esquery

import (
	"regexp"
	"strings"
	"unicode"
)

var (
	prefixClause = clauseType{name: "prefix", need: needPrefix, main: "value", params: withCommon(
		param{key: "value"},
		param{key: "case_insensitive", takes: aSwitch})}
	wildcardClause = clauseType{name: "wildcard", need: needPattern, main: "value", params: withCommon(
		param{key: "value"},
		param{key: "case_insensitive", takes: aSwitch})}
	regexpClause = clauseType{name: "regexp", need: needPattern, main: "value", params: withCommon(
		param{key: "value"},
		param{key: "flags", takes: aText},
		param{key: "case_insensitive", takes: aSwitch},
		param{key: "max_determinized_states", takes: aPositive})}
	fuzzyClause = clauseType{name: "fuzzy", need: needFuzzy, main: "value", params: withCommon(
		param{key: "value"},
		param{key: "fuzziness", takes: aFuzziness},
		param{key: "prefix_length", takes: aCount},
		param{key: "max_expansions", takes: someExpansions},
		param{key: "transpositions", takes: aSwitch})}
)

func (c *checker) prefix(v *value) {
	defer c.back(len(c.path))
	cl, ok := c.clause(v, &prefixClause)
	if !ok {
		return
	}
	if cl.value.text == "" {
		c.report(ErrTooExpensive, []string{"exists"}, "every value has an empty prefix; use exists")
	}
	if strings.ContainsAny(cl.value.text[:min(1, len(cl.value.text))], "^") || strings.Contains(cl.value.text, "*") {
		c.report(ErrInvalidLiteral, []string{"wildcard"},
			"a prefix has no operators: values that begin with %s have these characters; leave ^ and * out", quoted(cl.value.text))
	}
	c.ofWord(&cl, cl.value.text)
}

func (c *checker) wildcard(v *value) {
	defer c.back(len(c.path))
	cl, ok := c.clause(v, &wildcardClause)
	if !ok {
		return
	}
	c.wildcardCost(cl.field, cl.value.text)
	if !cl.is("case_insensitive") {
		c.operators(cl.value.text, "*?")
	}
	c.ofWord(&cl, strings.ReplaceAll(cl.value.text, "*", ""))
}

// wildcardCost reports a pattern that is compared with every term. A field of
// the type wildcard has an index for that.
func (c *checker) wildcardCost(f *Field, pattern string) {
	if (strings.HasPrefix(pattern, "*") || strings.HasPrefix(pattern, "?")) && (f == nil || f.Type != "wildcard") {
		if strings.Trim(pattern, "*") == "" {
			c.report(ErrTooExpensive, []string{"exists"}, "%s matches every value; use exists", quoted(pattern))
			return
		}
		c.report(ErrTooExpensive, []string{"match", "prefix"},
			"%s begins with a wildcard, so it is compared with every value; use match on a text, or a prefix",
			quoted(pattern))
	}
	if len(pattern) > maxRegexp {
		c.report(ErrTooExpensive, nil, "a pattern can have at most %d characters", maxRegexp)
	}
	c.lookUp(patternLookups)
}

func (c *checker) regexp(v *value) {
	defer c.back(len(c.path))
	cl, ok := c.clause(v, &regexpClause)
	if !ok {
		return
	}
	if states := cl.get("max_determinized_states"); states != nil {
		if n, _ := countOf(states); n > maxStates {
			c.report(ErrTooExpensive, nil, "max_determinized_states can be at most %d", maxStates)
		}
	}
	c.lookUp(patternLookups)
	if c.regexpSyntax(cl.value.text, regexpOfQuery) && !cl.is("case_insensitive") {
		c.operators(cl.value.text, `.?+*|()[]{}\`)
	}
	c.ofWord(&cl, "")
}

// operators reports a pattern that has no operator: it matches only the value that is
// equal to it, and who writes a pattern means more.
func (c *checker) operators(pattern, operators string) {
	if pattern != "" && !strings.ContainsAny(pattern, operators) {
		c.report(ErrInvalidLiteral, []string{"term"},
			"%s is the whole value and not a pattern, because it has no operator; write one, or use term", quoted(pattern))
	}
}

// starred reports a value that only another query reads as a pattern.
func (c *checker) starred(v *value) {
	if v.kind == str && strings.Contains(v.text, "*") && starredWord.MatchString(v.text) {
		c.report(ErrInvalidLiteral, []string{"prefix", "wildcard"},
			"in the value %s, * is a character; use prefix or wildcard, in which \\* is the character", quoted(v.text))
	}
}

// starredWord matches a * that stands for the rest of a word, or for any value.
var starredWord = regexp.MustCompile(`^\*$|(?:^|\s)\*[\pL\pN.]|[\pL\pN.]\*(?:\s|$)`)

// regexpSyntax reports an expression with more than what Lucene reads as other regular
// expressions do, or than plain allows. It returns whether there is nothing to report.
func (c *checker) regexpSyntax(pattern string, plain *regexp.Regexp) bool {
	switch {
	case len(pattern) > maxRegexp:
		c.report(ErrTooExpensive, nil, "a regular expression can have at most %d characters", maxRegexp)
	case plain.MatchString(pattern):
		return true
	default:
		c.report(ErrInvalidLiteral, []string{"match", "prefix", "wildcard", "terms"},
			"the regular expression %s is refused. One covers the whole value, without ^ and $. That of a query begins with a letter, "+
				"a digit or a class such as [ab]. Then it can have more of them, spaces and signs such as - and _, other signs behind \\, "+
				"and .* for any characters. A |, alone or in parentheses, separates alternatives, as in (a|b)",
			quoted(pattern))
	}
	return false
}

// An expression has letters, digits, some signs, escaped ones and classes. A letter cannot be
// followed by *: x* is mostly written for x.*.
const (
	regexpClass = `\[\^?(?:[^\[\]\\]|\\[^\pL\pN]|\\[dDwWsS])+\]`
	regexpPart  = `(?:(?:[\pL\pN _/,:=!'-]|\\[^\pL\pN])[+?]?|(?:\.|\\[dDwWsS]|` + regexpClass + `)(?:[*+?]?\??|\{\d+(?:,\d*)?\})?)`
)

var (
	// regexpOfQuery matches one that does not begin with anything: it would be compared with
	// every value.
	regexpOfQuery = plainRegexp(`(?:(?:[\pL\pN_]|\\[^\pL\pN]|\[(?:[^\[\]\\^])+\])\+?)`)
	regexpOfTerms = plainRegexp(regexpPart)
)

// plainRegexp returns what matches an expression and its alternatives that begin with first.
func plainRegexp(first string) *regexp.Regexp {
	const part = regexpPart
	group := `(?:` + part + `|\(` + part + `+(?:\|` + part + `+)*\)\??)`
	whole := `(?:` + first + group + `*|\(` + first + part + `*(?:\|` + first + part + `*)*\)` + group + `*)`
	return regexp.MustCompile(`^` + whole + `(?:\|` + whole + `)*$`)
}

func (c *checker) fuzzy(v *value) {
	defer c.back(len(c.path))
	cl, ok := c.clause(v, &fuzzyClause)
	if !ok {
		return
	}
	text := cl.value.text
	c.fuzzyText(text, 1)
	c.ofWord(&cl, text[:max(0, len(text)-2)]) // two letters may be missing
}

// ofWord reports a value that cannot be a word of a text. These queries are not
// analyzed, but the words of the index are: they have no spaces and no capitals. Each
// value that is found has the characters of least.
func (c *checker) ofWord(cl *clause, least string) {
	f := cl.field
	if f == nil {
		return
	}
	c.searchable(f)
	c.length(f, least)
	if f.family != textFamily || !f.lowercased() {
		return
	}
	switch text := cl.value.text; {
	case strings.ContainsFunc(text, unicode.IsSpace):
		c.report(ErrFieldType, append(c.alternatives(f, needPrefix), "match"),
			"%s is a text and is searched by its words, but %s is more than one word", quoted(f.Path), quoted(text))
	case strings.ContainsFunc(text, unicode.IsUpper) && !cl.is("case_insensitive"):
		c.report(ErrFieldType, append(c.alternatives(f, needPrefix), "match"),
			"%s is a text, whose words are in lower case in the index; %s is not one of them",
			quoted(f.Path), quoted(text))
	}
}

// lowercased reports whether the words of a text are in lower case in the index.
// The custom analyzers of an index are not known.
func (f *Field) lowercased() bool {
	switch f.analyzer {
	case "", "default", "standard", "simple", "stop", "fingerprint", "english":
		return true
	}
	return false
}
