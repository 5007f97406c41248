// Package duckdb reads files and databases with DuckDB for sqldb.DB. It needs
// cgo, and is a module of its own so that other programs do not.
//
// [Load] reads CSV, Parquet, JSON and Excel files into tables of a database in memory.
// [Open] opens a database file of DuckDB read-only. Both then lock the database:
// no statement reads a file or the network, or changes a setting.
//
// Statements come from a guard with the dialect of package
// [github.com/qedkit/qed/sqldb/duckdb/dialect]. Before one runs, the tables of DuckDB's
// own plan are compared with those that the guard saw. A statement stops at its
// time limit, and when its context ends, between two batches of rows.
//
// DuckDB keeps at most Options.MemoryLimit in memory and writes what is larger into
// a temporary directory, which Close removes. A process that is killed leaves it; the
// next process of the same user that opens a database removes it.
package duckdb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"net/url"
	"runtime"
	"strconv"
	"strings"

	"github.com/duckdb/duckdb-go/v2"

	"github.com/qedkit/qed/analyst/tabular"
	"github.com/qedkit/qed/internal/failure"
	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/internal/tempdir"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/duckdb/dialect"
)

// DefaultTable is the table of a file that names none.
const DefaultTable = "t_parsed"

// Options configures [Load] and [Open]. A nil pointer and the zero value mean the
// defaults. DuckDB has neither replicas nor sessions: Replicas is an error, and
// Session may return only settings that filters of the policy compare. Without a Zone, times are in the time
// zone of the process: the variable TZ, or else that of the system.
type Options struct {
	sqldb.Options

	// MemoryLimit is the maximum number of bytes that DuckDB keeps in memory, for
	// all statements together. 0 means 1 GiB.
	MemoryLimit int

	// MaxTempBytes is the maximum number of bytes of temporary files. 0 means 4 GiB.
	MaxTempBytes int

	// Threads is the number of threads. 0 means one for each processor.
	Threads int
}

// A File is a file that [Load] reads into a table.
type File struct {
	// Path is the path of a local file. Its ending says the format: .csv, .tsv and
	// .txt for CSV; .parquet; .json, .jsonl and .ndjson for JSON; .xlsx and .xlsm for Excel.
	// A file that is not Parquet may be compressed, with .gz after that ending.
	Path string

	// Table is the name of the table. Empty means [DefaultTable].
	Table string

	// Options say how CSV, JSON and Excel are read. Other than for package tabular, zero limits of
	// bytes and rows mean that there are none, and 20,000 columns are read.
	Options tabular.Options
}

// Load reads files into a database in memory, and returns what was found in each. CSV,
// JSON and Excel are read by package [tabular], as they are for every database: a column has a type only
// if all rows fit it, and what is not certain is a text, with a warning. The report of
// a Parquet file has the names of its columns alone. The deadline of ctx ends the reading between two rows.
//
// The error is a [*sqldb.Error] of kind [sqldb.ErrMissing], [sqldb.ErrUnreadable],
// [sqldb.ErrNotDatabase] for a file that is not of its format, [sqldb.ErrTooLarge]
// or [sqldb.ErrArgument]. It wraps the [*tabular.Error] of a text.
func Load(ctx context.Context, files []File, opt *Options) (*sqldb.DB, []tabular.Report, error) {
	if len(files) == 0 {
		return nil, nil, failure.New(sqldb.ErrArgument, "there are no files: name at least one")
	}
	tables, err := checkFiles(files)
	if err != nil {
		return nil, nil, err
	}
	reports := make([]tabular.Report, len(files))
	db, err := open(ctx, "", opt, func(conn *sql.Conn) (err error) {
		for i, f := range files {
			if reports[i], err = load(ctx, conn, f, tables[i]); err != nil {
				return err
			}
		}
		return nil
	})
	return db, reports, err
}

// Open opens a database file of DuckDB read-only. The file must exist. Open a file
// once in a process, and share the DB: two DBs cannot have the same file open.
//
// The error is a [*sqldb.Error] of kind [sqldb.ErrMissing], [sqldb.ErrUnreadable],
// [sqldb.ErrUnavailable], [sqldb.ErrNotDatabase] or [sqldb.ErrArgument].
func Open(ctx context.Context, path string, opt *Options) (*sqldb.DB, error) {
	if err := checkPath(path); err != nil {
		return nil, err
	}
	return open(ctx, path, opt, func(*sql.Conn) error { return nil })
}

