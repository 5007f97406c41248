package postgresdb_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/postgresdb"
)

// server is a driver that returns its version for every statement.
type server struct{ version string }

func (s server) Connect(context.Context) (driver.Conn, error) { return s, nil }
func (s server) Driver() driver.Driver                        { return nil }
func (s server) Prepare(string) (driver.Stmt, error)          { return nil, errors.ErrUnsupported }
func (s server) Close() error                                 { return nil }
func (s server) Begin() (driver.Tx, error)                    { return nil, errors.ErrUnsupported }
func (s server) BeginTx(context.Context, driver.TxOptions) (driver.Tx, error) {
	return s, nil
}
func (s server) Commit() error   { return nil }
func (s server) Rollback() error { return nil }
func (s server) ExecContext(context.Context, string, []driver.NamedValue) (driver.Result, error) {
	return driver.RowsAffected(0), nil
}
func (s server) QueryContext(context.Context, string, []driver.NamedValue) (driver.Rows, error) {
	return &answer{value: s.version}, nil
}

type answer struct {
	value any
	done  bool
}

func (a *answer) Columns() []string { return []string{"answer"} }
func (a *answer) Close() error      { return nil }
func (a *answer) Next(dest []driver.Value) error {
	if a.done {
		return io.EOF
	}
	dest[0], a.done = a.value, true
	return nil
}

// A server that is too old is reported with its version, before anything is
// read.
func TestOldServer(t *testing.T) {
	for version, want := range map[string]string{"90624": "9.6", "110022": "11"} {
		db, err := postgresdb.New(sql.OpenDB(server{version}), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		_, introspected := db.Introspect(t.Context())
		for name, err := range map[string]error{"Check": db.Check(t.Context(), nil), "Introspect": introspected} {
			if !errors.Is(err, sqldb.ErrUnreadable) || !strings.Contains(err.Error(), "PostgreSQL "+want) {
				t.Errorf("%s of version %s: %v", name, version, err)
			}
		}
	}
}

func TestNew(t *testing.T) {
	pool := sql.OpenDB(server{})
	defer pool.Close()
	for name, err := range map[string]error{
		"no pool":        second(postgresdb.New(nil, nil)),
		"one pool twice": second(postgresdb.New(pool, &postgresdb.Options{Options: sqldb.Options{Replicas: []*sql.DB{pool}}})),
		"a limit":        second(postgresdb.New(pool, &postgresdb.Options{Options: sqldb.Options{MaxRows: -1}})),
	} {
		if !errors.Is(err, sqldb.ErrArgument) {
			t.Errorf("%s: %v", name, err)
		}
	}
	db, err := postgresdb.New(pool, nil)
	if err != nil || db.Dialect() != "postgres" {
		t.Error(db, err)
	}
}

func second(_ *sqldb.DB, err error) error { return err }
