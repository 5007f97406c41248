package qed

import (
	"bufio"
	"database/sql/driver"
	"encoding"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/strictjson"
)

// A Table has rows of cells under named columns.
//
// A cell is nil, a bool, an int64, a finite float64, or a string in UTF-8.
// [Table.Append] converts the values of database drivers. A Table decodes from its
// JSON to an equal Table: an int64 keeps all its digits, and a float64 remains one,
// because it is encoded with a point or an exponent.
//
// The zero Table has no columns. A Table is not safe for concurrent use while rows
// are added.
type Table struct {
	Columns   []Column
	Rows      [][]any // each as long as Columns
	Truncated bool    // there are more rows than these
}

// A Column describes a column of a [Table].
type Column struct {
	Name string `json:"name"`
	Type string `json:"type,omitempty"` // the type in the database; empty if unknown
}

// Clone returns a copy of t that shares no memory with it.
func (t Table) Clone() Table {
	t.Columns = slices.Clone(t.Columns)
	t.Rows = slices.Clone(t.Rows)
	for i, row := range t.Rows {
		t.Rows[i] = slices.Clone(row)
	}
	return t
}

// tableJSON is the form of a Table in JSON.
type tableJSON struct {
	Columns   []Column            `json:"columns"`
	Rows      [][]json.RawMessage `json:"rows"`
	Truncated bool                `json:"truncated,omitempty"`
}

// MarshalJSON returns
//
//	{"columns": [{"name": "..", "type": ".."}], "rows": [[cell, ..], ..], "truncated": true}
//
// It returns an error if a row does not have a cell for each column, or if a cell has
// a type that a Table does not have.
func (t Table) MarshalJSON() ([]byte, error) {
	out := tableJSON{t.Columns, make([][]json.RawMessage, len(t.Rows)), t.Truncated}
	if out.Columns == nil {
		out.Columns = []Column{}
	}
	for i, row := range t.Rows {
		if len(row) != len(t.Columns) {
			return nil, fmt.Errorf("qed: table: row %d has %d cells for %d columns", i, len(row), len(t.Columns))
		}
		out.Rows[i] = make([]json.RawMessage, len(row))
		for j, cell := range row {
			raw, err := writeCell(cell)
			if err != nil {
				return nil, fmt.Errorf("qed: table: row %d, column %q: %w", i, t.Columns[j].Name, err)
			}
			out.Rows[i][j] = raw
		}
	}
	return json.Marshal(out)
}

// UnmarshalJSON decodes the JSON of [Table.MarshalJSON], strictly. A whole number that
// does not fit an int64 is an error.
func (t *Table) UnmarshalJSON(raw []byte) error {
	var in tableJSON
	if err := strictjson.Decode(raw, &in); err != nil {
		if _, mismatch := errors.AsType[*json.UnmarshalTypeError](err); mismatch {
			return errors.New(`qed: a table must be {"columns": [{"name": "..", "type": ".."}], ` +
				`"rows": [[..], ..]}, with a list of cells for each row`)
		}
		return fmt.Errorf("qed: table: %w", err)
	}
	if in.Columns == nil || in.Rows == nil {
		return fmt.Errorf(`qed: a table needs the members "columns" and "rows"`)
	}
	out := Table{Truncated: in.Truncated}
	if len(in.Columns) > 0 {
		out.Columns = in.Columns
	}
	if len(in.Rows) > 0 {
		out.Rows = make([][]any, len(in.Rows))
	}
	for i, cells := range in.Rows {
		if len(cells) != len(in.Columns) {
			return fmt.Errorf("qed: table: row %d has %d cells for %d columns", i, len(cells), len(in.Columns))
		}
		out.Rows[i] = make([]any, len(cells))
		for j, cell := range cells {
			v, err := readCell(cell)
			if err != nil {
				return fmt.Errorf("qed: table: row %d, column %q: %w", i, in.Columns[j].Name, err)
			}
			out.Rows[i][j] = v
		}
	}
	*t = out
	return nil
}

func writeCell(cell any) (json.RawMessage, error) {
	if !isCell(cell) {
		return nil, fmt.Errorf("a cell cannot be of type %T; add rows with Append", cell)
	}
	f, ok := cell.(float64)
	if !ok {
		return json.Marshal(cell)
	}
	text := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0" // or it would decode to an int64
	}
	return json.RawMessage(text), nil
}

func readCell(raw json.RawMessage) (any, error) {
	switch {
	case len(raw) == 0 || raw[0] == 'n': // encoding/json makes null an empty element
		return nil, nil
	case raw[0] == 't' || raw[0] == 'f':
		return raw[0] == 't', nil
	case raw[0] == '"':
		var s string
		err := json.Unmarshal(raw, &s)
		return s, err
	case raw[0] == '[' || raw[0] == '{':
		return nil, fmt.Errorf("a cell cannot be an array or an object")
	case strings.ContainsAny(string(raw), ".eE"):
		f, err := strconv.ParseFloat(string(raw), 64)
		if err != nil {
			return nil, fmt.Errorf("the number does not fit a float64")
		}
		return f, nil
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("the number does not fit an int64")
	}
	return n, nil
}

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

