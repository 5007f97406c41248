package duckdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/duckdb/duckdb-go/v2"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/failure"
	"github.com/qedkit/qed/internal/keyset"
	"github.com/qedkit/qed/internal/policycheck"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/duckdb/dialect"
)

// engine is the engine of DuckDB. The database does not change after it is opened.
type engine struct {
	views    map[string]reads // by the name of a view in lower case: what its plan reads
	zone     string           // as sqldb.Options.Zone names it
	location *time.Location   // of zone
}

func (*engine) Dialect() string { return "duckdb" }

func (*engine) Classify(err error) *sqldb.Error { return classify(err) }

// Admit compares the tables and columns of DuckDB's plan with those of q.
func (e *engine) Admit(ctx context.Context, conn *sql.Conn, q *sqldb.Query) (func(context.Context) error, error) {
	if s := q.Session; len(s.Settings) > 0 || s.Role != "" || len(s.SearchPath) > 0 {
		return nil, failure.New(sqldb.ErrArgument, "DuckDB has no sessions: "+
			"Options.Session may return only settings that filters of the policy compare")
	}
	plan, found, err := planOf(ctx, conn, q.SQL)
	if err != nil {
		return nil, err
	}
	allowed := reads{}
	for _, o := range q.Objects {
		if view, ok := e.views[ascii.Lower(o.Name)]; ok {
			allowed.addAll(view)
		}
		allowed.add(o.Name, o.Columns)
	}
	if err := found.within(allowed); err != nil {
		return nil, err
	}
	for i := range plan {
		if err := plan[i].checkGroups(); err != nil {
			return nil, err
		}
	}
	if q.SQL, err = withTexts(ctx, conn, q.SQL); err != nil {
		return nil, err
	}
	return func(context.Context) error { return nil }, nil
}

// Estimate returns what the plan of a query says.
func (e *engine) Estimate(ctx context.Context, conn *sql.Conn, q *sqldb.Query) (sqldb.Estimate, error) {
	plan, _, err := planOf(ctx, conn, q.SQL)
	if err != nil {
		return sqldb.Estimate{}, err
	}
	fromTables, most := plan[0].read()
	// A plan does not have the rows of the result without its LIMIT: it may join the rows
	// within the LIMIT with their table.
	return sqldb.Estimate{Read: max(fromTables, most), Returned: most}, nil
}

// findViews reads which tables each view reads.
func (e *engine) findViews(ctx context.Context, conn *sql.Conn) error {
	e.views = map[string]reads{}
	names, err := column(ctx, conn, "SELECT view_name FROM duckdb_views() WHERE NOT internal AND schema_name = 'main' "+
		"AND database_name = current_database() ORDER BY view_oid")
	if err != nil {
		return err
	}
	for _, name := range names {
		// A broken view reads nothing. A view of a view reads what that one reads.
		_, found, err := planOf(ctx, conn, "SELECT * FROM main."+quote(name))
		if err != nil && ctx.Err() != nil {
			return err
		}
		e.views[ascii.Lower(name)] = found
	}
	return nil
}

// column returns the only column of a query.
func column(ctx context.Context, conn *sql.Conn, query string) (out []string, err error) {
	var s string
	err = keyset.Each(ctx, conn, query, []any{&s}, func() { out = append(out, s) })
	return out, err
}

// Check returns the tables, views and columns that a policy lists and the database
// does not have: DuckDB has no accounts.
func (e *engine) Check(ctx context.Context, conn *sql.Conn, p *secureview.Policy) ([]sqldb.Finding, error) {
	open, err := column(ctx, conn, "SELECT name FROM duckdb_settings() WHERE name = 'enable_external_access' AND value <> 'false' "+
		"OR name = 'lock_configuration' AND value <> 'true'")
	if err != nil {
		return nil, err
	}
	if len(open) > 0 {
		return nil, failure.New(sqldb.ErrWritable, "the setting "+strings.Join(open, ", ")+" lets statements leave the database")
	}
	schema, err := e.Introspect(ctx, conn, nil, func(string, string) {})
	if err != nil {
		return nil, err
	}
	return policycheck.Schema(p, dialect.Dialect{}, schema)
}

// classify returns the [sqldb.Error] for an error of DuckDB, or nil.
func classify(err error) *sqldb.Error {
	if known, ok := errors.AsType[*sqldb.Error](err); ok {
		return known
	}
	var e *duckdb.Error
	if !errors.As(err, &e) {
		return nil
	}
	switch e.Type {
	case duckdb.ErrorTypeInterrupt:
		return failure.Wrap(sqldb.ErrCanceled, "the statement was stopped", err)
	case duckdb.ErrorTypeOutOfMemory:
		return failure.Wrap(sqldb.ErrTooLarge,
			"the statement needs more memory or temporary files than Options.MemoryLimit and MaxTempBytes allow: narrow it", err)
	case duckdb.ErrorTypeIO:
		return failure.Wrap(sqldb.ErrUnreadable, "the database cannot be opened or read: check the file and its permissions", err)
	case duckdb.ErrorTypeInternal, duckdb.ErrorTypeFatal:
		return failure.Wrap(sqldb.ErrUnreadable,
			"DuckDB failed, and may refuse every further statement: close the database and open it again", err)
	case duckdb.ErrorTypePermission:
		return failure.Wrap(sqldb.ErrDenied, "the statement would leave the database", err)
	}
	return failure.Wrap(sqldb.ErrExecution, message(e), err)
}

// message returns DuckDB's message on one line. One of a running statement is cut
// at the first quote, because it may contain a value of a row.
func message(e *duckdb.Error) string {
	text, _, _ := strings.Cut(e.Msg, "\n\nLINE")
	switch e.Type {
	case duckdb.ErrorTypeBinder, duckdb.ErrorTypeCatalog, duckdb.ErrorTypeParser, duckdb.ErrorTypeSyntax,
		duckdb.ErrorTypeNotImplemented:
	default:
		if i := strings.IndexAny(text, `'"`+"`("); i >= 0 {
			text = text[:i]
		}
	}
	return failure.Line(fmt.Sprint(text))
}
