// Package promptset parses the prompts of a package, and replaces them by those
// of the host. It is apart from package prompt so that a package without
// prompts of its own does not link text/template.
package promptset

import (
	"fmt"
	"io"
	"io/fs"
	"text/template"

	"github.com/qedkit/qed/internal/prompt"
)

// Parse returns the template prompts/name of files, with the functions of
// [prompt.Funcs]. The template may include the other templates of that
// directory. Parse panics if a template is missing or invalid.
func Parse(files fs.FS, name string) *template.Template {
	all := template.Must(template.New("").Funcs(prompt.Funcs()).ParseFS(files, "prompts/*.tmpl"))
	if t := all.Lookup(name); t != nil {
		return t
	}
	panic("promptset: there is no template " + name)
}

// A Text is a prompt that the host may replace.
type Text struct {
	Name string             // the field of the host's option
	Host *template.Template // the host's prompt; nil means the package's own
	Own  **template.Template
	Data any // the zero value of the prompt's data
}

// Replace sets each Own to the Host template, unless that is nil. It executes
// the template with Data and returns the error, if any. where is the option in
// the error, such as "rag: Options.Prompts".
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
