// Package dataset loads a CSV or JSON file into an embedded SQLite database,
// so that an agent can query it like every other database.
//
// [Load] reads the whole input once, finds the type of each column over all
// rows, and writes one table. The result is read through a [sqldb.DB] and a
// guard that allows this table alone. [Dataset.Close] deletes the data.
//
// What was changed while loading, such as a renamed header or another encoding,
// is a [Warning]. Broken input, and input that exceeds a limit, is an [*Error].
//
// # Types
//
// Numbers, times and missing values are what package [tools] reads as such: text
// with a leading zero or a plus sign is text, and placeholders such as "N/A" are
// NULL in a column of numbers or times. In addition numbers may have separators
// of thousands or a decimal comma (see Options.Decimal), and dates may be written
// as 31.12.2006, 31/12/2006 or 12/31/2006 if the rows show which of them. A string
// of JSON is read like a cell of CSV. A column has a type only if all its cells
// fit it: one other cell makes it text, with a Warning. Whole numbers beyond 64
// bits are text.
//
// [tools]: https://pkg.go.dev/github.com/qedkit/qed/tools
package dataset

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	_ "modernc.org/sqlite" // the driver that writes the table

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/tempdir"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/sqlitedb"
)

// A Kind is a reason why an input could not be loaded. It is an error, so that
// it can be the target of errors.Is.
type Kind string

const (
	ErrArgument Kind = "argument"  // an option is invalid
	ErrFormat   Kind = "format"    // the input is neither CSV nor JSON, or it is broken
	ErrEmpty    Kind = "empty"     // there are no columns or no rows
	ErrTooLarge Kind = "too large" // the input exceeds a limit of the options
	ErrRead     Kind = "read"      // the input could not be read
	ErrStorage  Kind = "storage"   // the temporary database could not be written
)

// Error returns the name of the kind.
func (k Kind) Error() string { return "dataset: " + string(k) }

// An Error says why an input could not be loaded. errors.Is finds its Kind. The
// text contains no cells.
type Error struct {
	Kind    Kind
	Line    int    // the line of the input, from 1; 0 if the error is not about one line
	Message string // one sentence, with what to do about it
	Err     error  // the cause; may be nil
}

// Error returns the kind, the line and the message.
func (e *Error) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s: line %d: %s", e.Kind.Error(), e.Line, e.Message)
	}
	return e.Kind.Error() + ": " + e.Message
}

// Is reports whether target is the Kind of e.
func (e *Error) Is(target error) bool { return target == e.Kind }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

func tooManyBytes(limit int64) *Error {
	return errorf(ErrTooLarge, 0, "the input has more than %d bytes; load a part of it or increase MaxBytes", limit)
}

func errorf(kind Kind, line int, format string, args ...any) *Error {
	return &Error{Kind: kind, Line: line, Message: fmt.Sprintf(format, args...)}
}

// Options configures Load. A nil pointer and the zero value mean the defaults.
type Options struct {
	// Separator is the separator of the cells of a CSV file. 0 means that it is
	// detected: a comma, a semicolon, a tab or a vertical bar.
	Separator rune

	// Decimal is the decimal sign of the numbers of the input, '.' or ','. The
	// other sign separates thousands. 0 means that it is detected for each
	// column. Numbers such as 1,234 or 1.234 alone do not prove it: other
	// columns and a semicolon as separator do. A column of unproven numbers is
	// text, with a Warning of kind [DecimalSign]. Numbers of JSON that are not
	// strings have a point.
	Decimal rune

	// Encoding is the name of the input's encoding, such as "shift_jis" or "macintosh", as the
	// WHATWG lists them. Empty means that it is detected: UTF-8, UTF-16 with a byte order mark,
	// or what the letters show, with a Warning of kind [Encoding].
	Encoding string

	// HeaderLine is the line of a CSV file that has the names of the columns, from 1; what is
	// above is left out. -1 means that no line has. 0 means that it is detected: lines above
	// with fewer cells, names in two lines, a line of units below, and a file without a header
	// are recognized where the types of the columns prove them, with a Warning of kind
	// [Header].
	HeaderLine int

	// SkipTotals leaves out rows with the sums of others, such as Total or Subtotal. If it is
	// false they are rows, with a Warning of kind [Totals].
	SkipTotals bool

	MaxBytes     int64 // of the input; 0 means 512 MiB
	MaxRows      int   // 0 means 5,000,000
	MaxCellBytes int   // 0 means 64 KiB

	// MaxRowBytes is the maximum size of a record as the input has it, which may
	// be up to 256 MiB. 0 means 1 MiB, or four times MaxCellBytes if that is
	// more. Loading and querying need memory for a few rows.
	MaxRowBytes int

	// TempDir is the directory of the temporary files. Empty means [os.TempDir]. If a
	// process is killed, the next process that loads removes its files there.
	TempDir string
}

