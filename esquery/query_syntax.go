package esquery

import (
	"regexp"
	"strconv"
	"strings"
)

// minimumMatch checks how many clauses must match: 2, -1, 75%, -25%, or
// conditions such as "2<75% 9<-3". Engines report a wrong value only if they use
// it.
func (c *checker) minimumMatch(v *value) bool {
	return c.must((v.kind == number || v.kind == str) && minimum.MatchString(v.text), v,
		"minimum_should_match", `a whole number, a percentage, or conditions such as "2<75%"`)
}

var minimum = regexp.MustCompile(strings.ReplaceAll(`^\s*(?:COUNT|(?:\d{1,9}\s*<\s*COUNT(?:\s+|$))+)\s*$`,
	"COUNT", `(?:-?\d{1,9}|-?(?:100|\d{1,2})%)`))

// fuzziness checks how many letters may differ: 0, 1, 2, AUTO or AUTO:3,6.
// OpenSearch treats a wrong value as 0.
func (c *checker) fuzziness(v *value) bool {
	return c.must((v.kind == number || v.kind == str) && isFuzziness(v.text), v, "fuzziness",
		"0, 1, 2, AUTO, or AUTO:3,6 with the lengths from which one and two letters may differ")
}

var fuzziness = regexp.MustCompile(`^(?:[012](?:\.0)?|(?i:AUTO)(?::(\d{1,9}),(\d{1,9}))?)$`)

func isFuzziness(s string) bool {
	m := fuzziness.FindStringSubmatch(s)
	if m == nil {
		return false
	}
	low, _ := strconv.Atoi(m[1])
	high, _ := strconv.Atoi(m[2])
	return low <= high
}

// expansions reports more words than a word is expanded to by default, and a choice of
// few words from those of all documents: the chosen words would reveal the existence of
// others.
func (c *checker) expansions(n int) bool {
	switch {
	case n > expansions:
		c.report(ErrTooExpensive, nil, "a word can be expanded to at most %d words", expansions)
	case n < expansions && c.filtered():
		c.report(ErrFilterBypass, nil,
			"the first %d words are chosen from the documents of others too; leave it out", n)
	default:
		return true
	}
	return false
}
