package dialect

import (
	"strings"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/sqlast"
)

const maxTitle = 200 // bytes

// title returns the name of an item without an alias: the text of the expression, without
// what the guard adds to it.
func title(e sqlast.Expr) string {
	q := &sqlast.Query{Body: &sqlast.Select{Items: []sqlast.Item{{Expr: e}}}}
	text, err := titleStyle.Append(nil, q, false)
	if err != nil {
		return "" // what cannot be printed is refused
	}
	return prompt.Clip(strings.TrimPrefix(string(text), "SELECT "), maxTitle)
}

// titleStyle prints names without quotes where that is possible.
var titleStyle = func() sqlast.Style {
	s := style
	s.AppendName = func(dst []byte, name string) []byte {
		if strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == "" {
			return append(dst, name...)
		}
		return appendName(dst, name)
	}
	return s
}()
