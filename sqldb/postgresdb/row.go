package postgresdb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/failure"
	"github.com/qedkit/qed/sqldb"
)

func withPGX(conn *sql.Conn, do func(*pgx.Conn) error) error {
	return conn.Raw(func(driverConn any) error {
		c, ok := driverConn.(*stdlib.Conn)
		if !ok {
			return failure.Newf(sqldb.ErrArgument,
				"the pool has the driver %T: open it with github.com/jackc/pgx/v5/stdlib", driverConn)
		}
		return do(c.Conn())
	})
}

// limitRows sets the maximum size of a message of the server, such as a row, on
// a connection. pgx otherwise reads messages of up to 1 GB as a whole.
func limitRows(conn *sql.Conn, size int) error {
	return withPGX(conn, func(c *pgx.Conn) error {
		c.PgConn().Frontend().SetMaxBodyLen(size)
		return nil
	})
}

// isTooLong reports whether err is that of pgx about a message that exceeds its
// maximum size.
func isTooLong(err error) bool {
	return strings.Contains(err.Error(), "invalid body length: expected at most ")
}

// ReadRows executes q on the connection of pgx, which returns all values as texts, as the
// server writes them. database/sql would convert each value twice, and times and numbers
// would lose what Go's types do not have.
func (*engine) ReadRows(ctx context.Context, conn *sql.Conn, q *sqldb.Query, read func(sqldb.Rows)) error {
	return withPGX(conn, func(c *pgx.Conn) error {
		found, err := c.Query(ctx, q.SQL, pgx.QueryResultFormats{pgx.TextFormatCode})
		if err == nil {
			r := &rows{Rows: found, types: c.TypeMap()}
			r.peeked = found.Next() // the columns are not known before
			if err = found.Err(); err == nil {
				read(r)
				return nil
			}
		}
		if pgconn.SafeToRetry(err) {
			return errors.Join(driver.ErrBadConn, err)
		}
		return err
	})
}

// rows are the rows of a statement as the server sends them.
type rows struct {
	pgx.Rows
	types  *pgtype.Map
	peeked bool // the connection is at the first row already
	next   bool // Next was called
	add    []func(row *sqldb.Row, value []byte) error
}

func (r *rows) Columns() ([]qed.Column, error) {
	fields := r.FieldDescriptions()
	columns := make([]qed.Column, len(fields))
	r.add = make([]func(*sqldb.Row, []byte) error, len(fields))
	for i, f := range fields {
		columns[i] = qed.Column{Name: strings.ToValidUTF8(f.Name, "\uFFFD"), Type: strconv.FormatUint(uint64(f.DataTypeOID), 10)}
		if known, ok := r.types.TypeForOID(f.DataTypeOID); ok {
			columns[i].Type = strings.ToUpper(known.Name)
		}
		r.add[i] = r.adder(f.DataTypeOID)
	}
	return columns, nil
}

func (r *rows) Next() bool {
	if !r.next {
		r.next = true
		return r.peeked
	}
	return r.Rows.Next()
}

func (r *rows) Scan(row *sqldb.Row) error {
	for i, value := range r.RawValues() {
		if value == nil {
			row.Add(nil)
		} else if err := r.add[i](row, value); err != nil {
			return fmt.Errorf("postgresdb: column %d: %w", i+1, err)
		}
	}
	return nil
}

func (r *rows) Close() error {
	r.Rows.Close()
	return r.Err()
}

// adder returns the function that adds a value of a type to a row.
func (r *rows) adder(oid uint32) func(*sqldb.Row, []byte) error {
	switch oid {
	case pgtype.BoolOID:
		return addBool
	case pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID, pgtype.OIDOID, pgtype.XIDOID, pgtype.CIDOID:
		return addInteger
	case pgtype.Float4OID, pgtype.Float8OID:
		return addFloat // the text of a REAL has the digits of a float32
	case pgtype.ByteaOID:
		return addBytes(r.types)
	}
	return addText
}

func addBool(row *sqldb.Row, value []byte) error {
	row.Add(string(value) == "t")
	return nil
}

func addText(row *sqldb.Row, value []byte) error {
	row.AddText(value)
	return nil
}

func addInteger(row *sqldb.Row, value []byte) error {
	n, err := strconv.ParseInt(string(value), 10, 64)
	row.Add(n)
	return err
}

func addFloat(row *sqldb.Row, value []byte) error {
	f, err := strconv.ParseFloat(string(value), 64)
	row.Add(f)
	return err
}

// addBytes returns a function that adds a BYTEA.
func addBytes(types *pgtype.Map) func(*sqldb.Row, []byte) error {
	var scanned []byte
	plan := types.PlanScan(pgtype.ByteaOID, pgtype.TextFormatCode, &scanned)
	return func(row *sqldb.Row, value []byte) error {
		err := plan.Scan(value, &scanned)
		row.AddText(scanned)
		return err
	}
}
