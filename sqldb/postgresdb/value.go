package postgresdb

import (
	"fmt"
	"strconv"
	"time"
)

// ConvertValue returns dates and times as the server writes them: a date
// without a time of day, a TIMESTAMP without a time zone, a year before Christ
// with BC. A TIMESTAMPTZ is returned in UTC, so that it does not depend on where
// the program runs. A REAL has the digits of a float32.
func (*engine) ConvertValue(columnType string, value any) any {
	switch v := value.(type) {
	case time.Time:
		switch columnType {
		case "DATE":
			return written(v, "-01-02", "")
		case "TIMESTAMP":
			return written(v, "-01-02 15:04:05.999999", "")
		case "TIMESTAMPTZ":
			return written(v.UTC(), "-01-02T15:04:05.999999", "Z")
		}
	case float64:
		if columnType == "FLOAT4" {
			if short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', -1, 32), 64); err == nil {
				return short
			}
		}
	}
	return value
}

// written returns the year of t, the rest of t in the given layout, and end.
// Package time does not write the years before 1 and after 9999 as the server
// does.
func written(t time.Time, layout, end string) string {
	year := t.Year()
	if year < 1 {
		year, end = 1-year, end+" BC"
	}
	return fmt.Sprintf("%04d", year) + t.Format(layout) + end
}
