package joingraph

import (
	"slices"
	"strings"
)

// A typeClass groups the types of columns that can be compared.
type typeClass int

const (
	unknownType typeClass = iota
	integerType
	decimalType
	textType
	uuidType
	dateType
	momentType
	otherType // no key has it: a boolean, a float, JSON, bytes
)

// classOf returns the class of a type as an engine writes it.
func classOf(name string) typeClass {
	name = strings.ToLower(strings.TrimSpace(name))
	word, arguments, _ := strings.Cut(name, "(")
	word = strings.TrimSpace(word)
	has := func(list ...string) bool {
		return slices.ContainsFunc(list, func(s string) bool { return strings.Contains(word, s) })
	}
	switch {
	case word == "":
		return unknownType
	case has("[]", "json", "blob", "bytea", "binary", "bool", "geo", "point", "image", "xml", "vector", "interval"):
		if strings.HasPrefix(name, "binary(16") || strings.HasPrefix(name, "varbinary(16") {
			return uuidType
		}
		return otherType
	case word == "bit", strings.HasPrefix(name, "tinyint(1)"), has("float", "double", "real", "money"):
		return otherType
	case has("uuid", "uniqueidentifier", "guid"):
		return uuidType
	case has("int", "serial"):
		return integerType
	case has("dec", "numeric", "number"):
		if strings.HasSuffix(strings.ReplaceAll(arguments, " ", ""), ",0)") {
			return integerType
		}
		return decimalType
	case has("char", "text", "clob", "string", "enum", "set", "name"):
		return textType
	case has("timestamp", "datetime"):
		return momentType
	case word == "date", word == "year":
		return dateType
	case has("time"):
		return otherType
	}
	return unknownType
}

// How the types of two columns relate.
const (
	typesUnknown      = "unknown"
	typesEqual        = "equal"
	typesCompatible   = "compatible"
	typesIncompatible = "incompatible"
)

// compareTypes compares the types of two columns, given as the engine writes them
// and as classes.
func compareTypes(a, b string, x, y typeClass) string {
	switch {
	case x == otherType || y == otherType:
		return typesIncompatible
	case x == unknownType || y == unknownType:
		return typesUnknown
	case strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b)):
		return typesEqual
	case x == y, x == integerType && y == decimalType, x == decimalType && y == integerType,
		x == textType && y == uuidType, x == uuidType && y == textType:
		return typesCompatible
	}
	return typesIncompatible
}
