package sqlproof

import "testing"

func TestKindOf(t *testing.T) {
	tests := map[kind][]string{
		unknownKind: {"", " "},
		wholeKind:   {"INTEGER", "int(11)", "int unsigned", "tinyint(1)", "smallint"},
		bigKind:     {"bigint", "BIGINT(20) unsigned", "int8", "HUGEINT"},
		numberKind:  {"decimal(10,2)", "numeric(12, 4)", "double precision", "double(10,2)", "DOUBLE", "real", "float unsigned"},
		textKind:    {"text", "VARCHAR(20)", "character varying(20)", "character varying", "char(3)", "longtext"},
		dayKind:     {"date", "DATE"},
		momentKind:  {"datetime(6)", "timestamp without time zone", "timestamp(3) with time zone", "TIMESTAMP", "timestamptz", "TIMESTAMP_NS"},
		otherKind:   {"time", "interval", "boolean", "json", "enum('int','text')", "blob", "integer[]", "year(4)"},
	}
	for want, types := range tests {
		for _, typ := range types {
			if got := kindOf(typ); got != want {
				t.Errorf("%q has kind %d instead of %d", typ, got, want)
			}
		}
	}
}
