package postgresdb

import (
	"context"
	"database/sql"

	"github.com/qedkit/qed/internal/keyset"
	"github.com/qedkit/qed/secureview/dialect"
)

// Functions returns the functions of the server's version.
func (*engine) Functions(ctx context.Context, conn *sql.Conn, _ dialect.Dialect) (map[string]bool, error) {
	has := map[string]bool{}
	for _, form := range []string{"coalesce", "nullif", "greatest", "least", "grouping", "extract", "position", "overlay"} {
		has[form] = true // of the grammar
	}
	var name string
	err := keyset.Each(ctx, conn, "SELECT DISTINCT proname FROM pg_catalog.pg_proc WHERE pronamespace = 11", // pg_catalog
		[]any{&name}, func() {
			has[name] = true
		})
	return has, err
}
