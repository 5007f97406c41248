package mysqldb

import "encoding/hex"

// ConvertValue returns BIT as a number instead of its bytes. It returns
// geometries and vectors as hexadecimal digits, because the bytes of some are
// valid text.
func (*engine) ConvertValue(columnType string, value any) any {
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
