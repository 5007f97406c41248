package esquery

import (
	"strconv"
	"strings"
)

// minimumMatch checks how many clauses must match: 2, -1, 75%, -25%, or
// conditions such as "2<75% 9<-3". Engines report a wrong value only if they use
// it.
func (c *checker) minimumMatch(v *value) bool {
	if v.kind == number || v.kind == str {
		if isMinimum(v.text) {
			return true
		}
	}
	return c.must(false, v, "minimum_should_match", `a whole number, a percentage, or conditions such as "2<75%"`)
}

// maxMinimum is more than anybody writes.
const maxMinimum = 200

func isMinimum(s string) bool {
	s = strings.TrimSpace(s)
	if len(s) > maxMinimum {
		return false
	}
	if !strings.Contains(s, "<") {
		return isMinimumCount(s)
	}
	// Spaces around < would be split by Fields.
	for strings.Contains(s, " <") || strings.Contains(s, "< ") {
		s = strings.ReplaceAll(strings.ReplaceAll(s, " <", "<"), "< ", "<")
	}
	for _, condition := range strings.Fields(s) {
		above, then, ok := strings.Cut(condition, "<")
		if n, err := strconv.Atoi(above); !ok || err != nil || n < 0 || !isMinimumCount(then) {
			return false
		}
	}
	return true
}

func isMinimumCount(s string) bool {
	count, percent := strings.CutSuffix(s, "%")
	n, err := strconv.ParseInt(count, 10, 32)
	return err == nil && (!percent || -100 <= n && n <= 100)
}

// fuzziness checks how many letters may differ: 0, 1, 2, AUTO or AUTO:3,6.
// OpenSearch treats a wrong value as 0.
func (c *checker) fuzziness(v *value) bool {
	if v.kind == number || v.kind == str {
		if isFuzziness(v.text) {
			return true
		}
	}
	return c.must(false, v, "fuzziness",
		"0, 1, 2, AUTO, or AUTO:3,6 with the lengths from which one and two letters may differ")
}

func isFuzziness(s string) bool {
	switch s {
	case "0", "1", "2", "0.0", "1.0", "2.0":
		return true
	}
	if len(s) < len("AUTO") || !strings.EqualFold(s[:len("AUTO")], "AUTO") {
		return false
	}
	if len(s) == len("AUTO") {
		return true
	}
	low, high, ok := strings.Cut(strings.TrimPrefix(s[len("AUTO"):], ":"), ",")
	l, err1 := strconv.ParseUint(low, 10, 31)
	h, err2 := strconv.ParseUint(high, 10, 31)
	return ok && s[len("AUTO")] == ':' && err1 == nil && err2 == nil && l <= h
}

// leastExpansions is the default number of words that engines expand an
// incomplete or misspelled word to.
const leastExpansions = 50

// expansions reports a choice of few words from those of all documents: the
// chosen words would reveal the existence of others.
func (c *checker) expansions(n int) bool {
	if n > maxExpansions {
		c.report(ErrTooExpensive, nil, "a word can be expanded to at most %d words", maxExpansions)
		return false
	}
	if !c.filtered() || n >= leastExpansions {
		return true
	}
	c.report(ErrFilterBypass, nil,
		"the first %d words are chosen from the documents of others too; use at least %d", n, leastExpansions)
	return false
}
