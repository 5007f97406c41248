// Package strictjson decodes JSON and refuses unknown fields and trailing data.
// It also has the JSON of a value for readers, as text, and in a form to compare.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// Decode decodes raw into v. It returns an error if raw has a field that v does not
// have, or anything but white space after the value.
func Decode(raw []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("data after the JSON value")
	}
	return nil
}

// Any decodes one JSON value. Numbers become json.Numbers, which keep their digits.
func Any(raw []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("data after the JSON value")
	}
	return v, nil
}

// Encode returns the JSON of a value for engines, people and models: on one line, and without
// the escapes that package encoding/json has for HTML.
func Encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// Cell returns a value as [Any] decodes it for a cell of a table: a number is an int64 or a
// float64, or a text if it is an integer of more digits, and a list or an object is a text.
func Cell(v any) any {
	switch v := v.(type) {
	case nil, bool, string:
		return v
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		if f, err := v.Float64(); err == nil && strings.ContainsAny(string(v), ".eE") {
			return f
		}
		return v.String()
	}
	text, err := Encode(v)
	if err != nil {
		return nil // not reached: the value comes from JSON
	}
	return string(text)
}

// Compact returns raw without the spaces between its tokens. It returns raw itself
// if that is not JSON.
func Compact(raw json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

// Text returns the text of a JSON string. It returns any other JSON without the
// spaces between its tokens.
func Text(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(Compact(raw))
}

// Absent reports whether there is no value, or null.
func Absent(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) == 0 || string(raw) == "null"
}
