package drafts

import (
	"embed"
	"io/fs"
	"text/template"

	"github.com/qedkit/qed/internal/promptset"
)

//go:embed rules/*.tmpl
var rules embed.FS

// Parse returns the template prompts/name of files. The template may include
// the rules of a query language as "elasticsearch.tmpl", "graphql.tmpl" and
// "sql.tmpl". Parse panics if the template is missing or invalid.
func Parse(files fs.FS, name string) *template.Template {
	return template.Must(promptset.Parse(files, name).ParseFS(rules, "rules/*.tmpl"))
}
