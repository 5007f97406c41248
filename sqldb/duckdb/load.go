package duckdb

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/duckdb/duckdb-go/v2"

	"github.com/qedkit/qed/analyst/tabular"
	"github.com/qedkit/qed/internal/ascii"
	cells "github.com/qedkit/qed/internal/column"
	"github.com/qedkit/qed/internal/failure"
	"github.com/qedkit/qed/internal/usertext"
	"github.com/qedkit/qed/sqldb"
)

// endings are those of the formats that are read; DuckDB itself reads Parquet.
var endings = map[string]bool{".csv": true, ".tsv": true, ".txt": true, ".json": true, ".jsonl": true, ".ndjson": true, ".xlsx": true, ".xlsm": true, parquet: true}

const parquet = ".parquet"

func endingOf(path string) string {
	return filepath.Ext(strings.TrimSuffix(ascii.Lower(path), ".gz"))
}

// checkFiles returns the tables of files.
func checkFiles(files []File) ([]string, error) {
	var tables []string
	seen := map[string]bool{}
	for _, f := range files {
		if err := checkPath(f.Path); err != nil {
			return nil, err
		}
		if !endings[endingOf(f.Path)] {
			return nil, failure.New(sqldb.ErrArgument,
				filepath.Base(f.Path)+" has no ending of a format that is read: .csv, .tsv, .txt, .parquet, .json, .jsonl, .ndjson or .xlsx")
		}
		table := cmp.Or(f.Table, DefaultTable)
		if strings.ContainsFunc(table, func(c rune) bool { return c < ' ' || c == 0x7f }) {
			return nil, failure.New(sqldb.ErrArgument, "the name of a table has control characters")
		}
		if seen[ascii.Lower(table)] {
			return nil, failure.New(sqldb.ErrArgument, "two files have the table "+table+": set File.Table")
		}
		seen[ascii.Lower(table)] = true
		tables = append(tables, table)
	}
	return tables, nil
}

