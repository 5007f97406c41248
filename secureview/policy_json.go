package secureview

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/refusal"
)

// maxPolicy is the largest policy that ReadPolicy reads, in bytes.
const maxPolicy = 16 << 20

// ReadPolicy reads a policy from its JSON form. It is strict: an unknown or
// repeated key, or text after the object, is a [refusal.Error] with code
// [ErrInvalidPolicy] that names it. [New] and [Policy.ReadableTables] check the content.
//
//	{
//	  "dialect": "mysql",
//	  "schema": "app",
//	  "tables": {
//	    "employee": ["id", "name"],
//	    "orders": ["id", "total"],
//	    "secure_employee": ["id", "name"]
//	  },
//	  "views": {"employee": "secure_employee"},
//	  "filters": {"orders": "customer_id IN (:customers)"},
//	  "functions": ["full_name"],
//	  "row_limit": 1000,
//	  "setup": {
//	    "account": "'agent'@'%'",
//	    "key": {"setting": "aesKey"},
//	    "tables": {
//	      "employee": {
//	        "encrypted": {"name": "text"},
//	        "filters": [{"column": "tenant_id", "setting": "tenant"}]
//	      }
//	    }
//	  }
//	}
func ReadPolicy(r io.Reader) (*Policy, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxPolicy+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("secureview: read policy: %w", err)
	case len(text) > maxPolicy:
		return nil, invalid("file", "is larger than %d bytes", maxPolicy)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if err := checkKeys(d, reflect.TypeFor[Policy](), nil); err != nil {
		return nil, badJSON(err)
	}
	p := new(Policy)
	d = json.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(p); err != nil {
		return nil, badJSON(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, invalid("file", "has text after the object")
	}
	return p, nil
}

// badJSON converts an error of the decoder into one that names the entry.
func badJSON(err error) error {
	var policy *refusal.Error
	var mistyped *json.UnmarshalTypeError
	switch {
	case errors.As(err, &policy):
		return err
	case errors.As(err, &mistyped):
		return invalid(mistyped.Field, "has the wrong type: %s", mistyped.Value)
	}
	return invalid("file", "is not a JSON object: %s", strings.TrimPrefix(err.Error(), "json: "))
}

// checkKeys reads one JSON value for the Go type t and refuses unknown and
// repeated keys of its objects. The decoder itself would accept an unknown key that
// differs from a field only in letter case, and would drop all but the last of
// repeated keys. Below a value that does not fit t the type is nil: the decoder
// reports the mismatch.
func checkKeys(d *json.Decoder, t reflect.Type, path []string) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	delim, ok := token.(json.Delim)
	switch {
	case delim != '{' && len(path) == 0:
		return errors.New("it is another kind of value")
	case !ok:
		return nil
	}
	seen := map[string]bool{}
	for d.More() {
		at, of := path, elemOf(t)
		if delim == '{' {
			token, err := d.Token()
			if err != nil {
				return err
			}
			key := token.(string)
			at = append(slices.Clip(path), key)
			entry := strings.Join(at, ".")
			if fields := fieldsOf(t); fields != nil {
				i := slices.IndexFunc(fields, func(f field) bool { return f.name == key })
				if i < 0 {
					return invalid(entry,
						"is not a field; the fields are %s", strings.Join(lists.Map(fields, func(f field) string { return f.name }), ", "))
				}
				of = fields[i].of
			}
			if seen[ascii.Lower(key)] {
				return invalid(entry, "occurs twice, perhaps in another letter case")
			}
			seen[ascii.Lower(key)] = true
		}
		if err := checkKeys(d, of, at); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// elemOf returns the element type of a map or slice, and nil for other types.
func elemOf(t reflect.Type) reflect.Type {
	if t != nil && (t.Kind() == reflect.Map || t.Kind() == reflect.Slice) {
		return t.Elem()
	}
	return nil
}

// A field is a key of a JSON object.
type field struct {
	name string
	of   reflect.Type
}

// fieldsOf returns the keys that an object for type t may have; nil means any.
func fieldsOf(t reflect.Type) []field {
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	var fields []field
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		fields = append(fields, field{name: name, of: f.Type})
	}
	return fields
}
