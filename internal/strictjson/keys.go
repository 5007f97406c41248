package strictjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
)

// A KeyError is a key that [Keys] refuses.
type KeyError struct {
	Path   []string // the key, after the keys of the objects around it
	Fields []string // the keys that its object may have; nil: the key occurs twice
}

// Error returns the key and what is wrong with it.
func (e *KeyError) Error() string {
	if e.Fields == nil {
		return fmt.Sprintf("the key %.100q is used twice", e.Path[len(e.Path)-1])
	}
	return fmt.Sprintf("the key %.100q is none of %s", e.Path[len(e.Path)-1], strings.Join(e.Fields, ", "))
}

// Keys returns a [*KeyError] for a repeated key of a JSON value, and for a key that the Go type
// t does not have. Package encoding/json would drop all but the last of repeated keys, and
// accept a key that differs from a field in letter case. If t is nil, any keys may occur, also
// some that differ in letter case only.
func Keys(raw []byte, t reflect.Type) error {
	c := keyChecker{Decoder: json.NewDecoder(bytes.NewReader(raw)), exact: t == nil}
	return c.value(t, nil)
}

type keyChecker struct {
	*json.Decoder
	exact bool // letter case tells keys apart
}

// value reads one value. Below a value that does not fit t the type is nil: who decodes the
// value reports the mismatch.
func (c keyChecker) value(t reflect.Type, path []string) error {
	token, err := c.Token()
	if err != nil {
		return err
	}
	delim, ok := token.(json.Delim)
	if !ok {
		return nil
	}
	seen := map[string]bool{}
	for c.More() {
		at, of := path, elemOf(t)
		if delim == '{' {
			token, err := c.Token()
			if err != nil {
				return err
			}
			key := token.(string)
			at = append(path[:len(path):len(path)], key)
			if names, types := fieldsOf(t); names != nil {
				if of, ok = types[key]; !ok {
					return &KeyError{Path: at, Fields: names}
				}
			}
			if !c.exact {
				key = ascii.Lower(key)
			}
			if seen[key] {
				return &KeyError{Path: at}
			}
			seen[key] = true
		}
		if err := c.value(of, at); err != nil {
			return err
		}
	}
	_, err = c.Token()
	return err
}

// elemOf returns the element type of a map or slice, and nil for other types.
func elemOf(t reflect.Type) reflect.Type {
	if t != nil && (t.Kind() == reflect.Map || t.Kind() == reflect.Slice) {
		return t.Elem()
	}
	return nil
}

// fieldsOf returns the keys that an object for type t may have, in order, with the types of
// their values; nil means any.
func fieldsOf(t reflect.Type) (names []string, types map[string]reflect.Type) {
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct {
		return nil, nil
	}
	types = map[string]reflect.Type{}
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names, types[name] = append(names, name), f.Type
	}
	return names, types
}
