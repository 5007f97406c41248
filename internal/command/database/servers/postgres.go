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
	schemas, err := database.Schemas(parameters)
	if err != nil {
		return nil, err
	}
	rest := *u
	rest.RawQuery = strings.ReplaceAll(parameters.Encode(), "+", "%20") // pgx does not read + as a space
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
	name := cmp.Or(config.Database, config.User)
	if len(schemas) > 0 {
		name += ", schema " + strings.Join(schemas, ", ")
	}
	address := net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port)))
	return &database.Database{
		Name:     at("PostgreSQL", name, address, config.User),
		Dialect:  postgres.Dialect{},
		Schemas:  schemas,
		User:     config.User,
		Password: config.Password,
		Reader: func(opt sqldb.Options) (*sqldb.DB, error) {
			return postgresdb.New(pool(), &postgresdb.Options{Options: opt})
		},
		Connect: pool,
	}, nil
}
