package resolve

import (
	"encoding/json"
	"slices"
	"strings"
)

// known lists what a tool knows, for its description.
func known(text string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	shown := make([]string, 0, maxListed)
	for _, n := range names[:min(len(names), maxListed)] {
		shown = append(shown, oneLine(n))
	}
	text += strings.Join(shown, ", ")
	if len(names) > maxListed {
		text += " and others"
	}
	return text + "."
}

const maxEnum = 100

// withEnum returns a schema in which the one at a path takes only words. It is for who writes the
// arguments: the catalogue itself says what it makes of a word that it does not know, as it may have
// learned it since. Where there are no words, too many, or one that cannot stand on a line, the schema
// stays what it was.
func withEnum(input json.RawMessage, words []string, path ...string) json.RawMessage {
	odd := func(w string) bool { return w == "" || oneLine(w) != w }
	if len(words) == 0 || len(words) > maxEnum || slices.ContainsFunc(words, odd) {
		return input
	}
	var root map[string]any
	if err := json.Unmarshal(input, &root); err != nil {
		return input
	}
	at := root
	for _, name := range path {
		next, ok := at[name].(map[string]any)
		if !ok {
			return input
		}
		at = next
	}
	at["enum"] = words
	text, err := json.Marshal(root)
	if err != nil {
		return input
	}
	return text
}
