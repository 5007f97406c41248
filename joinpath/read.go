package joinpath

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/prompt"
)

// maxSize is the largest JSON text, in bytes, that Read accepts.
const maxSize = 64 << 20

// Read reads a schema from its JSON form, version 1, and checks it. The text may
// be up to 64 MiB long. Names are compared byte by byte.
//
// These are errors of code [ErrSchema], each with the path of the entry:
//
//   - an unknown field, a field or key that appears twice, a null, another
//     version, text after the end
//   - a table or column that is referred to but not listed
//   - a confidence below 0 or above 1
//   - a relationship that appears twice
func Read(r io.Reader) (*Schema, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxSize+1))
	if err != nil {
		return nil, fmt.Errorf("joinpath: read schema: %w", err)
	}
	var d decoder
	s := d.schema(data)
	found := d.report
	if len(found.problems) == 0 {
		found = s.check(false)
	}
	if err := found.err(); err != nil {
		return nil, err
	}
	return s, nil
}

// The fields of the JSON form.
var (
	schemaFields = []string{"version", "tables", "relationships", "name"}
	tableFields  = []string{"columns", "schema", "unique_columns", "unique_keys", "primary_key", "not_null",
		"types", "comment", "column_comments", "rows", "bytes", "view", "secure_view"}
	relationshipFields = []string{"from_table", "from_column", "to_table", "to_column", "from_columns",
		"to_columns", "type", "confidence", "cardinality", "role", "provenance", "evidence"}
)

// decoder adds what encoding/json does not check: duplicate keys, unknown fields
// and nulls are problems, and each problem has a path.
type decoder struct {
	report
}

// text checks that data is JSON, and returns its members.
func (d *decoder) text(data []byte, fields ...string) members {
	switch {
	case len(data) > maxSize:
		d.add("", "the text is larger than %d bytes", maxSize)
		return nil
	case !utf8.Valid(data):
		d.add("", "the text is not UTF-8")
		return nil
	}
	if err := json.Unmarshal(data, new(json.RawMessage)); err != nil {
		at := ""
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			at = fmt.Sprintf(" at byte %d", syntax.Offset)
		}
		d.add("", "not a JSON text%s: %v", at, err)
		return nil
	}
	return d.object("", data, fields...)
}

func (d *decoder) schema(data []byte) *Schema {
	s := &Schema{}
	top := d.text(data, schemaFields...)
	if top == nil {
		return s
	}
	d.require("", top, "version", "tables", "relationships")
	d.value("/name", top.get("name"), &s.Name)
	d.value("/version", top.get("version"), &s.Version)
	if top.get("version") != nil && s.Version != Version {
		d.add("/version", "version %s is not supported, only version %d", clip(top.get("version")), Version)
	}
	s.Tables = map[string]Table{}
	for _, m := range d.object("/tables", top.get("tables")) {
		s.Tables[m.key] = d.table(tablePath(m.key), m.value)
	}
	var list []json.RawMessage
	d.value("/relationships", top.get("relationships"), &list)
	s.Relationships = make([]Relationship, 0, len(list))
	for i, raw := range list {
		s.Relationships = append(s.Relationships, d.relationship(relationshipPath(i), raw))
	}
	return s
}

func (d *decoder) table(path string, raw json.RawMessage) Table {
	fields := d.object(path, raw, tableFields...)
	d.require(path, fields, "columns")
	d.object(path+"/types", fields.get("types"))
	d.object(path+"/column_comments", fields.get("column_comments"))
	var t Table
	d.value(path, raw, &t)
	return t
}

func (d *decoder) relationship(path string, raw json.RawMessage) Relationship {
	fields := d.object(path, raw, relationshipFields...)
	// A missing confidence must not be read as 0, which disables the relationship.
	d.require(path, fields, "from_table", "to_table", "confidence")
	var r Relationship
	d.value(path, raw, &r)
	return r
}

type member struct {
	key   string
	value json.RawMessage
}

type members []member

func (ms members) get(key string) json.RawMessage {
	for _, m := range ms {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

func (d *decoder) require(path string, ms members, keys ...string) {
	for _, k := range keys {
		if ms != nil && ms.get(k) == nil {
			d.add(path, "the field %q is missing", k)
		}
	}
}

// object splits an object into its members. It returns nil for anything else; an
// absent value is not a problem. If fields are given, no other key is allowed.
func (d *decoder) object(path string, raw json.RawMessage, fields ...string) members {
	if raw == nil {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		d.add(path, "%s is not an object", clip(raw))
		return nil
	}
	ms := members{}
	seen := map[string]bool{}
	for dec.More() {
		t, err := dec.Token()
		key, _ := t.(string)
		var m member
		if err == nil {
			m.key = key
			err = dec.Decode(&m.value)
		}
		if err != nil {
			d.add(path, "%v", err)
			return nil
		}
		switch {
		case seen[key]:
			d.add(path, "the key %q appears twice", key)
		case len(fields) > 0 && !slices.Contains(fields, key):
			d.unknown(path, key, fields, "unknown field %q", key)
		case string(m.value) == "null":
			d.add(path, "the field %q is null", key)
		}
		seen[key] = true
		ms = append(ms, m)
	}
	return ms
}

func (d *decoder) value(path string, raw json.RawMessage, into any) {
	if raw == nil {
		return
	}
	err := json.Unmarshal(raw, into)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if wrong.Field != "" {
			path += "/" + strings.ReplaceAll(wrong.Field, ".", "/")
		}
		d.add(path, "a %s is not a %v", clip([]byte(wrong.Value)), wrong.Type)
	} else if err != nil {
		d.add(path, "%v", err)
	}
}

// clip shortens text of the file for a message.
func clip(raw []byte) string { return prompt.Clip(string(raw), 40) }
