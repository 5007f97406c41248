package servers

import (
	"cmp"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/qedkit/qed/internal/command/database"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/postgresdb"
)

func parsePostgres(u *url.URL) (*database.Database, error) {
	parameters := u.Query()
	schema := cmp.Or(parameters.Get("schema"), firstSchema(parameters.Get("search_path")), "public")
	parameters.Del("schema")
	rest := *u
	rest.RawQuery = parameters.Encode()
	config, err := pgx.ParseConfig(rest.String())
	if err != nil {
		if inner := errors.Unwrap(err); inner != nil {
			err = inner // without the URL
		}
		return nil, fmt.Errorf("the URL's parameters: %w", err)
	}
	if !parameters.Has("default_query_exec_mode") {
		config.DefaultQueryExecMode = pgx.QueryExecModeExec // a model rarely writes the same statement twice
	}
	pool := func() *sql.DB { return limited(stdlib.OpenDB(*config)) }
	address := net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port)))
	d := &database.Database{
		Name:     at("PostgreSQL", cmp.Or(config.Database, config.User)+", schema "+schema, address, config.User),
		Dialect:  postgres.Dialect{},
		Schema:   schema,
		User:     config.User,
		Password: config.Password,
		Connect:  pool,
	}
	d.Reader = func(opt sqldb.Options) (*sqldb.DB, error) {
		return postgresdb.New(pool(), &postgresdb.Options{Options: opt, Schema: d.Schema})
	}
	return d, nil
}

// firstSchema returns the first schema of a search path that is a name.
func firstSchema(path string) string {
	for name := range strings.SplitSeq(path, ",") {
		name = strings.TrimSpace(name)
		if quoted, ok := strings.CutPrefix(name, `"`); ok {
			name = strings.ReplaceAll(strings.TrimSuffix(quoted, `"`), `""`, `"`)
		} else {
			name = strings.ToLower(name)
		}
		if name != "$user" && name != "" {
			return name
		}
	}
	return ""
}
