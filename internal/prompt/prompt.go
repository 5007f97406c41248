// Package prompt puts data into prompts so that it stays data.
package prompt

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/template"
)

// Funcs returns the functions that every prompt may use: join joins strings,
// quote is [Quote]. The map is the caller's own.
func Funcs() template.FuncMap {
	return template.FuncMap{"join": strings.Join, "quote": Quote}
}

// Quote writes untrusted text as a JSON string: it stays on one line, and as <
// is escaped, it cannot end a tag around it.
func Quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return `""` // not reached: every string has a JSON form
	}
	return string(b)
}

// Clip cuts s after at most n bytes, at the end of a rune, and says so.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n] + "..."
}

// A Text is one that a host may replace.
type Text struct {
	Name string             // of the host's option
	Host *template.Template // nil: the package's own stays
	Own  **template.Template
	Data any // zero data, which the host's template is tried out on
}

// Replace puts the host's templates in the place of the package's own. where is
// the option that has them, for the error of one that does not work.
func Replace(where string, texts ...Text) error {
	for _, t := range texts {
		if t.Host == nil {
			continue
		}
		if err := t.Host.Execute(io.Discard, t.Data); err != nil {
			return fmt.Errorf("%s.%s: %w", where, t.Name, err)
		}
		*t.Own = t.Host
	}
	return nil
}