func open(ctx context.Context, path string, opt *Options, fill func(*sql.Conn) error) (*sqldb.DB, error) {
	o := option.Of(opt)
	err := errors.Join(
		option.Default("Options.MemoryLimit", &o.MemoryLimit, 1<<30),
		option.Default("Options.MaxTempBytes", &o.MaxTempBytes, 4<<30),
		option.Default("Options.Threads", &o.Threads, runtime.NumCPU()),
		option.Default("Options.MaxOpenConns", &o.MaxOpenConns, defaultConns),
	)
	switch {
	case err != nil:
		return nil, failure.New(sqldb.ErrArgument, err.Error())
	case len(o.Replicas) > 0:
		return nil, failure.New(sqldb.ErrArgument, "Options.Replicas is set, and DuckDB has no replicas")
	}
	c, err := newConnector(path, &o)
	if err != nil {
		return nil, err
	}
	pool := sql.OpenDB(c)
	e := &engine{zone: o.Zone}
	err = prepare(ctx, pool, e, fill)
	if err == nil {
		var db *sqldb.DB
		if db, err = sqldb.New(e, pool, &o.Options); err == nil {
			return db, nil
		}
	}
	return nil, errors.Join(err, pool.Close())
}

const defaultConns = 8 // the default of MaxOpenConns

// prepare fills the database and locks it.
func prepare(ctx context.Context, pool *sql.DB, e *engine, fill func(*sql.Conn) error) error {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return opened(ctx, err)
	}
	defer conn.Close()
	if err := e.setZone(ctx, conn); err != nil {
		return err
	}
	if err := fill(conn); err != nil {
		return err
	}
	for _, s := range []string{"SET GLOBAL enable_external_access = false", "SET GLOBAL lock_configuration = true"} {
		if _, err := conn.ExecContext(ctx, s); err != nil {
			return opened(ctx, err)
		}
	}
	if err := e.findViews(ctx, conn); err != nil {
		return opened(ctx, err)
	}
	return nil
}

func opened(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ended(ctx)
	}
	if known := classify(err); known != nil {
		return known
	}
	return failure.Wrap(sqldb.ErrUnreadable, "the database cannot be opened", err)
}

func ended(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return failure.Wrap(sqldb.ErrTimeout, "reading the files took longer than the deadline allows", ctx.Err())
	}
	return failure.Wrap(sqldb.ErrCanceled, "reading the files was stopped", ctx.Err())
}

// A connector opens connections to one database. Its Close removes the temporary
// directory.
type connector struct {
	*duckdb.Connector
	temp *tempdir.Dir
}

var _ driver.Connector = (*connector)(nil)

// Close closes the database.
func (c *connector) Close() error { return errors.Join(c.Connector.Close(), c.temp.Remove()) }

func newConnector(path string, o *Options) (*connector, error) {
	temp, err := tempdir.New("", "qed-duckdb-")
	if err != nil {
		return nil, failure.Wrap(sqldb.ErrUnreadable, "no temporary directory can be made", err)
	}
	settings := url.Values{
		// The loop that DuckDB 1.5 takes for small ASOF joins fails for columns of
		// different types, with an internal error.
		"asof_loop_join_threshold":     {"0"},
		"memory_limit":                 {strconv.Itoa(o.MemoryLimit) + "B"},
		"max_temp_directory_size":      {strconv.Itoa(o.MaxTempBytes) + "B"},
		"threads":                      {strconv.Itoa(o.Threads)},
		"temp_directory":               {temp.Path},
		"autoinstall_known_extensions": {"false"},
		"autoload_known_extensions":    {"false"},
		"allow_community_extensions":   {"false"},
	}
	if path != "" {
		settings.Set("access_mode", "READ_ONLY")
	}
	c, err := duckdb.NewConnector(path+"?"+settings.Encode(), nil)
	if err != nil {
		err = errors.Join(err, temp.Remove())
		switch text := err.Error(); {
		case strings.Contains(text, "different configuration") || strings.Contains(text, "Unique file handle"):
			return nil, failure.Wrap(sqldb.ErrUnavailable, "this program has the file open already: use one DB for it", err)
		case strings.Contains(text, "Could not set lock"):
			return nil, failure.Wrap(sqldb.ErrUnavailable, "another program writes the file: close it there", err)
		}
		return nil, failure.Wrap(sqldb.ErrNotDatabase, "the file is not a DuckDB database, or of a version that cannot be read", err)
	}
	return &connector{Connector: c, temp: temp}, nil
}

// checkPath returns an error unless path is a regular file that may be read, and
// that DuckDB takes for a single local file.
func checkPath(path string) error {
	switch {
	case path == "":
		return failure.New(sqldb.ErrArgument, "the path is empty: use the path of a file")
	case strings.IndexByte(path, 0) >= 0:
		return failure.New(sqldb.ErrArgument, "the path contains a NUL byte")
	case strings.Contains(path, "://") || strings.HasPrefix(path, "md:"):
		return failure.New(sqldb.ErrArgument, "the path is a URL: use the path of a file")
	case strings.ContainsAny(path, "*?[]{}"):
		return failure.New(sqldb.ErrArgument, "the path contains a character of *?[]{}, which DuckDB reads as a pattern: rename the file")
	}
	f, err := failure.Open(path)
	if err != nil {
		return err
	}
	return f.Close()
}

func quote(name string) string { return dialect.Dialect{}.Quote(name) }

func literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