func load(ctx context.Context, conn *sql.Conn, f File, table string) (report tabular.Report, err error) {
	if endingOf(f.Path) == parquet {
		report, err = loadParquet(ctx, conn, f, table)
	} else {
		report, err = loadText(ctx, conn, f, table)
	}
	if err == nil {
		return report, nil
	}
	if ctx.Err() != nil {
		return report, ended(ctx)
	}
	name := filepath.Base(f.Path)
	if own, ok := errors.AsType[*tabular.Error](err); ok {
		return report, failure.Wrap(kinds[own.Kind], name+" cannot be read: "+own.Error(), own)
	}
	if known := classify(err); known != nil && known.Kind == sqldb.ErrTooLarge {
		return report, failure.Wrap(sqldb.ErrTooLarge, name+" needs more memory or temporary files than "+
			"Options.MemoryLimit and MaxTempBytes allow: raise them, or split the file", err)
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return report, failure.Wrap(sqldb.ErrNotDatabase, name+" cannot be read: "+failure.Line(failure.WithoutQuoted(first, `"'`)), err)
}

// kinds are what errors of a text are for a database.
var kinds = map[tabular.Kind]sqldb.Kind{
	tabular.ErrArgument: sqldb.ErrArgument, tabular.ErrFormat: sqldb.ErrNotDatabase, tabular.ErrEmpty: sqldb.ErrNotDatabase,
	tabular.ErrTooLarge: sqldb.ErrTooLarge, tabular.ErrRead: sqldb.ErrUnreadable, tabular.ErrStorage: sqldb.ErrUnreadable,
}

// texts are what is said to users about Parquet files.
var texts = usertext.Of[struct{ WideDecimals, Renamed string }]("parquet")

// loadParquet reads a Parquet file, unless it has decimals that DuckDB reads as other numbers.
func loadParquet(ctx context.Context, conn *sql.Conn, f File, table string) (report tabular.Report, err error) {
	said, path := texts.In(ctx, f.Options.Language), literal(f.Path)
	wide, err := column(ctx, conn, "SELECT name FROM parquet_schema("+path+") WHERE precision > 38")
	if err != nil {
		return report, err
	}
	if len(wide) > 0 {
		return report, &tabular.Error{Kind: tabular.ErrFormat, User: said.WideDecimals,
			Message: "it has decimals of more than 38 digits, which DuckDB reads as other numbers: write them with fewer digits, or as texts"}
	}
	if _, err := conn.ExecContext(ctx, "CREATE TABLE main."+quote(table)+" AS SELECT * FROM read_parquet("+path+")"); err != nil {
		return report, err
	}
	rows, err := column(ctx, conn, "SELECT count(*)::VARCHAR FROM main."+quote(table))
	if err != nil {
		return report, err
	}
	if report.Rows, err = strconv.Atoi(rows[0]); err != nil {
		return report, err
	}
	headers, err := column(ctx, conn, "SELECT name FROM parquet_schema("+path+")")
	if err != nil {
		return report, err
	}
	names, err := column(ctx, conn, "SELECT column_name FROM duckdb_columns() WHERE schema_name = 'main' AND table_name = "+literal(table)+" ORDER BY column_index")
	if err != nil {
		return report, err
	}
	// A column whose name another one has, in capitals or not, gets a name that the file lacks.
	for i, name := range names {
		if !slices.Contains(headers, name) {
			report.Warnings = append(report.Warnings, tabular.Warning{Kind: tabular.Header, Column: name,
				Message: usertext.Fill(said.Renamed, "number", strconv.Itoa(i+1), "column", name)})
		}
		report.Columns = append(report.Columns, tabular.Column{Name: name})
	}
	return report, nil
}

var types = map[tabular.Type]string{
	tabular.Integer: "BIGINT", tabular.Decimal: "DOUBLE", tabular.Boolean: "BOOLEAN", tabular.Date: "DATE",
	tabular.Time: "TIMESTAMP", tabular.Text: "VARCHAR",
}

// loadText reads CSV, JSON or Excel as package tabular does for every database.
func loadText(ctx context.Context, conn *sql.Conn, file File, table string) (tabular.Report, error) {
	opt := file.Options
	opt.MaxBytes, opt.MaxRows = cmp.Or(opt.MaxBytes, math.MaxInt64), cmp.Or(opt.MaxRows, math.MaxInt)
	opt.MaxColumns = cmp.Or(opt.MaxColumns, 20_000)
	f, err := tabular.Open(ctx, file.Path, &opt)
	if err != nil {
		return tabular.Report{}, err
	}
	defs := make([]string, len(f.Columns))
	for i, c := range f.Columns {
		defs[i] = quote(c.Name) + " " + kindOf(c)
	}
	create := "CREATE OR REPLACE TABLE main." + quote(table) + " (" + strings.Join(defs, ", ") + ")"
	if _, err = conn.ExecContext(ctx, create); err == nil {
		err = fillTable(ctx, conn, f, table, create)
	}
	return f.Report, errors.Join(err, f.Close())
}

// fillTable writes the rows of a file into a table. DuckDB reads a plain file itself, which is
// several times faster, but only if it finds the same rows.
func fillTable(ctx context.Context, conn *sql.Conn, f *tabular.File, table, create string) error {
	if plain, ok := f.Plain(); ok {
		result, err := conn.ExecContext(ctx, fmt.Sprintf("INSERT INTO main.%s SELECT * FROM read_csv(%s, delim = %s, skip = %d, "+
			`columns = %s, header = false, auto_detect = false, quote = '"', escape = '"', comment = '')`,
			quote(table), literal(plain.Path), literal(string(plain.Separator)), plain.Skip, columnsOf(f)))
		if err == nil {
			if n, err := result.RowsAffected(); err == nil && n == int64(f.Rows) {
				return nil
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if _, err := conn.ExecContext(ctx, create); err != nil {
			return err
		}
	}
	return conn.Raw(func(raw any) error { return appendRows(ctx, raw.(driver.Conn), f, table) })
}

// columnsOf returns the columns of a file as an option of read_csv.
func columnsOf(f *tabular.File) string {
	columns := make([]string, len(f.Columns))
	for i, c := range f.Columns {
		columns[i] = literal(fmt.Sprintf("c%d", i)) + ": " + literal(kindOf(c))
	}
	return "{" + strings.Join(columns, ", ") + "}"
}

func kindOf(c tabular.Column) string {
	if c.Zoned {
		return "TIMESTAMPTZ"
	}
	return types[c.Type]
}

func appendRows(ctx context.Context, conn driver.Conn, f *tabular.File, table string) error {
	to, err := duckdb.NewAppenderFromConn(conn, "main", table)
	if err != nil {
		return err
	}
	row := make([]driver.Value, len(f.Columns))
	err = f.Each(ctx, func(values []any) error {
		for i, v := range values {
			row[i] = v
			if text, ok := v.(string); ok && (f.Columns[i].Type == tabular.Date || f.Columns[i].Type == tabular.Time) {
				row[i], _ = cells.ParseTime(text) // it was read as one
			}
		}
		return to.AppendRow(row...)
	})
	if err != nil {
		return errors.Join(err, to.Clear(), to.Close())
	}
	return to.Close()
}
