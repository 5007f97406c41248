package sqlitedb

import "strings"

// fullValues is the number of values of a statement that may have the size of
// Options.MaxValueBytes at the same time.
const fullValues = 48

// valueLimit returns the maximum size of the values that a printed statement
// computes. SQLite holds all values of a row at once, and nothing bounds their
// sum. So a statement that could hold more than fullValues values has a lower
// limit for each.
func valueLimit(text string, maxValue int32) int32 {
	n := values(text)
	if n <= fullValues {
		return maxValue
	}
	return int32(int64(maxValue) * fullValues / int64(n))
}

// values returns an upper bound for the values, except literals, of a printed
// statement that SQLite holds at the same time. Each call, subquery, table and mention
// of a column is one.
func values(text string) int {
	return strings.Count(text, "(") + strings.Count(text, "`") + strings.Count(text, `."`)
}
