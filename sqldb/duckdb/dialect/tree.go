package dialect

import (
	"encoding/json"
	"strings"
)

// An object is a value of DuckDB's tree, which is JSON. Reading a field marks it, so that a
// field that nothing reads is found by [reader.done] and refused: it could be a clause that
// this package does not know. The zero object is none.
type object struct {
	value any
	used  map[string]bool // the fields that were read
}

func objectOf(value any) object {
	o := object{value: value}
	if _, ok := value.(map[string]any); ok {
		o.used = map[string]bool{}
	}
	return o
}

func parse(text string) (object, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var value any
	err := d.Decode(&value)
	return objectOf(value), err
}

func (o object) isNone() bool { return o.value == nil }

// kind returns the first byte of the value, '0' for a number, and 0 for none.
func (o object) kind() byte {
	switch v := o.value.(type) {
	case map[string]any:
		return '{'
	case []any:
		return '['
	case string:
		return '"'
	case json.Number:
		return '0'
	case bool:
		if v {
			return 't'
		}
		return 'f'
	}
	return 0
}

// field returns a field without marking it. It returns none for a null.
func (o object) field(key string) object {
	fields, _ := o.value.(map[string]any)
	return objectOf(fields[key])
}

func (o object) has(key string) bool { return !o.field(key).isNone() }

func (o object) items() []object {
	list, _ := o.value.([]any)
	var out []object
	for _, v := range list {
		out = append(out, objectOf(v))
	}
	return out
}

// string returns a text, or "" for another value.
func (o object) string() string {
	s, _ := o.value.(string)
	return s
}

// number returns the text of a number, or "" for another value.
func (o object) number() string {
	n, _ := o.value.(json.Number)
	return n.String()
}

// isEmpty reports whether a value is null, or an empty text or list, which is as if
// it were missing.
func (o object) isEmpty() bool {
	switch v := o.value.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	}
	return false
}
