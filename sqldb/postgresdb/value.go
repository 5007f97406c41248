package postgresdb

import (
	"bytes"
	"strconv"
	"time"
)

// ConvertValue returns dates and times as the server writes them: a date
// without a time of day, a TIMESTAMP without a time zone, a year before Christ
// with BC. A TIMESTAMPTZ is returned in UTC, so that it does not depend on
// where the program runs. A REAL has the digits of a float32.
func (*engine) ConvertValue(columnType string, value any) any {
	switch v := value.(type) {
	case time.Time:
		switch columnType {
		case "DATE":
			return written(v, "", "")
		case "TIMESTAMP":
			return written(v, " ", "")
		case "TIMESTAMPTZ":
			return written(v.UTC(), "T", "Z")
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

// written returns the date of t, the separator and the time of day unless
// separator is empty, and end. Many cells are times, and time.Format takes
// almost twice as long.
func written(t time.Time, separator, end string) string {
	var buffer [48]byte
	year, month, day := t.Date()
	if year < 1 {
		year, end = 1-year, end+" BC"
	}
	text := digits(buffer[:0], year, 4)
	text = digits(append(text, '-'), int(month), 2)
	text = digits(append(text, '-'), day, 2)
	if separator != "" {
		hour, minute, second := t.Clock()
		text = digits(append(text, separator...), hour, 2)
		text = digits(append(text, ':'), minute, 2)
		text = digits(append(text, ':'), second, 2)
		if micro := t.Nanosecond() / 1000; micro > 0 {
			text = bytes.TrimRight(digits(append(text, '.'), micro, 6), "0")
		}
	}
	return string(append(text, end...))
}

// digits appends a number with at least the given number of digits.
func digits(text []byte, n, least int) []byte {
	for i, rest := 1, n/10; i < least; i, rest = i+1, rest/10 {
		if rest == 0 {
			text = append(text, '0')
		}
	}
	return strconv.AppendInt(text, int64(n), 10)
}
