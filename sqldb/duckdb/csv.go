package duckdb

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
)

// A csvFile is a CSV file that is read into a table.
//
// DuckDB could find the types over all rows, but it ignores its context while it does.
// So it finds them in the first rows. If other rows do not fit, or the types are doubtful, a
// statement over all rows finds the types that they fit.
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
		if doubtful, err := f.isDoubtful(); err != nil || !doubtful {
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

// isDoubtful reports whether the types that DuckDB found may be wrong: numbers may be
// identifiers, and the order of day, month and year may be another one.
func (f *csvFile) isDoubtful() (bool, error) {
	hasDates, err := column(f.ctx, f.conn, "SELECT 1 FROM duckdb_columns() WHERE data_type IN ('DATE', 'TIMESTAMP') AND table_name = "+
		literal(f.table)+" LIMIT 1")
	if err != nil {
		return false, err
	}
	if len(hasDates) > 0 {
		formats, err := column(f.ctx, f.conn, "SELECT unnest([coalesce(DateFormat, ''), coalesce(TimestampFormat, '')])::VARCHAR FROM "+f.sniff())
		if err != nil {
			return false, err
		}
		if slices.ContainsFunc(formats, func(format string) bool { return !isCertain(format) }) {
			return true, nil
		}
	}
	return f.hasCodes()
}

// hasCodes reports whether a column of type DOUBLE may be an identifier: it has a number
// beyond 64 bits, of which a DOUBLE has lost some digits, or only whole numbers, because
// 1E5 is one.
func (f *csvFile) hasCodes() (bool, error) {
	names, err := column(f.ctx, f.conn,
		"SELECT column_name FROM duckdb_columns() WHERE data_type = 'DOUBLE' AND table_name = "+literal(f.table))
	if err != nil || len(names) == 0 {
		return false, err
	}
	codes := make([]string, len(names))
	for i, name := range names {
		codes[i] = fmt.Sprintf("coalesce(bool_or(abs(%[1]s) >= 9223372036854775808) OR bool_and(%[1]s = trunc(%[1]s)), false)", quote(name))
	}
	found, err := column(f.ctx, f.conn, "SELECT "+strings.Join(codes, " OR ")+" FROM main."+quote(f.table))
	return err == nil && found[0] == "true", err
}

func (f *csvFile) sniff() string { return strings.Replace(f.from(""), "read_csv", "sniff_csv", 1) }

// isCertain reports whether a format of dates has only one meaning: it begins with the year
// of four digits, or has points and begins with the day.
func isCertain(format string) bool {
	return format == "" || strings.HasPrefix(format, "%Y") || strings.HasPrefix(format, "%d.%m.%Y") || strings.Contains(format, "%b")
}

// types returns the options with the types that all rows fit.
func (f *csvFile) types() (string, error) {
	type sniffed struct{ name, kind string }
	var columns []sniffed
	var header bool
	var date, timestamp sql.NullString
	rows, err := f.conn.QueryContext(f.ctx, "SELECT unnest(Columns).name, unnest(Columns).type, HasHeader, DateFormat, "+
		"TimestampFormat FROM "+f.sniff())
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
		// 1E5 and 2E6 are rather codes than numbers.
		code := "bool_and(" + value + " IS NULL OR regexp_full_match(trim(" + value + `), '\d+[eE]\d+'))`
		cases = []string{"WHEN " + code + " THEN 'VARCHAR'", all("("+number+")", kind)}
	case strings.Contains(format, "%y"): // 01/02/24 may have the year first or last
		return literal("VARCHAR")
	case !isCertain(format):
		swapped := strings.NewReplacer("%d", "%m", "%m", "%d").Replace(format)
		fits := "try_strptime(" + value + ", " + literal(format) + ") IS NOT NULL"
		oneWay := "bool_or(try_strptime(" + value + ", " + literal(swapped) + ") IS NULL AND " + value + " IS NOT NULL)"
		cases = []string{strings.Replace(all(fits, kind), "WHEN ", "WHEN "+oneWay+" AND ", 1)}
	case format != "":
		cases = []string{all("try_strptime("+value+", "+literal(format)+") IS NOT NULL", kind)}
	default:
		cases = []string{all("TRY_CAST("+value+" AS "+kind+") IS NOT NULL", kind)}
	}
	return "CASE " + strings.Join(cases, " ") + " ELSE 'VARCHAR' END"
}
