package secureview

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
//	  "row_limit": 1000
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
	if err := checkKeys(d, nil); err != nil {
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

// checkKeys reads one value and refuses an object with a key that does not
// belong there, or that it has twice: the decoder would take the one for a field
// that is spelled much like it, and drop one of the other.
func checkKeys(d *json.Decoder, path []string) error {
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
		at := path
		if delim == '{' {
			token, err := d.Token()
			if err != nil {
				return err
			}
			key := token.(string)
			at = append(slices.Clip(path), key)
			entry := strings.Join(at, ".")
			if fields := fieldsAt(path); fields != nil && !slices.Contains(fields, key) {
				return invalid(entry, "is no field of a policy; its fields are %s", strings.Join(fields, ", "))
			}
			if seen[ascii.Lower(key)] {
				return invalid(entry, "occurs twice, perhaps in another case")
			}
			seen[ascii.Lower(key)] = true
		}
		if err := checkKeys(d, at); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

var (
	policyFields = []string{"dialect", "schema", "tables", "views", "schemas", "functions", "row_limit", "view_prefix"}
	schemaFields = []string{"tables", "views"}
)

// fieldsAt is the keys that an object may have; nil: any.
func fieldsAt(path []string) []string {
	switch {
	case len(path) == 0:
		return policyFields
	case len(path) == 2 && path[0] == "schemas":
		return schemaFields
	}
	return nil
}
