package dialect

import (
	"strings"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/sqlast"
)

const maxTitle = 200 // bytes

// title returns the name of an item without an alias: that of DuckDB if it is known,
// or else the text of the expression, without what the guard adds to it.
func title(e sqlast.Expr) string {
	if name := ownName(e); name != "" {
		return name
	}
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

// ownName returns the name that DuckDB gives to an item without an alias, for calls
// of columns and columns under a cast. It returns "" for other expressions, whose
// name DuckDB makes of the printed text.
func ownName(e sqlast.Expr) string {
	switch e := e.(type) {
	case *sqlast.Column:
		return e.Name
	case *sqlast.Number:
		return e.Text
	case *sqlast.Cast:
		if x := ownName(e.X); x != "" {
			return "CAST(" + x + " AS " + e.Type + ")"
		}
	case *sqlast.Call:
		if e.Over != nil || e.Filter != nil || len(e.OrderBy) > 0 {
			return ""
		}
		if e.Star {
			return "count_star()"
		}
		text := e.Name + "("
		if e.Distinct {
			text += "DISTINCT "
		}
		for i, arg := range e.Args {
			if i > 0 {
				text += ", "
			}
			x := ownName(arg)
			if x == "" {
				return ""
			}
			text += x
		}
		return text + ")"
	}
	return ""
}
