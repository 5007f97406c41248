package qed

import (
	"database/sql/driver"
	"encoding"
	"encoding/hex"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"time"
	"unicode/utf8"
)

// Append adds a row of values, one for each column, as cells:
//
//   - an integer becomes an int64, or a string of digits if it does not fit;
//   - a float32 becomes the float64 with the same shortest digits; NaN and infinities
//     become "NaN", "+Inf" and "-Inf";
//   - bytes and strings become a string: their text, or "0x" and hexadecimal digits
//     if that is not UTF-8;
//   - a [time.Time] becomes a string in the format [time.RFC3339Nano], in its zone;
//   - a [driver.Valuer] becomes its value, and an [encoding.TextMarshaler], such as a
//     decimal, its text;
//   - a pointer becomes the value that it points to, and a named type the value of
//     its underlying type.
//
// Any other value and a wrong number of values are errors, and t does not change.
// Append keeps no reference to the values.
func (t *Table) Append(values ...any) error {
	if len(values) != len(t.Columns) {
		return fmt.Errorf("qed: table: %d values for %d columns", len(values), len(t.Columns))
	}
	row := make([]any, len(values))
	for i, v := range values {
		cell, err := toCell(v)
		if err != nil {
			return fmt.Errorf("qed: table: column %q: %w", t.Columns[i].Name, err)
		}
		row[i] = cell
	}
	t.Rows = append(t.Rows, row)
	return nil
}

// isCell reports whether v is what a cell may be.
func isCell(v any) bool {
	switch v := v.(type) {
	case nil, bool, int64:
		return true
	case string:
		return utf8.ValidString(v)
	case float64:
		return !math.IsNaN(v) && !math.IsInf(v, 0)
	}
	return false
}

func toCell(v any) (any, error) {
	if isCell(v) {
		return v, nil
	}
	switch v := v.(type) {
	case float64:
		return floatCell(v), nil
	case string:
		return textCell(v), nil
	case []byte:
		if v == nil {
			return nil, nil
		}
		return textCell(string(v)), nil
	case time.Time:
		return v.Format(time.RFC3339Nano), nil
	}
	rv := reflect.ValueOf(v)
	if rv.Kind() == reflect.Pointer && rv.IsNil() {
		return nil, nil
	}
	switch v := v.(type) {
	case driver.Valuer:
		value, err := v.Value()
		if err != nil {
			return nil, err
		}
		if _, again := value.(driver.Valuer); again {
			return nil, fmt.Errorf("the Value method of %T returns another driver.Valuer", v)
		}
		return toCell(value)
	case encoding.TextMarshaler:
		text, err := v.MarshalText()
		if err != nil {
			return nil, err
		}
		return textCell(string(text)), nil
	}
	switch rv.Kind() {
	case reflect.Pointer:
		return toCell(rv.Elem().Interface())
	case reflect.Bool:
		return rv.Bool(), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return rv.Int(), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if n := rv.Uint(); n > math.MaxInt64 {
			return strconv.FormatUint(n, 10), nil
		}
		return int64(rv.Uint()), nil
	case reflect.Float32:
		f, err := strconv.ParseFloat(strconv.FormatFloat(rv.Float(), 'g', -1, 32), 64)
		return floatCell(f), err
	case reflect.Float64:
		return floatCell(rv.Float()), nil
	case reflect.String:
		return textCell(rv.String()), nil
	case reflect.Slice:
		if rv.Type().Elem().Kind() == reflect.Uint8 {
			return toCell(rv.Bytes())
		}
	}
	return nil, fmt.Errorf("%T cannot be a cell; convert it to a number, a string or a time", v)
}

func floatCell(f float64) any {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return f
}

func textCell(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return "0x" + hex.EncodeToString([]byte(s))
}
