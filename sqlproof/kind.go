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

// kindOf returns the kind of a type, as an engine writes it.
func kindOf(typ string) kind {
	name := strings.ToLower(strings.TrimSpace(typ))
	if i := strings.IndexAny(name, "( "); i > 0 && !strings.HasPrefix(name, "double") && !strings.HasPrefix(name, "character") {
		name, typ = name[:i], name
	}
	switch strings.TrimSuffix(name, " unsigned") {
	case "":
		return unknownKind
	case "int", "integer", "smallint", "mediumint", "tinyint", "int2", "int4", "serial", "uinteger", "usmallint", "utinyint":
		return wholeKind
	case "bigint", "int8", "bigserial", "hugeint", "ubigint":
		return bigKind
	case "real", "float", "double", "double precision", "float4", "float8", "decimal", "numeric", "number", "dec", "money":
		return numberKind
	case "text", "varchar", "char", "character", "nvarchar", "nchar", "tinytext", "mediumtext", "longtext", "citext", "bpchar", "name":
		return textKind
	case "date":
		return dayKind
	case "datetime", "timestamp", "timestamptz":
		return momentKind
	}
	if strings.HasPrefix(name, "character") {
		return textKind
	}
	return otherKind
}
