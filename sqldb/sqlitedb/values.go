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
// statement that SQLite holds at the same time. Each call, subquery and column is
// one. The first mention of a column of a stored table is not counted: such values
// are together not longer than their row, which has the limit of a value itself.
func values(text string) int {
	n := 0
	seen := map[string]int{}    // the length of the alias, by column
	stored := map[string]bool{} // aliases of tables and views
	other := map[string]bool{}  // aliases of anything else
	for i := 0; i < len(text); {
		from := i
		switch text[i] {
		case '(':
			n++
			i++
		case '\'':
			i = quotedEnd(text, i)
		case '`':
			n++
			i = quotedEnd(text, i)
		case '"':
			i = quotedEnd(text, i)
			qualifier := text[from:i]
			if !strings.HasPrefix(text[i:], `."`) {
				other[qualifier] = true
				continue
			}
			name := i + 1
			i = quotedEnd(text, name)
			if qualifier == `"main"` {
				n++
				if strings.HasPrefix(text[i:], ` AS "`) {
					name = i + len(" AS ")
					i = quotedEnd(text, name)
				}
				stored[text[name:i]] = true
				continue
			}
			if _, again := seen[text[from:i]]; again {
				n++
			}
			seen[text[from:i]] = len(qualifier)
		default:
			i++
		}
	}
	for column, alias := range seen {
		if !stored[column[:alias]] || other[column[:alias]] {
			n++
		}
	}
	return n
}

// quotedEnd returns the offset after the quoted token at i. A quote inside the
// token is doubled.
func quotedEnd(text string, i int) int {
	quote := text[i]
	for i++; i < len(text); i++ {
		if text[i] != quote {
			continue
		}
		if i+1 < len(text) && text[i+1] == quote {
			i++
			continue
		}
		return i + 1
	}
	return len(text)
}
