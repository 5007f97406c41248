package mysqldb

import "encoding/hex"

// Cell makes a number of BIT, which drivers hand over as its bytes, and always
// hexadecimal digits of a geometry or a vector, some of which happen to be text.
func (*engine) Cell(columnType string, value any) any {
	raw, ok := value.([]byte)
	if !ok || raw == nil {
		return value
	}
	switch columnType {
	case "BIT":
		if len(raw) > 8 {
			return value
		}
		var bits uint64
		for _, b := range raw {
			bits = bits<<8 | uint64(b)
		}
		return bits
	case "GEOMETRY", "VECTOR":
		return "0x" + hex.EncodeToString(raw)
	}
	return value
}
