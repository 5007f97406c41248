package postgresdb

import (
	"testing"
	"time"
)

func TestInUTC(t *testing.T) {
	newYork := time.FixedZone("", -5*3600)
	for _, test := range []struct {
		at   time.Time
		want string
	}{
		{time.Date(-43, 3, 15, 10, 0, 0, 0, time.UTC), "0044-03-15T10:00:00Z BC"},
		{time.Date(2024, 1, 5, 20, 0, 0, 5e8, newYork), "2024-01-06T01:00:00.5Z"},
		{time.Date(0, 12, 31, 20, 0, 0, 0, newYork), "0001-01-01T01:00:00Z"},
		{time.Date(2024, 12, 31, 23, 59, 59, 120_999_999, time.UTC), "2024-12-31T23:59:59.120999Z"},
		{time.Date(12024, 1, 1, 0, 0, 0, 0, time.UTC), "12024-01-01T00:00:00Z"},
	} {
		if got := inUTC(test.at); got != test.want {
			t.Errorf("%v: got %s, want %s", test.at, got, test.want)
		}
	}
}
