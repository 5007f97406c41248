package duckdb

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/failure"
	"github.com/qedkit/qed/sqldb"
)

// The functions of DuckDB that read a file. The options of CSV keep its sniffer from
// dropping rows: it would take lines for comments, and skip lines above the first one
// with another number of values. Types of JSON are found over all rows.
const (
	readCSV     = `read_csv(%s, quote = '"', escape = '"', comment = ''%s)`
	readJSON    = "read_json(%s, sample_size = -1, maximum_depth = 16%s)"
	readParquet = "read_parquet(%s%s)"
)

var readers = map[string]string{
	".csv": readCSV, ".tsv": readCSV, ".txt": readCSV,
	".json": readJSON, ".jsonl": readJSON, ".ndjson": readJSON,
	".parquet": readParquet,
}

func readerOf(path string) string {
	return readers[ascii.Lower(filepath.Ext(strings.TrimSuffix(ascii.Lower(path), ".gz")))]
}

// checkFiles returns the tables of files.
func checkFiles(files []File) ([]string, error) {
	var tables []string
	seen := map[string]bool{}
	for _, f := range files {
		if err := checkPath(f.Path); err != nil {
			return nil, err
		}
		if readerOf(f.Path) == "" {
			return nil, failure.New(sqldb.ErrArgument,
				filepath.Base(f.Path)+" has no ending of a format that is read: .csv, .tsv, .txt, .parquet, .json, .jsonl or .ndjson")
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

// load reads a file into a table.
func load(ctx context.Context, conn *sql.Conn, path, table string) error {
	reader, options := readerOf(path), ""
	if reader != readParquet {
		var err error
		if options, err = textOptions(path); err != nil {
			return err
		}
	}
	var err error
	if reader == readCSV {
		f := &csvFile{ctx: ctx, conn: conn, path: path, table: table, options: options}
		if err = f.load(); err != nil && strings.Contains(ascii.Lower(err.Error()), "utf-8") {
			f.options += ", encoding = 'latin-1'"
			err = f.load()
		}
	} else {
		_, err = conn.ExecContext(ctx, "CREATE TABLE main."+quote(table)+" AS SELECT * FROM "+
			fmt.Sprintf(reader, literal(path), options))
	}
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ended(ctx)
	}
	if known := classify(err); known != nil && known.Kind == sqldb.ErrTooLarge {
		return failure.Wrap(sqldb.ErrTooLarge, filepath.Base(path)+" needs more memory or temporary files than "+
			"Options.MemoryLimit and MaxTempBytes allow: raise them, or split the file", err)
	}
	return failure.Wrap(sqldb.ErrNotDatabase, filepath.Base(path)+" cannot be read: "+reason(err), err)
}

var (
	csvLine   = regexp.MustCompile(`CSV Error on Line: (\d+)`)
	csvReason = regexp.MustCompile(`(?m)^(Value with unterminated quote|Expected Number of Columns|Invalid unicode|Maximum line size|` +
		`The CSV Parser|Error when converting column|CSV options)[^\n"]*`)
)

// reason returns why a file cannot be read, without the line of the file that
// DuckDB's message shows.
func reason(err error) string {
	text := err.Error()
	if line := csvLine.FindStringSubmatch(text); line != nil {
		return failure.Line("line " + line[1] + ": " + cmp.Or(csvReason.FindString(text), "it does not fit the other lines") +
			"; check the quotes and the number of values")
	}
	if strings.Contains(text, "not latin-1") {
		return "it is neither UTF-8 nor Latin-1; save it in UTF-8"
	}
	if strings.Contains(text, "sniff") {
		return "its first lines do not have the same number of values; remove lines above the names, and check quotes, " +
			"delimiters and line ends"
	}
	first, _, _ := strings.Cut(text, "\n")
	return failure.Line(failure.WithoutQuoted(first, `"'`))
}
