package graphql

import (
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"
)

// printQuery returns a query on one line, printed from its syntax tree. Line breaks within
// strings are escaped.
func printQuery(doc *ast.QueryDocument) string {
	var b strings.Builder
	form := []formatter.FormatterOption{
		formatter.WithIndent(""), formatter.WithCompacted(), formatter.WithoutDescription(),
	}
	formatter.NewFormatter(&b, form...).FormatQueryDocument(doc)
	text := strings.ReplaceAll(strings.TrimSpace(b.String()), "\n", " ")
	if rest, ok := strings.CutPrefix(text, "query ("); ok {
		return "query(" + rest
	}
	return text
}
