// Package tabular reads a table from a file as people have it: CSV in its many forms, JSON,
// lines of JSON, and Excel (.xlsx). It finds what the lines and the columns are, once and for each database
// that the rows are written to.
//
// [Read] reads the whole input and finds the type of each column over all rows.
// [File.Each] passes on the rows with values of these types. What was changed or could not be
// decided is a [Warning]. Broken input, and input that exceeds a limit, is an [*Error].
//
// # Types
//
// A column has a type only if all its cells fit it. Nothing is guessed: 1.234 is a number only
// if another cell or another column shows what the point means, 03/04/2026 is a date only if
// another row shows the order, 1E5 or +49 may be a code, and 1.10 in a column called version is
// not 1.1. Without evidence the column is text, with a Warning that says why. Text with a
// leading zero is text. Whole numbers beyond 64 bits are text, as they are identifiers.
//
// Numbers may have a currency or a percent sign, brackets or a minus at the end, and
// separators of thousands; the unit is in [Column]. Dates may be written as 31.12.2006,
// 12/31/2006 3:04 PM, 31-Dec-06 or 31. Dezember 2006. Placeholders such as "N/A" are NULL in a
// column of numbers or times. A string of JSON or a text of Excel is read like a cell of CSV.
//
// Numbers of Excel have the type that their format shows: dates, in the system of 1900 or
// 1904, percents, and amounts with a currency. Errors such as #N/A are NULL. Times of the day
// and durations without a date are text such as 26:30:00.
package tabular

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/internal/tempdir"
)

// A Kind is a reason why an input could not be read. It is an error, so that
// it can be the target of errors.Is.
type Kind string

const (
	ErrArgument Kind = "argument"  // an option is invalid
	ErrFormat   Kind = "format"    // the input is neither CSV, JSON nor Excel, or it is broken
	ErrEmpty    Kind = "empty"     // there are no columns or no rows
	ErrTooLarge Kind = "too large" // the input exceeds a limit of the options
	ErrRead     Kind = "read"      // the input could not be read
	ErrStorage  Kind = "storage"   // a temporary file or database could not be written
)

// Error returns the name of the kind.
func (k Kind) Error() string { return "tabular: " + string(k) }

// An Error says why an input could not be read. errors.Is finds its Kind. The
// texts contain no cells.
type Error struct {
	Kind    Kind
	Line    int    // the line of the input or the row of the sheet, from 1; 0 if the error is not about one line
	Message string // one sentence for developers, in English: what to do about the file
	User    string // the same for users, in the language of the options; empty means Message
	Option  string // the field of [Options] that may help, such as MaxRows, or ""
	Err     error  // the cause; may be nil

	text    func(*texts) string
	values  []string // by name, in text
	lenient bool     // quotes may be read as they stand
}

// Error returns the kind, the line, the message, the option and the cause.
func (e *Error) Error() string {
	text := e.Kind.Error() + ": "
	if e.Line > 0 {
		text += fmt.Sprintf("line %d: ", e.Line)
	}
	text += e.Message
	if e.Option != "" {
		text += ", or set Options." + e.Option
	}
	if e.Err != nil && (e.Kind == ErrStorage || e.Kind == ErrTooLarge) { // others may have cells
		text += ": " + e.Err.Error()
	}
	return text
}

// ForUser returns what the user can do about the file.
func (e *Error) ForUser() string { return cmp.Or(e.User, e.Message) }

// Is reports whether target is the Kind of e.
func (e *Error) Is(target error) bool { return target == e.Kind }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

func tooManyBytes(limit int64) *Error {
	return optionf("MaxBytes", ErrTooLarge, 0, func(t *texts) string { return t.TooManyBytes }, "n", strconv.FormatInt(limit, 10))
}

// storage returns the error of a temporary file, which a user can do nothing about.
func storage(err error) *Error {
	return &Error{Kind: ErrStorage, Message: "a temporary file cannot be read or written", Err: err}
}

// argument returns the error of a field of the options.
func argument(option, value string) *Error {
	e := errorf(ErrArgument, 0, func(t *texts) string { return t.Argument }, "value", value, "option", strings.ToLower(option))
	e.Message = fmt.Sprintf("Options.%s is %s, which it cannot be", option, value)
	return e
}

