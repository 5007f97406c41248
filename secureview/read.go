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
)

// maxPolicy bounds the size of a policy that is read.
const maxPolicy = 16 << 20

// ReadPolicy reads a policy in its JSON form, strictly: an unknown or repeated
// key, or anything after the object, is an [Error] of code [ErrInvalidPolicy] that
// names it. [New] checks what the policy says.
//
//	{
//	  "dialect": "mysql",
//	  "schema": "app",
//	  "tables": {
//	    "employee": ["id", "name"],
//	    "secure_employee": ["id", "name"]
//	  },
//	  "views": {"employee": "secure_employee"},
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
		return nil, invalid("file", "has something after the object")
	}
	return p, nil
}

// badJSON names what the decoder names.
func badJSON(err error) error {
	var policy *Error
	var mistyped *json.UnmarshalTypeError
	switch {
	case errors.As(err, &policy):
		return err
	case errors.As(err, &mistyped):
		return invalid(mistyped.Field, "is of the wrong type: %s", mistyped.Value)
	}
	return invalid("file", "is no JSON object: %s", strings.TrimPrefix(err.Error(), "json: "))
}

// checkKeys reads one value for a Go type, and refuses an object with a key that
// does not belong there, or that it has twice: the decoder would take the one for
// a field that is spelled much like it, and drop one of the other. Where the value
// is of another type than Go's, t is nil from there on: the decoder says so.
func checkKeys(d *json.Decoder, t reflect.Type, path []string) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	delim, ok := token.(json.Delim)
	switch {
	case delim != '{' && len(path) == 0:
		return errors.New("it is another value")
	case !ok:
		return nil
	}
	seen := map[string]bool{}
	for d.More() {
		at, of := path, inside(t)
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
					return invalid(entry, "is no field here; the fields are %s", strings.Join(names(fields), ", "))
				}
				of = fields[i].of
			}
			if seen[ascii.Lower(key)] {
				return invalid(entry, "occurs twice, perhaps in another case")
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

// inside is the type of what a map or slice holds, and nil for any other type.
func inside(t reflect.Type) reflect.Type {
	if t != nil && (t.Kind() == reflect.Map || t.Kind() == reflect.Slice) {
		return t.Elem()
	}
	return nil
}

// field is a key of a JSON object.
type field struct {
	name string
	of   reflect.Type
}

// fieldsOf is the keys that an object may have; nil: any.
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
		fields = append(fields, field{name, f.Type})
	}
	return fields
}

func names(fields []field) []string {
	list := make([]string, len(fields))
	for i, f := range fields {
		list[i] = f.name
	}
	return list
}
