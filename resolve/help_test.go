package resolve_test

import (
	"slices"
	"strconv"

	"github.com/qedkit/qed/resolve"
)

func formatScore(f float64) string { return strconv.FormatFloat(f, 'f', 2, 64) }

// fields returns fields of a source without types.
func fields(source string, names ...string) []resolve.Field {
	var list []resolve.Field
	for _, n := range names {
		list = append(list, resolve.Field{Source: source, Name: n})
	}
	return list
}

// typedFields returns fields of a source by pairs of a name and a type.
func typedFields(source string, namesAndTypes ...string) []resolve.Field {
	var list []resolve.Field
	for pair := range slices.Chunk(namesAndTypes, 2) {
		list = append(list, resolve.Field{Source: source, Name: pair[0], Type: pair[1]})
	}
	return list
}
