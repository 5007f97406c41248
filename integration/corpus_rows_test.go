package integration_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// rowsPerTable is how many rows a table gets: joins of a few tables stay small.
const rowsPerTable = 12

// pool is the values that a domain's columns take: the literals that they are
// compared with, so that conditions hold, and a few more, so that they do not
// always, and that columns of one domain find partners.
func (d *domain) pool() (values []any) {
	k := d.kind()
	for _, l := range d.literals {
		values = append(values, near(k, l)...)
	}
	if limit := 40; len(values) > limit { // with more, columns of one domain find no partners
		some := make([]any, limit)
		for i := range some {
			some[i] = values[i*len(values)/limit]
		}
		values = some
	}
	return append(values, usual[k]...)
}

// near is the values of a kind that a comparison with a literal may tell apart.
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

// usual is the values that every column of a kind may take. Fractions are such
// that the order in which they are summed up does not matter.
var usual = [...][]any{
	integerKind:   {int64(0), int64(1), int64(2), int64(3), int64(4), int64(-4)},
	decimalKind:   {0.0, 1.0, 2.5, 3.0, -0.5},
	floatKind:     {0.0, 1.0, 2.5, 3.0, -0.5},
	textKind:      {"a", "A", "b", "Zoë", "it's", `back\slash`, "1"},
	dateKind:      {"2001-02-03", "2020-12-28", "1999-01-01"},
	timestampKind: {"2001-02-03 04:05:06", "2020-12-28 23:59:59", "1999-01-01 00:00:00"},
}

// another is the n-th value of a kind that no pool has.
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

// tableRows makes up the rows of a table. No two have the same key: columns by
// their numbers, none of which is NULL.
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
		if len(key) > 0 && seen[strings.ToLower(id)] { // MariaDB holds a and A to be the same
			continue
		}
		seen[strings.ToLower(id)] = true
		rows = append(rows, row)
	}
	return rows
}

// insert is the SQL that fills a table; text prints a string.
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
