package esquery

import "unicode"

// lookUp counts lookups in the words of the index, and reports too many.
func (c *checker) lookUp(n int) {
	before := c.lookups
	if c.lookups = min(c.lookups+n, tooMany); c.lookups > maxLookups && before <= maxLookups {
		c.report(ErrTooExpensive, nil,
			"the words with fuzziness and the patterns of a body can cost at most %d lookups, one for each word and field "+
				"and %d for each pattern: use fewer of them", maxLookups, patternLookups)
	}
}

// fuzzyText counts the words of a text with fuzziness, each of which is compared
// with the words of the index in each of the fields.
func (c *checker) fuzzyText(text string, fields int) {
	if len(text) > maxFuzzy {
		c.report(ErrTooExpensive, nil, "a text with fuzziness can have at most %d bytes", maxFuzzy)
		return
	}
	c.lookUp(times(countWords(text), fields))
}

// countWords returns how many words an analyzer could make of a text.
func countWords(text string) int {
	n, inside := 0, false
	for _, r := range text {
		letter := unicode.IsLetter(r) || unicode.IsDigit(r)
		if letter && (!inside || r >= 0x2E80) { // from there on, characters are words
			n++
		}
		inside = letter
	}
	return n
}
