package secureview

import (
	"strconv"
	"strings"

	"github.com/qedkit/qed/internal/sqlast"
)

// limit bounds the rows of a query by most. It returns the bound, and whether
// the bound is most and not the query's own LIMIT.
func limit(q *sqlast.Query, most int) (rows int, capped bool, err error) {
	rows, own := most, false
	switch {
	case q.Ties:
		return 0, false, &sqlast.Error{Code: sqlast.Unsupported, Name: "WITH TIES", Pos: q.Limit.At(),
			Message: "FETCH .. WITH TIES may return more rows than its number: write it in a subquery"}
	case q.Limit == nil || sqlast.IsNegative(q.Limit): // in SQLite a negative limit means no limit
	default:
		n, ok := q.Limit.(*sqlast.Number)
		if !ok || n.Text == "" || strings.Trim(n.Text, "0123456789") != "" {
			return 0, false, &sqlast.Error{Code: sqlast.RowLimit, Name: "LIMIT", Pos: q.Limit.At(),
				Message: "LIMIT must be a whole number, not an expression"}
		}
		if asked, err := strconv.Atoi(n.Text); err == nil && asked <= most {
			rows, own = asked, true
		}
	}
	if !own {
		at := q.Pos
		if q.Limit != nil {
			at = q.Limit.At()
		}
		q.Limit = &sqlast.Number{Pos: at, Text: strconv.Itoa(rows)}
	}
	return rows, !own, nil
}