// maxCellText is the maximum width of a cell, in characters.
const maxCellText = 60

// WriteText writes t as plain text in aligned columns, for a terminal or a log.
// Numbers are aligned to the right, and null is NULL.
//
// Cells are untrusted: line breaks, control characters and other characters that
// cannot be printed, such as the escape sequences of a terminal, are escaped, and
// long cells are cut.
func (t Table) WriteText(w io.Writer) error {
	head := make([]string, len(t.Columns))
	widths := make([]int, len(t.Columns))
	right := make([]bool, len(t.Columns))
	for j, c := range t.Columns {
		head[j] = visible(c.Name)
		widths[j] = utf8.RuneCountInString(head[j])
		right[j] = len(t.Rows) > 0
	}
	rows := make([][]string, len(t.Rows))
	for i, row := range t.Rows {
		if len(row) != len(t.Columns) {
			return fmt.Errorf("qed: table: row %d has %d cells for %d columns", i, len(row), len(t.Columns))
		}
		rows[i] = make([]string, len(row))
		for j, cell := range row {
			rows[i][j] = formatCell(cell)
			widths[j] = max(widths[j], utf8.RuneCountInString(rows[i][j]))
			right[j] = right[j] && isNumber(cell)
		}
	}
	b := bufio.NewWriter(w)
	line := func(cells []string) {
		var pending int // spaces before the next text, so that no line ends with spaces
		for j, cell := range cells {
			pad := widths[j] - utf8.RuneCountInString(cell)
			if right[j] {
				pending, pad = pending+pad, 0
			}
			b.WriteString(strings.Repeat(" ", pending))
			b.WriteString(cell)
			pending = pad + 2
		}
		b.WriteByte('\n')
	}
	rule := make([]string, len(widths))
	for j, width := range widths {
		rule[j] = strings.Repeat("-", width)
	}
	line(head)
	line(rule)
	for _, row := range rows {
		line(row)
	}
	switch n := len(rows); {
	case t.Truncated:
		fmt.Fprintf(b, "(the first %d rows; there are more)\n", n)
	case n == 1:
		fmt.Fprintln(b, "(1 row)")
	default:
		fmt.Fprintf(b, "(%d rows)\n", n)
	}
	return b.Flush()
}

func isNumber(cell any) bool {
	switch cell.(type) {
	case nil, int64, float64:
		return true
	}
	return false
}

// formatCell returns the text of a cell as [Table.WriteText] writes it: NULL for
// null, numbers without an exponent where they are short, and other texts cut
// after 60 characters, with control characters escaped.
func formatCell(cell any) string {
	switch cell := cell.(type) {
	case nil:
		return "NULL"
	case float64:
		if size := math.Abs(cell); size != 0 && (size < 1e-6 || size >= 1e15) {
			return strconv.FormatFloat(cell, 'g', -1, 64)
		}
		return strconv.FormatFloat(cell, 'f', -1, 64)
	}
	return visible(fmt.Sprint(cell))
}

// visible returns the beginning of s, with characters that cannot be printed escaped.
func visible(s string) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n == maxCellText {
			b.WriteString("…")
			break
		}
		n++
		if unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteRuneToASCII(r)
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}

// PromptLines returns t as data for a prompt: the names of its columns and at
// most limit of its rows as JSON arrays, one on each line, with up to about size
// bytes. It also returns the number of rows in the text. Long texts are cut. The
// character < is escaped, so no cell can close a tag around the text.
func (t *Table) PromptLines(limit, size int) (text string, rows int) {
	var b strings.Builder
	head := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		head[i] = c.Name
	}
	write := func(v any) {
		line, err := json.Marshal(v)
		if err == nil { // cells of a Table always have a JSON form
			b.Write(line)
		}
	}
	write(head)
	// In a wide table, each cell is cut shorter, so that one row cannot fill a prompt.
	most := min(maxPromptCell, max(minPromptCell, size/max(1, len(head))))
	for _, row := range t.Rows[:min(limit, len(t.Rows))] {
		if b.Len() > size {
			break
		}
		short := make([]any, len(row))
		for i, cell := range row {
			if s, ok := cell.(string); ok {
				cell = prompt.Clip(s, most)
			}
			short[i] = cell
		}
		b.WriteByte('\n')
		write(short)
		rows++
	}
	return b.String(), rows
}

const (
	maxPromptCell = 300
	minPromptCell = 10
)
