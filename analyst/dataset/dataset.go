// Package dataset loads a CSV, JSON or Excel file into an embedded SQLite database,
// so that an agent can query it like every other database.
//
// [Load] reads the input with package [tabular], which finds the types of the columns, and
// writes one table. The result is read through a [sqldb.DB] and a
// guard that allows this table alone. [Dataset.Close] deletes the data.
//
// What was changed while loading, such as a renamed header or another encoding,
// is a [tabular.Warning]. Broken input, and input that exceeds a limit, is a
// [*tabular.Error].
//
// [tabular]: https://pkg.go.dev/github.com/qedkit/qed/analyst/tabular
package dataset

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"io"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite" // the driver that writes the table

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/analyst/tabular"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/tempdir"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/sqlitedb"
)

const table = "t_parsed"

// A Dataset is a loaded table. It is safe for concurrent use.
type Dataset struct {
	tabular.Report

	DB     *sqldb.DB
	Policy *secureview.Policy // allows the table and all its columns
	Guard  *secureview.Guard  // of Policy
	Schema *joinpath.Schema
	Table  string
	Sample *qed.Table // the first rows, at most 10

	dir *tempdir.Dir
}

// Open loads a regular file. See [Load], which also reads from pipes.
func Open(ctx context.Context, path string, opt *tabular.Options) (*Dataset, error) {
	f, err := tabular.Open(ctx, path, opt)
	return load(ctx, f, err, opt)
}

// Load reads a table as [tabular.Read] does, and writes it to a new database. If ctx ends, Load
// returns its cause.
func Load(ctx context.Context, r io.Reader, opt *tabular.Options) (*Dataset, error) {
	f, err := tabular.Read(ctx, r, opt)
	return load(ctx, f, err, opt)
}

func load(ctx context.Context, f *tabular.File, err error, opt *tabular.Options) (*Dataset, error) {
	if err != nil {
		return nil, err
	}
	d, err := write(ctx, f, opt)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// write writes the rows of a file to a database, and opens it. The Dataset has to be closed
// also if there is an error.
func write(ctx context.Context, f *tabular.File, opt *tabular.Options) (*Dataset, error) {
	d := &Dataset{Report: f.Report, Table: table}
	root := ""
	if opt != nil {
		root = opt.TempDir
	}
	var err error
	if d.dir, err = tempdir.New(root, "qed-dataset-"); err != nil {
		return d, &tabular.Error{Kind: tabular.ErrStorage, Message: "no temporary directory can be made", Err: err}
	}
	path := filepath.Join(d.dir.Path, "data.db")
	if err := store(ctx, f, path); err != nil {
		return d, err
	}
	names := lists.Map(f.Columns, func(c tabular.Column) string { return c.Name })
	cell, row := opt.Limits()
	limits := sqldb.Options{
		// A row has at most 8 bytes for each cell that is no text.
		MaxBytes:     max(4<<20, row+8*len(names)),
		MaxCellBytes: max(64<<10, cell),
	}
	stored := row + 20*len(names) + 100 // with its header
	if d.DB, err = sqlitedb.Open(path, &sqlitedb.Options{Options: limits, Immutable: true, MaxValueBytes: max(1<<20, stored)}); err != nil {
		return d, err
	}
	d.Policy = &secureview.Policy{Dialect: "sqlite", Tables: map[string][]string{d.Table: names}}
	if d.Guard, err = secureview.New(d.Policy, sqlite.Dialect{}); err != nil {
		return d, err
	}
	if err = d.DB.Check(ctx, d.Policy); err != nil {
		return d, err
	}
	if d.Schema, err = d.DB.Introspect(ctx); err != nil {
		return d, err
	}
	stmt, err := d.Guard.Rewrite(ctx, "SELECT * FROM "+quote(d.Table)+" LIMIT 10")
	if err != nil {
		return d, err
	}
	d.Sample, err = d.DB.Query(ctx, stmt)
	return d, err
}

// Close closes the database and deletes the data.
func (d *Dataset) Close() error {
	var errs []error
	if d.DB != nil {
		errs = append(errs, d.DB.Close())
	}
	if d.dir != nil {
		errs = append(errs, d.dir.Remove())
	}
	return errors.Join(errs...)
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// declared are the types in the definition of the table. Times are texts.
var declared = map[tabular.Type]string{tabular.Integer: "INTEGER", tabular.Decimal: "REAL", tabular.Boolean: "BOOLEAN"}

// store writes the rows to a new database.
func store(ctx context.Context, f *tabular.File, path string) error {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return &tabular.Error{Kind: tabular.ErrStorage, Message: "a temporary database cannot be made", Err: err}
	}
	defer db.Close()
	if err := insert(ctx, f, db); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if _, ok := errors.AsType[*tabular.Error](err); ok {
			return err
		}
		return &tabular.Error{Kind: tabular.ErrStorage, Message: "a temporary database cannot be written", Err: err}
	}
	return db.Close()
}

func insert(ctx context.Context, f *tabular.File, db *sql.DB) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	var defs, marks []string
	for _, c := range f.Columns {
		kind := cmp.Or(declared[c.Type], "TEXT")
		defs, marks = append(defs, quote(c.Name)+" "+kind), append(marks, "?")
	}
	for _, text := range []string{
		"PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF",
		"CREATE TABLE " + table + " (" + strings.Join(defs, ", ") + ")",
		"BEGIN",
	} {
		if _, err := conn.ExecContext(ctx, text); err != nil {
			return err
		}
	}
	stmt, err := conn.PrepareContext(ctx, "INSERT INTO "+table+" VALUES ("+strings.Join(marks, ", ")+")")
	if err != nil {
		return err
	}
	defer stmt.Close()
	// Each ends with ctx. With a context of its own each insertion would start a goroutine that
	// waits for its end.
	err = f.Each(ctx, func(values []any) error {
		_, err := stmt.ExecContext(context.WithoutCancel(ctx), values...)
		return err
	})
	if err != nil {
		return err
	}
	_, err = conn.ExecContext(ctx, "COMMIT")
	return err
}
