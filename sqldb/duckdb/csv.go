package duckdb

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// A csvFile is a CSV file that is read into a table.
//
// DuckDB could find the types over all rows, but it ignores its context while it does.
// So it finds them in the first rows. If other rows do not fit, a statement over all
// rows finds the types that they fit.
type csvFile struct {
	ctx     context.Context
	conn    *sql.Conn
	path    string
	table   string
	options string
}

func (f *csvFile) load() error {
	err := f.create("")
	if err != nil && !strings.Contains(err.Error(), "Error when converting column") {
		return err
	}
	if err == nil {
		if large, err := f.hasLargeNumbers(); err != nil || !large {
			return err
		}
	}
	types, err := f.types()
	if err != nil {
		return err
	}
	return f.create(types)
}

// from returns the call of the function that reads the file.
func (f *csvFile) from(options string) string {
	return fmt.Sprintf(readCSV, literal(f.path), f.options+options)
}

func (f *csvFile) create(options string) error {
	_, err := f.conn.ExecContext(f.ctx, "CREATE OR REPLACE TABLE main."+quote(f.table)+" AS SELECT * FROM "+f.from(options))
	return err
}

// hasLargeNumbers reports whether a column of type DOUBLE has a number beyond 64 bits. It
// may be an identifier, of which a DOUBLE has lost some digits.
func (f *csvFile) hasLargeNumbers() (bool, error) {
	names, err := column(f.ctx, f.conn,
		"SELECT column_name FROM duckdb_columns() WHERE data_type = 'DOUBLE' AND table_name = "+literal(f.table))
	if err != nil || len(names) == 0 {
		return false, err
	}
	large := make([]string, len(names))
	for i, name := range names {
		large[i] = "coalesce(bool_or(abs(" + quote(name) + ") >= 9223372036854775808), false)"
	}
	found, err := column(f.ctx, f.conn, "SELECT "+strings.Join(large, " OR ")+" FROM main."+quote(f.table))
	return err == nil && found[0] == "true", err
}

// types returns the options with the types that all rows fit.
func (f *csvFile) types() (string, error) {
	type sniffed struct{ name, kind string }
	var columns []sniffed
	var header bool
	var date, timestamp sql.NullString
	rows, err := f.conn.QueryContext(f.ctx, "SELECT unnest(Columns).name, unnest(Columns).type, HasHeader, DateFormat, "+
		"TimestampFormat FROM "+strings.Replace(f.from(""), "read_csv", "sniff_csv", 1))
	if err != nil {
		return "", err
	}
	defer rows.Close()
	for rows.Next() {
		var c sniffed
		if err := rows.Scan(&c.name, &c.kind, &header, &date, &timestamp); err != nil {
			return "", err
		}
		columns = append(columns, c)
	}
	if err := rows.Err(); err != nil {
		return "", err
	}
	formats := map[string]string{"DATE": date.String, "TIMESTAMP": timestamp.String}
	fits := make([]string, len(columns)) // the first type of each column that all values fit
	for i, c := range columns {
		fits[i] = firstFit(quote(c.name), c.kind, formats[c.kind])
	}
	options := fmt.Sprintf(", header = %t", header)
	found, err := column(f.ctx, f.conn,
		"SELECT unnest(["+strings.Join(fits, ", ")+"]) FROM "+f.from(options+", all_varchar = true"))
	if err != nil {
		return "", err
	}
	for i := range found {
		found[i] = literal(found[i])
	}
	return options + ", types = [" + strings.Join(found, ", ") + "]", nil
}

// firstFit returns an expression for the first type that all values of a column of texts
// fit. kind is that of the first rows, and format that of its dates.
func firstFit(value, kind, format string) string {
	all := func(fits, kind string) string {
		return fmt.Sprintf("WHEN bool_and(coalesce(%s, false) OR %s IS NULL) THEN %s", fits, value, literal(kind))
	}
	number := fmt.Sprintf(`TRY_CAST(%[1]s AS DOUBLE) IS NOT NULL
		AND NOT (regexp_full_match(trim(%[1]s), '[-+]?\d+') AND TRY_CAST(%[1]s AS BIGINT) IS NULL)
		AND NOT (isinf(TRY_CAST(%[1]s AS DOUBLE)) AND regexp_matches(%[1]s, '\d'))`, value)
	var cases []string
	switch {
	case kind == "VARCHAR":
		return literal(kind)
	case kind == "BIGINT":
		cases = []string{all("TRY_CAST("+value+" AS BIGINT)::VARCHAR = trim("+value+")", kind), all("("+number+")", "DOUBLE")}
	case kind == "DOUBLE":
		cases = []string{all("("+number+")", kind)}
	case format != "":
		cases = []string{all("try_strptime("+value+", "+literal(format)+") IS NOT NULL", kind)}
	default:
		cases = []string{all("TRY_CAST("+value+" AS "+kind+") IS NOT NULL", kind)}
	}
	return "CASE " + strings.Join(cases, " ") + " ELSE 'VARCHAR' END"
}
