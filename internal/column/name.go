package column

import (
	"slices"
	"strings"
)

// isTextType reports whether columns of a database type hold text. The names are
// those of SQL databases, Elasticsearch and GraphQL.
func isTextType(name string) bool {
	name = strings.ToLower(name)
	if slices.Contains([]string{"id", "ip", "name", "wildcard"}, name) {
		return true
	}
	return slices.ContainsFunc([]string{"char", "text", "clob", "string", "keyword", "uuid", "enum"}, func(part string) bool {
		return strings.Contains(name, part)
	})
}

// isTimeType reports whether columns of a database type hold times.
func isTimeType(name string) bool {
	name = strings.ToLower(name)
	return strings.HasPrefix(name, "date") || strings.HasPrefix(name, "time") ||
		strings.HasSuffix(name, "datetime") || strings.HasSuffix(name, "timestamp")
}

// isNumberType reports whether columns of a database type hold numbers, of which
// databases write some as text.
func isNumberType(name string) bool {
	name, _, _ = strings.Cut(strings.ToLower(name), "(")
	name = strings.TrimSuffix(strings.TrimSpace(strings.TrimPrefix(name, "unsigned ")), " unsigned")
	return slices.Contains(strings.Fields("decimal dec numeric number fixed bignumeric real double float float4 float8 "+
		"half_float scaled_float integer int int2 int4 int8 tinyint smallint mediumint bigint hugeint uhugeint "+
		"utinyint usmallint uinteger ubigint long short byte unsigned_long"), name) || name == "double precision"
}

// TypeKind returns what the cells of a column of a database type are: [Numbers],
// [Times], [Texts], or "" if the type does not say it.
func TypeKind(name string) Kind {
	switch {
	case isTextType(name):
		return Texts
	case isTimeType(name):
		return Times
	case isNumberType(name):
		return Numbers
	}
	return ""
}

// IsIdentifier reports whether numbers in a column of that name identify things
// and do not measure them.
func IsIdentifier(name string) bool {
	return hasWord(name, "id", "uuid", "zip", "zipcode", "code") ||
		strings.HasSuffix(name, "Id") || strings.HasSuffix(name, "ID")
}

// IsCalendar reports whether whole numbers in a column of that name are parts of
// a date, such as years.
func IsCalendar(name string) bool {
	return hasWord(name, "year", "quarter", "month", "week", "weekday", "day", "hour")
}

// hasWord reports whether name is one of the words, or ends with one of them
// after a space or an underscore.
func hasWord(name string, words ...string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(words, func(word string) bool {
		return name == word || strings.HasSuffix(name, "_"+word) || strings.HasSuffix(name, " "+word)
	})
}
