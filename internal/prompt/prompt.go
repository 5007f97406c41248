// Package prompt puts untrusted data into prompts.
package prompt

import (
	"encoding/json"
	"strings"
)

// Conversation marks in a prompt where the conversation goes. Quoted data cannot
// contain it.
const Conversation = "\x00conversation\x00"

// Funcs returns the functions of every prompt template: join is [strings.Join],
// quote is [Quote], conversation is [Conversation]. The caller may modify the map.
func Funcs() map[string]any {
	return map[string]any{"join": strings.Join, "quote": Quote, "conversation": func() string { return Conversation }}
}

// Quote returns untrusted text as a JSON string. The string is on one line and
// contains no <, so it cannot end a tag around it.
func Quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return `""` // not reached: every string can be encoded
	}
	return string(b)
}

// Clip returns s if it has at most n bytes. Otherwise it returns at most n
// bytes of whole runes, followed by "...".
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n] + "..."
}

// OneLine returns s with a space for each run of white space, and none at its ends.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
