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

// readers are the functions of DuckDB that read a file, by the ending of its name.
// They look at all rows to find the types.
var readers = map[string]string{
	".csv": "read_csv(%s, sample_size = -1%s)", ".tsv": "read_csv(%s, sample_size = -1%s)",
	".txt": "read_csv(%s, sample_size = -1%s)", ".json": "read_json(%s, sample_size = -1%s)",
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
		seen[ascii.Lower(table)] = true
		tables = append(tables, table)
	}
	return tables, nil
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
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ended(ctx)
	}
	if known := classify(err); known != nil && known.Kind == sqldb.ErrTooLarge {
		return known
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
	if strings.Contains(text, "sniffing") || strings.Contains(text, "sniff") {
		return "no delimiter, quote and number of columns fit its lines: check that it is a CSV file"
	}
	first, _, _ := strings.Cut(text, "\n")
	return failure.Line(failure.WithoutQuoted(first, `"'`))
}
