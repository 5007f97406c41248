package postgresdb

import (
	"fmt"
	"strconv"
	"strings"
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
			return written(v, time.DateOnly)
		case "TIMESTAMP":
			return written(v, time.DateTime+".999999")
		case "TIMESTAMPTZ":
			return written(v.UTC(), "2006-01-02T15:04:05.999999Z")
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

// written returns t in a layout that begins with the year. Package time does not
// write the years before Christ as the server does.
func written(t time.Time, layout string) string {
	if year := t.Year(); year < 1 {
		return fmt.Sprintf("%04d", 1-year) + t.Format(strings.TrimPrefix(layout, "2006")) + " BC"
	}
	return t.Format(layout)
}
