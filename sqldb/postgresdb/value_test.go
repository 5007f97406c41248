package postgresdb

import (
	"testing"
	"time"
)

func TestConvertValue(t *testing.T) {
	newYork := time.FixedZone("", -5*3600)
	for _, test := range []struct {
		columnType string
		value      any
		want       any
	}{
		{"DATE", time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC), "2024-02-29"},
		{"DATE", time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), "0001-01-01"},
		{"DATE", time.Date(0, 12, 31, 0, 0, 0, 0, time.UTC), "0001-12-31 BC"},
		{"DATE", time.Date(-43, 3, 15, 0, 0, 0, 0, time.UTC), "0044-03-15 BC"},
		{"DATE", time.Date(12024, 1, 1, 0, 0, 0, 0, time.UTC), "12024-01-01"},
		{"DATE", "infinity", "infinity"},
		{"DATE", nil, nil},
		{"TIMESTAMP", time.Date(2024, 1, 5, 10, 0, 0, 0, time.UTC), "2024-01-05 10:00:00"},
		{"TIMESTAMP", time.Date(2024, 1, 5, 10, 0, 0, 1000, time.UTC), "2024-01-05 10:00:00.000001"},
		{"TIMESTAMP", time.Date(2024, 12, 31, 23, 59, 59, 120_999_999, time.UTC), "2024-12-31 23:59:59.120999"},
		{"TIMESTAMP", time.Date(2024, 12, 31, 23, 59, 59, 999, time.UTC), "2024-12-31 23:59:59"},
		{"TIMESTAMP", time.Date(294276, 12, 31, 0, 0, 0, 500_000_000, time.UTC), "294276-12-31 00:00:00.5"},
		{"TIMESTAMPTZ", time.Date(-43, 3, 15, 10, 0, 0, 0, time.UTC), "0044-03-15T10:00:00Z BC"},
		{"DATE", time.Date(987, 6, 5, 0, 0, 0, 0, time.UTC), "0987-06-05"},
		{"TIMESTAMP", time.Date(-43, 3, 15, 10, 0, 0, 0, time.UTC), "0044-03-15 10:00:00 BC"},
		{"TIMESTAMPTZ", time.Date(2024, 1, 5, 20, 0, 0, 5e8, newYork), "2024-01-06T01:00:00.5Z"},
		{"TIMESTAMPTZ", time.Date(0, 12, 31, 20, 0, 0, 0, newYork), "0001-01-01T01:00:00Z"},
		{"FLOAT4", float64(float32(0.1)), 0.1},
		{"FLOAT4", float64(float32(3.4028235e38)), 3.4028235e38},
		{"FLOAT8", float64(float32(0.1)), float64(float32(0.1))},
		{"INT8", int64(7), int64(7)},
		{"TIMETZ", "10:00:00+02", "10:00:00+02"},
	} {
		if got := new(engine).ConvertValue(test.columnType, test.value); got != test.want {
			t.Errorf("%s %v: got %v, want %v", test.columnType, test.value, got, test.want)
		}
	}
}
