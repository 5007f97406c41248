package integration_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// rowsPerTable is the number of rows per table. It keeps joins small.
const rowsPerTable = 12

// pool returns the values of a domain's columns: the literals that they are compared
// with, so that conditions are true, and a few more, so that conditions are not always
// true and that columns of one domain have equal values.
func (d *domain) pool() (values []any) {
	k := d.kind()
	for _, l := range d.literals {
		values = append(values, near(k, l)...)
	}
	if limit := 40; len(values) > limit { // with more values, columns of one domain share too few
		some := make([]any, limit)
		for i := range some {
			some[i] = values[i*len(values)/limit]
		}
		values = some
	}
	return append(values, usual[k]...)
}

// near returns values around a literal, which a comparison can distinguish.
func near(k kind, literal string) []any {
	switch k {
	case integerKind:
		if wholeNumber.MatchString(literal) {
			n, _ := strconv.ParseInt(literal, 10, 64)
			return []any{n, n + 1, n - 1}
		}
	case decimalKind, floatKind:
		if anyNumber.MatchString(literal) {
			f, _ := strconv.ParseFloat(literal, 64)
			return []any{f, f + 1, f - 1}
		}
	case textKind:
		if len(literal) <= 80 {
			return []any{literal}
		}
	case dateKind:
		if isoDate.MatchString(literal) {
			return []any{literal}
		}
	case timestampKind:
		if isoDate.MatchString(literal) {
			literal += " 00:00:00"
		}
		if isoTime.MatchString(literal) {
			return []any{literal}
		}
	}
	return nil
}

// usual returns values for every column of a kind. The sum of the fractions does not
// depend on the order.
var usual = [...][]any{
	integerKind:   {int64(0), int64(1), int64(2), int64(3), int64(4), int64(-4)},
	decimalKind:   {0.0, 1.0, 2.5, 3.0, -0.5},
	floatKind:     {0.0, 1.0, 2.5, 3.0, -0.5},
	textKind:      {"a", "A", "b", "Zoë", "it's", `back\slash`, "1"},
	dateKind:      {"2001-02-03", "2020-12-28", "1999-01-01"},
	timestampKind: {"2001-02-03 04:05:06", "2020-12-28 23:59:59", "1999-01-01 00:00:00"},
}

// another returns value n of a kind, which no pool has.
func another(k kind, n int) any {
	switch k {
	case integerKind:
		return int64(1_000_000 + n)
	case decimalKind, floatKind:
		return float64(1_000_000 + n)
	case textKind:
		return fmt.Sprintf("key %d", n)
	case dateKind:
		return fmt.Sprintf("2030-01-%02d", n+1)
	}
	return fmt.Sprintf("2030-01-%02d 00:00:00", n+1)
}

// tableRows returns the rows of a table. No two have the same key, given by column
// numbers, and no key column is NULL.
func tableRows(rng *rand.Rand, columns []*domain, key []int) [][]any {
	pools := make([][]any, len(columns))
	for i, d := range columns {
		pools[i] = d.pool()
		for n := 0; slices.Contains(key, i) && n < rowsPerTable; n++ {
			pools[i] = append(pools[i], another(d.kind(), n))
		}
	}
	seen := map[string]bool{}
	var rows [][]any
	for len(rows) < rowsPerTable {
		row := make([]any, len(columns))
		var id string
		for i, pool := range pools {
			inKey := slices.Contains(key, i)
			if inKey || rng.IntN(12) > 0 {
				row[i] = pool[rng.IntN(len(pool))]
			}
			if inKey {
				id += fmt.Sprintln(row[i])
			}
		}
		if len(key) > 0 && seen[strings.ToLower(id)] { // in MariaDB a equals A
			continue
		}
		seen[strings.ToLower(id)] = true
		rows = append(rows, row)
	}
	return rows
}

// insert returns the SQL that fills a table. text prints a string.
func insert(table string, rows [][]any, text func(string) string) string {
	lines := make([]string, len(rows))
	for i, row := range rows {
		values := make([]string, len(row))
		for j, value := range row {
			switch value := value.(type) {
			case nil:
				values[j] = "NULL"
			case int64:
				values[j] = strconv.FormatInt(value, 10)
			case float64:
				values[j] = strconv.FormatFloat(value, 'f', -1, 64)
			case string:
				values[j] = text(value)
			}
		}
		lines[i] = "(" + strings.Join(values, ", ") + ")"
	}
	return "INSERT INTO " + table + " VALUES " + strings.Join(lines, ", ")
}
