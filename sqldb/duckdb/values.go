package duckdb

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"time"

	"github.com/duckdb/duckdb-go/v2"
)

// ConvertValue returns dates and timestamps as DuckDB writes them, numbers
// that no int64 holds as digits, and lists as JSON. Other types are texts already: see
// [withTexts].
func (e *engine) ConvertValue(columnType string, value any) any {
	switch v := value.(type) {
	case time.Time:
		return e.timeText(columnType, v)
	case []any:
		text, err := json.Marshal(plain(v))
		if err != nil {
			return fmt.Sprint(v)
		}
		return string(text)
	}
	return scalar(value)
}

// decimal returns a number with all digits of its type.
func decimal(v duckdb.Decimal) string {
	if v.Value == nil {
		return ""
	}
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(v.Scale)), nil)
	return new(big.Rat).SetFrac(v.Value, unit).FloatString(int(v.Scale))
}

// timeText returns a date or a timestamp as DuckDB writes it, in its time zone if it has
// one.
func (e *engine) timeText(columnType string, at time.Time) string {
	const clock = " 15:04:05.999999999"
	if infinite := infinity(columnType, at); infinite != "" {
		return infinite
	}
	layout := clock
	switch columnType {
	case "DATE":
		layout = ""
	case "TIMESTAMPTZ":
		at = at.In(e.location)
		layout = clock + offsetLayout(at)
	}
	if year := at.Year(); year < 1 {
		return fmt.Sprintf("%04d", 1-year) + at.Format("-01-02 (BC)"+layout)
	}
	return at.Format(time.DateOnly + layout)
}

// offsetLayout returns the layout of the offset of a time. The offsets of earlier
// centuries have seconds.
func offsetLayout(at time.Time) string {
	if _, offset := at.Zone(); offset%60 != 0 {
		return "-07:00:00"
	}
	return "-07:00"
}

// infinity returns how DuckDB writes a time that its driver took from the largest or
// the smallest number of the type. It returns "" for all others.
func infinity(columnType string, at time.Time) string {
	var n int64
	most := int64(math.MaxInt64)
	switch columnType {
	case "DATE":
		n, most = at.Unix()/(24*60*60), math.MaxInt32
	case "TIMESTAMP_S":
		n = at.Unix()
	case "TIMESTAMP_MS":
		n = at.UnixMilli()
	case "TIMESTAMP_NS":
		n = at.UnixNano()
	default:
		n = at.UnixMicro()
	}
	switch n {
	case most:
		return "infinity"
	case -most:
		return "-infinity"
	}
	return ""
}

// scalar returns a value of a type of the driver as a number or a text.
func scalar(value any) any {
	switch v := value.(type) {
	case *big.Int:
		if v.IsInt64() {
			return v.Int64()
		}
		return v.String()
	case duckdb.Decimal:
		return decimal(v)
	}
	return value
}

// plain returns a number, a text or a list of them in a form that encoding/json writes.
func plain(value any) any {
	switch v := value.(type) {
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = plain(x)
		}
		return out
	case duckdb.Decimal:
		return json.Number(decimal(v))
	case *big.Int:
		return json.Number(v.String())
	case float32:
		if !isFinite(float64(v)) {
			return fmt.Sprint(v)
		}
	case float64:
		if !isFinite(v) {
			return fmt.Sprint(v)
		}
	}
	return value
}

// isFinite reports whether JSON can write a number.
func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
