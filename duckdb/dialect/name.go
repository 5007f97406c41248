package dialect

import "github.com/qedkit/qed/internal/sqlast"

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