// optionf returns an error that an option may avoid.
func optionf(option string, kind Kind, line int, text func(*texts) string, values ...string) *Error {
	err := errorf(kind, line, text, values...)
	err.Option = option
	return err
}

// errorf returns an error with the name of its text, and names and values in it.
func errorf(kind Kind, line int, text func(*texts) string, values ...string) *Error {
	return &Error{Kind: kind, Line: line, text: text, values: values}
}

func (e *Error) because(err error) *Error {
	e.Err = err
	return e
}

// Options configures Read. A nil pointer and the zero value mean the defaults.
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

	// DateOrder is the order of the day, the month and the year where the dates of a column fit
	// several, such as 03/04/2026: "dmy", "mdy" or "ymd". Empty means that of the other columns,
	// if these show one. Else the column is text, with a Warning of kind [DayMonth].
	DateOrder string

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

	// Sheet is the name of the sheet of an Excel file. Empty means the first one that is not
	// hidden and has cells. If there are others, a Warning of kind [OtherSheets] names them.
	Sheet string

	// SkipTotals leaves out rows with the sums of others, such as Total or Subtotal. If it is
	// false they are rows, with a Warning of kind [Totals].
	SkipTotals bool

	// Language is the language of the messages of warnings and of Error.User, such as "de". Empty
	// means English.
	Language string

	MaxBytes     int64 // of the input; 0 means 512 MiB
	MaxRows      int   // 0 means 5,000,000
	MaxColumns   int   // 0 means 1000; SQLite has at most 2000
	MaxCellBytes int   // 0 means 256 KiB

	// MaxRowBytes is the maximum size of a record as the input has it, which may
	// be up to 256 MiB. 0 means 1 MiB, or four times MaxCellBytes if that is
	// more. Loading and querying need memory for a few rows.
	MaxRowBytes int

	// TempDir is the directory of the temporary files. Empty means [os.TempDir]. If a
	// process is killed, the next process that loads removes its files there.
	TempDir string
}

func (o *Options) withDefaults() (Options, error) {
	opt := option.Of(o)
	opt.MaxBytes = cmp.Or(opt.MaxBytes, 512<<20)
	opt.MaxRows = cmp.Or(opt.MaxRows, 5_000_000)
	opt.MaxColumns = cmp.Or(opt.MaxColumns, 1000)
	opt.MaxCellBytes = cmp.Or(opt.MaxCellBytes, 256<<10)
	if opt.HeaderLine < -1 {
		return opt, argument("HeaderLine", strconv.Itoa(opt.HeaderLine))
	}
	if opt.MaxBytes < 0 || opt.MaxRows < 0 || opt.MaxColumns < 0 || opt.MaxCellBytes < 0 || opt.MaxRowBytes < 0 {
		return opt, &Error{Kind: ErrArgument, Message: "a limit is negative"}
	}
	if opt.MaxCellBytes > maxRowBytes || opt.MaxRowBytes > maxRowBytes {
		return opt, &Error{Kind: ErrArgument, Message: fmt.Sprintf("MaxCellBytes is %d and MaxRowBytes %d, and at most %d are possible", opt.MaxCellBytes, opt.MaxRowBytes, maxRowBytes)}
	}
	opt.MaxRowBytes = cmp.Or(opt.MaxRowBytes, min(max(1<<20, 4*opt.MaxCellBytes), maxRowBytes))
	if opt.Decimal != 0 && opt.Decimal != '.' && opt.Decimal != ',' {
		return opt, argument("Decimal", strconv.QuoteRune(opt.Decimal))
	}
	if opt.DateOrder = ascii.Lower(opt.DateOrder); opt.DateOrder != "" && !slices.Contains(dateOrders, opt.DateOrder) {
		return opt, argument("DateOrder", strconv.Quote(opt.DateOrder))
	}
	if sep := opt.Separator; sep != 0 && (sep == '"' || sep == '\r' || sep == '\n' || sep == utf8.RuneError || !utf8.ValidRune(sep)) {
		return opt, argument("Separator", strconv.QuoteRune(sep))
	}
	return opt, nil
}

// Limits returns the sizes of a cell and of a row up to which Read reads, with the defaults.
func (o *Options) Limits() (cell, row int) {
	opt, _ := o.withDefaults()
	return opt.MaxCellBytes, opt.MaxRowBytes
}

