package qed

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

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
