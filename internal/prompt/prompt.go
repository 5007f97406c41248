// Package prompt puts untrusted data into prompts, and replaces the prompts of a
// package by those of the host.
package prompt

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"text/template"
)

// Funcs returns the functions of every prompt template: join is [strings.Join],
// quote is [Quote]. The caller may modify the map.
func Funcs() template.FuncMap {
	return template.FuncMap{"join": strings.Join, "quote": Quote}
}

// Parse returns the template prompts/name of files, with the functions of [Funcs].
// The template may include the other templates of that directory. Parse panics if a
// template is missing or invalid.
func Parse(files fs.FS, name string) *template.Template {
	all := template.Must(template.New("").Funcs(Funcs()).ParseFS(files, "prompts/*.tmpl"))
	if t := all.Lookup(name); t != nil {
		return t
	}
	panic("prompt: there is no template " + name)
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

// Clip returns s if it has at most n bytes. Otherwise it returns at most n bytes of
// whole runes, followed by "...".
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n] + "..."
}

// A Text is a prompt that the host may replace.
type Text struct {
	Name string             // the field of the host's option
	Host *template.Template // the host's prompt; nil means the package's own
	Own  **template.Template
	Data any // the zero value of the prompt's data
}

// Replace sets each Own to the Host template, unless that is nil. It executes the
// template with Data and returns the error, if any. where is the option in the
// error, such as "rag: Options.Prompts".
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