func (o *Options) withDefaults() (Options, error) {
	var opt Options
	if o != nil {
		opt = *o
	}
	if opt.MaxBytes == 0 {
		opt.MaxBytes = 512 << 20
	}
	if opt.MaxRows == 0 {
		opt.MaxRows = 5_000_000
	}
	if opt.MaxCellBytes == 0 {
		opt.MaxCellBytes = 64 << 10
	}
	if opt.HeaderLine < -1 {
		return opt, errorf(ErrArgument, 0, "HeaderLine is %d; it has to be a line, 0 or -1", opt.HeaderLine)
	}
	if opt.MaxBytes < 0 || opt.MaxRows < 0 || opt.MaxCellBytes < 0 || opt.MaxRowBytes < 0 {
		return opt, errorf(ErrArgument, 0, "a limit is negative")
	}
	if opt.MaxCellBytes > maxRowBytes || opt.MaxRowBytes > maxRowBytes {
		return opt, errorf(ErrArgument, 0, "MaxCellBytes is %d and MaxRowBytes %d, and at most %d are possible", opt.MaxCellBytes, opt.MaxRowBytes, maxRowBytes)
	}
	if opt.MaxRowBytes == 0 {
		opt.MaxRowBytes = min(max(1<<20, 4*opt.MaxCellBytes), maxRowBytes)
	}
	if opt.Decimal != 0 && opt.Decimal != '.' && opt.Decimal != ',' {
		return opt, errorf(ErrArgument, 0, "Decimal is %q; it has to be '.' or ','", opt.Decimal)
	}
	if sep := opt.Separator; sep != 0 && (sep == '"' || sep == '\r' || sep == '\n' || sep == utf8.RuneError || !utf8.ValidRune(sep)) {
		return opt, errorf(ErrArgument, 0, "Separator is %q, which cannot separate cells", sep)
	}
	return opt, nil
}

// maxRowBytes is the largest MaxRowBytes, so that SQLite and the memory can hold
// some rows.
const maxRowBytes = 256 << 20

const (
	table      = "t_parsed"
	maxColumns = 1000
)

// storedBytes is a bound of the size of a stored row, with its header.
func (o *Options) storedBytes() int { return o.MaxRowBytes + 20*maxColumns + 100 }

// A Warning says what was changed or noticed while loading.
type Warning struct {
	Kind    WarningKind `json:"kind"`
	Column  string      `json:"column,omitempty"`
	Line    int         `json:"line,omitempty"`  // the first line of the input that it is about
	Count   int         `json:"count,omitempty"` // the number of cells or rows
	Message string      `json:"message"`         // one sentence
}

// A WarningKind is a kind of Warning.
type WarningKind string

const (
	Encoding  WarningKind = "encoding"   // the text was converted to UTF-8
	Delimiter WarningKind = "delimiter"  // the cells are not separated by commas
	Header    WarningKind = "header"     // a column was named or renamed, or the header is not the first line
	Mixed     WarningKind = "mixed"      // most cells of a text column have another type
	Formula   WarningKind = "formula"    // cells start like a formula of a spreadsheet
	Ragged    WarningKind = "ragged"     // rows are shorter than the header
	Totals    WarningKind = "totals"     // rows have the sums of others
	Quotes    WarningKind = "quotes"     // quotes inside of cells are not doubled
	Dropped   WarningKind = "dropped"    // NUL bytes were removed
	DayMonth  WarningKind = "day_month"  // dates whose order or century is unknown
	Converted WarningKind = "conversion" // cells are written in another form
	Missing   WarningKind = "missing"    // placeholders such as N/A are NULL

	DecimalSign WarningKind = "decimal_sign" // numbers whose decimal sign is unknown
	Doubtful    WarningKind = "doubtful"     // cells that are text because they may be something else than numbers or times
	Omitted     WarningKind = "omitted"      // there are more warnings
)

// A Dataset is a loaded table. It is safe for concurrent use.
type Dataset struct {
	DB       *sqldb.DB
	Policy   *secureview.Policy // allows the table and all its columns
	Guard    *secureview.Guard  // of Policy
	Schema   *joinpath.Schema
	Table    string
	Columns  []Column
	Rows     int
	Sample   *qed.Table // the first rows, at most 10
	Warnings []Warning  // at most 101

	dir *tempdir.Dir
}

// A Column is a column of a Dataset.
type Column struct {
	Name   string `json:"name"`
	Header string `json:"header"` // as the input spells it
	Type   Type   `json:"type"`
	Unit   string `json:"unit,omitempty"` // of all its numbers, as the input spells it
}

