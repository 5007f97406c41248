package secureview

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/qedkit/qed/internal/strictjson"
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
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // which editors of Windows write
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return nil, invalid("file", "is not a JSON object")
	}
	if err := strictjson.Keys(text, reflect.TypeFor[Policy]()); err != nil {
		return nil, badJSON(text, err)
	}
	p := new(Policy)
	d := json.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(p); err != nil {
		return nil, badJSON(text, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, invalid("file", "has text after the object")
	}
	return p, nil
}

// badJSON converts an error of the decoder into one that names the entry.
func badJSON(text []byte, err error) error {
	if key, ok := errors.AsType[*strictjson.KeyError](err); ok {
		entry := strings.Join(key.Path, ".")
		if key.Fields == nil {
			return invalid(entry, "occurs twice, perhaps in another letter case")
		}
		return invalid(entry, "is not a field; the fields are %s", strings.Join(key.Fields, ", "))
	}
	if mistyped, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && mistyped.Field != "" {
		return invalid(mistyped.Field, "has the wrong type: %s", mistyped.Value)
	}
	at := len(text)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		at = min(at, int(syntax.Offset))
	}
	return invalid("file", "is not a JSON object: line %d: %s",
		1+bytes.Count(text[:at], []byte("\n")), strings.TrimPrefix(err.Error(), "json: "))
}
