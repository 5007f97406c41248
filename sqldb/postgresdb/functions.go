package postgresdb

import (
	"context"
	"database/sql"

	"github.com/qedkit/qed/secureview/dialect"
)

// Functions returns the functions of the server's version.
func (*engine) Functions(ctx context.Context, conn *sql.Conn, _ dialect.Dialect) (map[string]bool, error) {
	rows, err := conn.QueryContext(ctx, "SELECT DISTINCT proname FROM pg_catalog.pg_proc WHERE pronamespace = 11") // pg_catalog
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	has := map[string]bool{}
	for _, form := range []string{"coalesce", "nullif", "greatest", "least", "grouping", "extract", "position", "overlay"} {
		has[form] = true // of the grammar
	}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		has[name] = true
	}
	return has, rows.Err()
}