// maxRowBytes is the largest MaxRowBytes, so that databases and the memory can hold
// some rows.
const maxRowBytes = 256 << 20

// A Warning says what was changed or noticed while loading.
type Warning struct {
	Kind    WarningKind `json:"kind"`
	Column  string      `json:"column,omitempty"`
	Line    int         `json:"line,omitempty"`  // the first line of the input that it is about
	Count   int         `json:"count,omitempty"` // the number of cells or rows
	Message string      `json:"message"`         // one sentence, for users too

	// Option is the field of [Options] that decides what the input does not show, such as
	// Decimal. It may be empty. Choices are values of the option with which the input can be
	// read in other ways, such as the names of other sheets, of which there may be more.
	Option  string   `json:"option,omitempty"`
	Choices []string `json:"choices,omitempty"`
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
	OtherSheets WarningKind = "other_sheets" // sheets of an Excel file that were not read
	Hidden      WarningKind = "hidden"       // rows or columns that Excel does not show
	Merged      WarningKind = "merged"       // cells of Excel that cover several rows
	Uncomputed  WarningKind = "uncomputed"   // formulas without a value
	Omitted     WarningKind = "omitted"      // there are more warnings
)

// A Report is what was found in an input.
type Report struct {
	Columns  []Column  `json:"columns"`
	Rows     int       `json:"rows"`
	Warnings []Warning `json:"warnings,omitempty"` // at most 101
}

// Notes returns the messages of the warnings, as for [analyst.Data].
//
// [analyst.Data]: https://pkg.go.dev/github.com/qedkit/qed/analyst#Data
func (r *Report) Notes() []string {
	return lists.Map(r.Warnings, func(w Warning) string { return w.Message })
}

// A File is a table that was read. It is not safe for concurrent use.
type File struct {
	Report

	dir    *tempdir.Dir
	loader *loader
}

// A Column is a column of a table.
type Column struct {
	Name   string `json:"name"`
	Header string `json:"header"` // as the input spells it
	Type   Type   `json:"type"`
	Unit   string `json:"unit,omitempty"`  // of all its numbers, as the input spells it
	Zoned  bool   `json:"zoned,omitempty"` // its times have a zone

	Missing  int       `json:"missing,omitempty"`  // the number of rows without a value
	Examples []string  `json:"examples,omitempty"` // at most three different cells, the first ones
	Evidence *Evidence `json:"evidence,omitempty"` // nil: all cells can be read in one way only, or others decide
}

// Evidence is the cell that shows how a column is read, such as 31/12/2026 the order of its
// dates. In a column of text it is the first cell that keeps the column from the type of the
// others.
type Evidence struct {
	Cell string `json:"cell"`
	Line int    `json:"line"`
}

// Flags adds a flag for each field that a [Warning] or an [Error] names in its Option, except for
// the limits. The name of the flag is the one of the field in lower case, such as -decimal.
// A service sets such a field from a request with [flag.FlagSet.Set].
func (o *Options) Flags(flags *flag.FlagSet) {
	character := func(name, usage string, to *rune) {
		flags.Func(name, usage, func(s string) error {
			sign, size := utf8.DecodeRuneInString(s)
			if *to = sign; size != len(s) {
				return errors.New("it is not one character")
			}
			return nil
		})
	}
	character("separator", "the `sign` between the cells of CSV", &o.Separator)
	character("decimal", "the decimal `sign` of numbers", &o.Decimal)
	flags.StringVar(&o.DateOrder, "dateorder", o.DateOrder, "the `order` of dates such as 03/04/2026: dmy, mdy or ymd")
	flags.StringVar(&o.Encoding, "encoding", o.Encoding, "the `name` of the encoding of the text")
	flags.IntVar(&o.HeaderLine, "headerline", o.HeaderLine, "the `line` with the names of the columns; -1 if none has")
	flags.StringVar(&o.Sheet, "sheet", o.Sheet, "the `name` of the sheet of an Excel file")
	flags.BoolVar(&o.SkipTotals, "skiptotals", o.SkipTotals, "leave out rows with sums of others")
}

// Open reads a regular file. See [Read], which also reads from pipes.
func Open(ctx context.Context, path string, opt *Options) (*File, error) {
	f, err := open(ctx, path, opt)
	return f, opt.say(ctx, err)
}

