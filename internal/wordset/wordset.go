// Package wordset makes sets of words from lists in the code, and finds words in texts.
package wordset

import "strings"

// Of returns the words of lists, which are separated by white space, as a set.
func Of(lists ...string) map[string]bool {
	set := map[string]bool{}
	for _, list := range lists {
		for word := range strings.FieldsSeq(list) {
			set[word] = true
		}
	}
	return set
}