// Open loads a regular file. See [Load], which also reads from pipes.
func Open(ctx context.Context, path string, opt *Options) (*Dataset, error) {
	name := filepath.Base(path)
	// A named pipe has to be found before it is opened: that waits for a writer.
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, &Error{Kind: ErrRead, Message: name + " is not a regular file: copy its data into one, or use Load"}
	}
	var f *os.File
	if err == nil {
		f, err = os.Open(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &Error{Kind: ErrRead, Message: "there is no file " + name + ": check the path", Err: err}
	}
	if err != nil {
		return nil, &Error{Kind: ErrRead, Message: "the file " + name + " cannot be opened: check its permissions", Err: err}
	}
	defer f.Close()
	o, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	if info.Size() > o.MaxBytes { // before it is copied
		return nil, tooManyBytes(o.MaxBytes)
	}
	return Load(ctx, f, &o)
}

// Load reads CSV, a JSON array of objects or JSON lines from r to its end. The
// format, the separator and the encoding are detected. The first line of CSV has the
// names of the columns; a line such as "sep=;" may be above it. The memory does not
// depend on the number of rows, and a row larger than Options.MaxRowBytes is
// refused before it is read whole. If ctx ends, Load returns its cause.
func Load(ctx context.Context, r io.Reader, o *Options) (_ *Dataset, err error) {
	opt, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	dir, err := tempdir.New(opt.TempDir, "qed-dataset-")
	if err != nil {
		return nil, &Error{Kind: ErrStorage, Message: "no temporary directory can be made", Err: err}
	}
	d := &Dataset{Table: table, dir: dir}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.Close())
		}
	}()
	l := &loader{ctx: ctx, opt: opt, dir: dir.Path}
	if err := l.scan(r); err != nil {
		return nil, err
	}
	path := filepath.Join(dir.Path, "data.db")
	if err := l.store(path); err != nil {
		return nil, err
	}
	d.Rows, d.Warnings = l.rows, l.warnings
	names := make([]string, len(l.columns))
	for i, c := range l.columns {
		names[i] = c.name
		d.Columns = append(d.Columns, Column{Name: c.name, Header: c.header, Type: c.kind, Unit: c.unit})
	}
	limits := sqldb.Options{
		// A row has at most 8 bytes for each cell that is no text.
		MaxBytes:     max(4<<20, opt.MaxRowBytes+8*maxColumns),
		MaxCellBytes: max(64<<10, opt.MaxCellBytes),
	}
	if d.DB, err = sqlitedb.Open(path, &sqlitedb.Options{Options: limits, Immutable: true, MaxValueBytes: max(1<<20, opt.storedBytes())}); err != nil {
		return nil, err
	}
	d.Policy = &secureview.Policy{Dialect: "sqlite", Tables: map[string][]string{d.Table: names}}
	if d.Guard, err = secureview.New(d.Policy, sqlite.Dialect{}); err != nil {
		return nil, err
	}
	if err = d.DB.Check(ctx, d.Policy); err != nil {
		return nil, err
	}
	if d.Schema, err = d.DB.Introspect(ctx); err != nil {
		return nil, err
	}
	stmt, err := d.Guard.Rewrite(ctx, "SELECT * FROM "+quote(d.Table)+" LIMIT 10")
	if err != nil {
		return nil, err
	}
	if d.Sample, err = d.DB.Query(ctx, stmt); err != nil {
		return nil, err
	}
	return d, nil
}

// Close closes the database and deletes the data.
func (d *Dataset) Close() error {
	var err error
	if d.DB != nil {
		err = d.DB.Close()
	}
	return errors.Join(err, d.dir.Remove())
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// store writes the spooled rows to a new database.
func (l *loader) store(path string) error {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return &Error{Kind: ErrStorage, Message: "the temporary database cannot be made", Err: err}
	}
	defer db.Close()
	if err := l.insert(db); err != nil {
		if l.ctx.Err() != nil {
			return context.Cause(l.ctx)
		}
		var own *Error
		if errors.As(err, &own) {
			return err
		}
		return &Error{Kind: ErrStorage, Message: "the temporary database cannot be written", Err: err}
	}
	return db.Close()
}

func (l *loader) insert(db *sql.DB) error {
	conn, err := db.Conn(l.ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	var defs, marks []string
	for _, c := range l.columns {
		defs = append(defs, quote(c.name)+" "+c.kind.declared())
		marks = append(marks, "?")
	}
	for _, text := range []string{
		"PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF",
		"CREATE TABLE " + table + " (" + strings.Join(defs, ", ") + ")",
		"BEGIN",
	} {
		if _, err := conn.ExecContext(l.ctx, text); err != nil {
			return err
		}
	}
	stmt, err := conn.PrepareContext(l.ctx, "INSERT INTO "+table+" VALUES ("+strings.Join(marks, ", ")+")")
	if err != nil {
		return err
	}
	defer stmt.Close()
	values := make([]any, len(l.columns))
	err = l.each(func(cells []cell, _ int) error {
		for i, c := range cells {
			values[i] = l.columns[i].value(c)
		}
		_, err := stmt.ExecContext(l.ctx, values...)
		return err
	})
	if err != nil {
		return err
	}
	_, err = conn.ExecContext(l.ctx, "COMMIT")
	return err
}