func open(ctx context.Context, path string, opt *Options) (*File, error) {
	name := filepath.Base(path)
	// A named pipe has to be found before it is opened: that waits for a writer.
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, errorf(ErrRead, 0, func(t *texts) string { return t.NotRegular }, "name", name)
	}
	var f *os.File
	if err == nil {
		f, err = os.Open(path)
	}
	if err != nil {
		return nil, errorf(ErrRead, 0, func(t *texts) string { return t.NotOpened }, "name", name).because(err)
	}
	defer f.Close()
	o, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	if info.Size() > o.MaxBytes { // before it is copied
		return nil, tooManyBytes(o.MaxBytes)
	}
	table, err := Read(ctx, f, &o)
	if err == nil && !table.loader.isJSON && isJSONName(name) {
		return nil, errors.Join(errorf(ErrFormat, 0, func(t *texts) string { return t.NoObjects }, "name", name), table.Close())
	}
	return table, err
}

// isJSONName reports whether a file says that it is JSON.
func isJSONName(name string) bool {
	switch filepath.Ext(strings.TrimSuffix(ascii.Lower(name), ".gz")) {
	case ".json", ".jsonl", ".ndjson":
		return true
	}
	return false
}

// Read reads CSV, a JSON array of objects, JSON lines or a sheet of Excel from r to its end. The
// format, the separator and the encoding are detected, and gzip is expanded. A line such as "sep=;" may be above
// the names of the columns. The memory does not depend on the number of rows, and a row
// larger than Options.MaxRowBytes is refused before it is read whole. If ctx ends, Read
// returns its cause.
func Read(ctx context.Context, r io.Reader, o *Options) (*File, error) {
	f, err := readInput(ctx, r, o)
	return f, o.say(ctx, err)
}

func readInput(ctx context.Context, r io.Reader, o *Options) (*File, error) {
	opt, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	dir, err := tempdir.New(opt.TempDir, "qed-tabular-")
	if err != nil {
		return nil, storage(err)
	}
	l := &loader{ctx: ctx, opt: opt, dir: dir.Path, texts: textTable.In(ctx, opt.Language)}
	if err := l.scan(r); err != nil {
		return nil, errors.Join(err, dir.Remove())
	}
	f := &File{Report: Report{Rows: l.rows, Warnings: l.warnings}, dir: dir, loader: l}
	f.Columns = lists.Map(l.columns, func(c *tableColumn) Column { return c.report(l.rows) })
	return f, nil
}

// Each passes on the values of each row, in the order of the columns: int64, float64, bool,
// string, or nil for NULL. The slice is used again for the next row. Each ends with the
// first error of row, or with the cause of ctx.
func (f *File) Each(ctx context.Context, row func(values []any) error) error {
	f.loader.ctx = ctx
	values := make([]any, len(f.Columns))
	return f.loader.opt.say(ctx, f.loader.each(func(cells []cell, _ int) error {
		for i, c := range cells {
			values[i] = f.loader.columns[i].value(c)
		}
		return row(values)
	}))
}

// A PlainCSV is a file whose rows other programs read as this package does, if they are given
// the types of the columns: UTF-8, quotes that are doubled, no separators of thousands.
type PlainCSV struct {
	Path      string // valid until Close
	Separator rune
	Skip      int // lines above the rows
}

// Plain returns the copy of the input if it is a PlainCSV. Its rows have as many cells as there
// are columns, and its empty cells are NULL.
func (f *File) Plain() (csv PlainCSV, ok bool) {
	l := f.loader
	if l.isJSON || l.sheet != nil || l.shape.lenient || l.ragged+l.again+l.rules+l.totals > 0 || l.lineBreaks || l.firstLine == 0 {
		return csv, false
	}
	for _, c := range l.columns {
		plain := c.form == formText || c.form == formBoolean || c.form == formISO || c.isPlainNumber() ||
			c.form == formStamp && c.layout == ""
		if !plain || c.placeholders > 0 && c.form != formText || c.quoted > 0 || c.blanks > 0 {
			return csv, false
		}
	}
	return PlainCSV{Path: l.text, Separator: l.comma, Skip: l.firstLine - 1}, true
}

// Close deletes the copy of the input.
func (f *File) Close() error { return f.dir.Remove() }
