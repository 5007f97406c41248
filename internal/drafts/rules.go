package drafts

import (
	"embed"
	"io/fs"
	"text/template"

	"github.com/qedkit/qed/internal/promptset"
)

// Rules are the rules of the query languages, as "rules/elasticsearch.tmpl",
// "rules/graphql.tmpl" and "rules/sql.tmpl".
//
//go:embed rules/*.tmpl
var Rules embed.FS

// Parse returns the template prompts/name of files. The template may include
// the rules of a query language as "elasticsearch.tmpl", "graphql.tmpl" and
// "sql.tmpl". Parse panics if the template is missing or invalid.
func Parse(files fs.FS, name string) *template.Template {
	return template.Must(promptset.Parse(files, name).ParseFS(Rules, "rules/*.tmpl"))
}
