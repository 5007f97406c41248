package mysqldb

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"strings"

	driver "github.com/go-sql-driver/mysql"

	"github.com/qedkit/qed/sqldb"
)

// Estimate returns what the server's EXPLAIN says. A table is read once for each
// combination of rows of the tables before it.
func (e *engine) Estimate(ctx context.Context, conn *sql.Conn, q *sqldb.Query) (sqldb.Estimate, error) {
	s, err := e.connections.server(ctx, conn)
	if err != nil {
		return sqldb.Estimate{}, err
	}
	mark := s.mark(q.Tag)
	plan, err := scanMaps(ctx, conn, mark+s.explainCommand()+strings.TrimPrefix(q.SQL, mark))
	if refused, ok := errors.AsType[*driver.MySQLError](err); ok && refused.Number == errMayNotExplain {
		return sqldb.Estimate{}, nil
	}
	return estimateOf(plan), err
}

func estimateOf(plan []map[string]string) sqldb.Estimate {
	var out sqldb.Estimate
	combined := map[string]float64{} // by the number of the SELECT: rows of the tables so far
	for _, step := range plan {
		rows, err := strconv.ParseFloat(step["rows"], 64)
		if err != nil {
			continue // the result of a UNION, or no table
		}
		id := step["id"]
		before, ok := combined[id]
		if !ok {
			before = 1
			if strings.HasPrefix(step["select_type"], "DEPENDENT SUBQUERY") {
				before = max(combined["1"], 1)
			}
		}
		share, err := strconv.ParseFloat(step["filtered"], 64)
		if err != nil {
			share = 100
		}
		out.Read += before * rows
		combined[id] = before * rows * share / 100
	}
	out.Returned = combined["1"]
	return out
}
