package mysqldb

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestConvertValue(t *testing.T) {
	for _, tt := range []struct {
		columnType string
		value      any
		want       any
	}{
		{"BIT", []byte{0}, uint64(0)},
		{"BIT", []byte("A"), uint64(65)},
		{"BIT", []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, uint64(1<<64 - 1)},
		{"BIT", nil, nil},
		{"BIT", []byte(nil), []byte(nil)},
		{"GEOMETRY", []byte("text"), "0x74657874"},
		{"VECTOR", []byte{0, 0, 128, 63}, "0x0000803f"},
		{"VARCHAR", []byte("text"), []byte("text")},
		{"BIGINT", int64(5), int64(5)},
	} {
		if diff := cmp.Diff(tt.want, (&engine{}).ConvertValue(tt.columnType, tt.value)); diff != "" {
			t.Errorf("%s %v (-want +got):\n%s", tt.columnType, tt.value, diff)
		}
	}
}
