package sqlproof

import "strings"

// kind is what the values of a column are.
type kind uint8

const (
	unknownKind kind = iota
	wholeKind        // whole numbers
	bigKind          // whole numbers of 64 bits
	numberKind       // other numbers
	textKind
	dayKind
	momentKind // a day and a time
	otherKind
)

func (k kind) isWhole() bool { return k == wholeKind || k == bigKind }

func (k kind) isNumber() bool { return k.isWhole() || k == numberKind }

// kindOf returns the kind of a type, as an engine writes it: its first word tells.
func kindOf(typ string) kind {
	name := strings.ToLower(strings.TrimSpace(typ))
	if i := strings.IndexAny(name, "( "); i > 0 {
		name = name[:i]
	}
	switch name {
	case "":
		return unknownKind
	case "int", "integer", "smallint", "mediumint", "tinyint", "int2", "int4", "serial", "uinteger", "usmallint", "utinyint":
		return wholeKind
	case "bigint", "int8", "bigserial", "hugeint", "ubigint":
		return bigKind
	case "real", "float", "double", "float4", "float8", "decimal", "numeric", "number", "dec":
		return numberKind
	case "text", "varchar", "char", "character", "nvarchar", "nchar", "tinytext", "mediumtext", "longtext", "citext", "bpchar", "name":
		return textKind
	case "date":
		return dayKind
	case "datetime", "timestamp", "timestamptz", "timestamp_s", "timestamp_ms", "timestamp_ns":
		return momentKind
	}
	return otherKind
}
