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

// A Set has the prompts of a package by the names of their files, without ".tmpl".
type Set map[string]*template.Template

// Load returns the prompts of the folder prompts that data has the zero values of the
// data for. The files of host replace those of the same name; nil means none. Load
// executes each prompt with its data, and returns an error if that fails or if the
// folder has no file of that name. The prompts may include the templates of the folder
// rules of rules. where is the option in the error, such as
// "rag: Options.Prompts".
func Load(where string, files, host fs.FS, data map[string]any, rules ...fs.FS) (Set, error) {
	all := template.Must(template.New("").Funcs(prompt.Funcs()).ParseFS(files, "prompts/*.tmpl"))
	for _, more := range rules {
		all = template.Must(all.ParseFS(more, "rules/*.tmpl"))
	}
	if host != nil {
		names, err := fs.Glob(host, "*.tmpl")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", where, err)
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("%s: there is no file *.tmpl", where)
		}
		for _, name := range names {
			if _, err := fs.Stat(files, "prompts/"+name); err != nil {
				return nil, fmt.Errorf("%s: there is no prompt %s to replace%s", where, name, all.DefinedTemplates())
			}
		}
		if all, err = all.ParseFS(host, names...); err != nil {
			return nil, fmt.Errorf("%s: %w", where, err)
		}
	}
	set := Set{}
	for name, value := range data {
		set[name] = all.Lookup(name + ".tmpl")
		if err := set[name].Execute(io.Discard, value); err != nil {
			return nil, fmt.Errorf("%s: %w", where, err)
		}
	}
	return set, nil
}
