package duckdb

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/qedkit/qed/internal/failure"
	"github.com/qedkit/qed/internal/timezone"
	"github.com/qedkit/qed/sqldb"
)

// Zone returns the time zone of the database, which setZone has set.
func (e *engine) Zone(context.Context, *sql.Conn) (string, error) { return e.zone, nil }

// setZone sets the time zone of the database: that of the options, or else the one
// that DuckDB found on the machine, or else UTC.
func (e *engine) setZone(ctx context.Context, conn *sql.Conn) (err error) {
	if e.zone == "" {
		own, err := column(ctx, conn, "SELECT current_setting('TimeZone')::VARCHAR")
		if err != nil {
			return opened(ctx, err)
		}
		e.zone = "UTC"
		if _, err := timezone.Load(own[0]); err == nil && own[0] != "" {
			e.zone = own[0]
		}
	}
	if e.location, err = timezone.Load(e.zone); err != nil {
		return failure.New(sqldb.ErrArgument, fmt.Sprintf("Options.Zone is %q: %v", e.zone, err))
	}
	setting := e.zone
	if seconds, ok := timezone.Offset(setting); ok {
		if seconds%3600 != 0 {
			return failure.New(sqldb.ErrArgument, "Options.Zone is "+e.zone+", and DuckDB knows offsets of whole hours "+
				"only: use the name of a zone, such as Asia/Kolkata")
		}
		if setting = "UTC"; seconds != 0 {
			setting = fmt.Sprintf("Etc/GMT%+d", -seconds/3600) // which counts to the west
		}
	}
	if _, err := conn.ExecContext(ctx, "SET GLOBAL TimeZone = "+literal(setting)); err != nil {
		if ctx.Err() != nil {
			return ended(ctx)
		}
		return failure.Wrap(sqldb.ErrArgument, "DuckDB does not know the time zone "+e.zone+" of Options.Zone: "+
			"use the name of another one", err)
	}
	return nil
}
