// Package stockphrases recognises messages that consist of known phrases, such as
// "yes, please" or "never mind".
package stockphrases

import (
	"slices"
	"strings"
)

// Abort are the phrases with which a user cancels a run.
var Abort = []string{
	"never mind", "nevermind", "cancel", "abort", "forget it", "forget about it", "stop", "quit", "drop it", "leave it",
	"vergiss es", "abbrechen", "abbruch", "lass es", "lass gut sein", "egal",
}

var polite = []string{"please", "thanks", "thank you", "bitte", "danke"}

// Says reports whether text consists of one or more of the phrases. Polite words,
// upper case and punctuation are ignored.
func Says(text string, phrases []string) bool {
	said := false
	for part := range strings.FieldsFuncSeq(text, IsMark) {
		part = Core(part)
		switch {
		case slices.Contains(phrases, part):
			said = true
		case part != "" && !slices.Contains(polite, part):
			return false
		}
	}
	return said
}

// IsMark reports whether r separates the phrases of a message.
func IsMark(r rune) bool { return strings.ContainsRune(":,;.!\n", r) }

// Core returns a part of a message in the form that lists of phrases use: see
// [Normal], with ASCII apostrophes and without a polite word before or after it.
func Core(part string) string {
	part = strings.ReplaceAll(Normal(part), "’", "'")
	for _, word := range polite {
		if rest, ok := strings.CutSuffix(part, " "+word); ok {
			return rest
		}
		if rest, ok := strings.CutPrefix(part, word+" "); ok {
			return rest
		}
	}
	return part
}

// Normal returns text in the form in which texts are compared: in lower case, with
// one space between words, and without punctuation and quotes around it.
func Normal(text string) string {
	return strings.Trim(strings.Join(strings.Fields(strings.ToLower(text)), " "), " .,;:!?\"'`()[]«»„“”‚‘’")
}
