package duckdb

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/failure"
	"github.com/qedkit/qed/sqldb"
)

// readers are the functions of DuckDB that read a file, by the ending of its name.
// They look at all rows to find the types.
var readers = map[string]string{
	".csv": "read_csv(%s, sample_size = -1, quote = '\"', escape = '\"'%s)", ".tsv": "read_csv(%s, sample_size = -1, quote = '\"', escape = '\"'%s)",
	".txt": "read_csv(%s, sample_size = -1, quote = '\"', escape = '\"'%s)", ".json": "read_json(%s, sample_size = -1%s)",
	".jsonl": "read_json(%s, sample_size = -1%s)", ".ndjson": "read_json(%s, sample_size = -1%s)",
	".parquet": "read_parquet(%s%s)",
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
		if err := checkText(f.Path); err != nil {
			return nil, err
		}
		seen[ascii.Lower(table)] = true
		tables = append(tables, table)
	}
	return tables, nil
}

// checkText returns an error for a CSV file that begins with bytes that are no text.
func checkText(path string) error {
	if !strings.HasPrefix(readerOf(path), "read_csv") || strings.HasSuffix(ascii.Lower(path), ".gz") {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return failure.Wrap(sqldb.ErrUnreadable, filepath.Base(path)+" cannot be opened", errors.Unwrap(err))
	}
	defer f.Close()
	head := make([]byte, 64<<10)
	n, err := io.ReadFull(f, head)
	switch {
	case err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return failure.Wrap(sqldb.ErrUnreadable, filepath.Base(path)+" cannot be read", errors.Unwrap(err))
	case n == 0:
		return failure.New(sqldb.ErrNotDatabase, filepath.Base(path)+" is empty: a CSV file has at least a line with names")
	case bytes.IndexByte(head[:n], 0) >= 0:
		return failure.New(sqldb.ErrNotDatabase, filepath.Base(path)+" is no text, or it is UTF-16: save it as CSV in UTF-8")
	}
	return nil
}

// load reads a file into a table.
func load(ctx context.Context, conn *sql.Conn, path, table string) error {
	reader := readerOf(path)
	read := func(options string) error {
		_, err := conn.ExecContext(ctx, fmt.Sprintf("CREATE TABLE main.%s AS SELECT * FROM %s",
			quote(table), fmt.Sprintf(reader, literal(path), options)))
		return err
	}
	err := read("")
	if err != nil && strings.HasPrefix(reader, "read_csv") && strings.Contains(ascii.Lower(err.Error()), "utf-8") {
		err = read(", encoding = 'latin-1'")
	}
	if err == nil && strings.HasPrefix(reader, "read_csv") {
		return checkColumns(ctx, conn, path, table)
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

// checkColumns returns an error if DuckDB found no delimiter in a CSV file: it then
// reads each line as one column.
func checkColumns(ctx context.Context, conn *sql.Conn, path, table string) error {
	names, err := column(ctx, conn, "SELECT column_name FROM duckdb_columns() WHERE table_name = "+literal(table))
	if err != nil {
		return opened(ctx, err)
	}
	if len(names) == 1 && strings.ContainsAny(names[0], ",;\t|\"") {
		return failure.New(sqldb.ErrNotDatabase, filepath.Base(path)+" cannot be read: "+noDelimiter)
	}
	return nil
}

const noDelimiter = "no delimiter gives all lines the same number of values: check its quotes and delimiters"

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
	if strings.Contains(text, "sniffing") || strings.Contains(text, "sniff") {
		return noDelimiter
	}
	first, _, _ := strings.Cut(text, "\n")
	return failure.Line(failure.WithoutQuoted(first, `"'`))
}
