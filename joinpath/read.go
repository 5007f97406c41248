package joinpath

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"
)

// MaxSize is the largest JSON text, in bytes, that [Read] takes.
const MaxSize = 64 << 20

// Read reads a schema from its JSON form, version 1, and checks it.
//
// It is strict. A field that it does not know, a key that appears twice, a null,
// another version, a table or column that is referred to but not listed, a
// confidence outside 0 to 1, a relationship that appears twice, text after the
// end: each is an [*Error] of kind [ErrSchema] whose Problems name the entry.
// Names are compared byte by byte.
func Read(r io.Reader) (*Schema, error) {
	return read(r, false)
}

// ReadOverlay reads a schema that is meant for [Merge], such as a file of
// corrections. It is as strict as [Read], but relationships may refer to tables
// that the file does not list.
func ReadOverlay(r io.Reader) (*Schema, error) {
	return read(r, true)
}

func read(r io.Reader, partial bool) (*Schema, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxSize+1))
	if err != nil {
		return nil, fmt.Errorf("joinpath: read schema: %w", err)
	}
	d := decoder{}
	s := d.schema(data)
	if len(d.problems) == 0 {
		d.problems = s.check(partial)
	}
	if err := d.problems.err(); err != nil {
		return nil, err
	}
	return s, nil
}

// decoder adds to encoding/json what a strict reader needs: duplicate keys,
// unknown fields and nulls are problems, and each names its entry.
type decoder struct {
	problems problems
}

func (d *decoder) schema(data []byte) *Schema {
	s := &Schema{}
	switch {
	case len(data) > MaxSize:
		d.problems.add("", "the text is larger than %d bytes", MaxSize)
		return s
	case !utf8.Valid(data):
		d.problems.add("", "the text is not UTF-8")
		return s
	}
	if err := json.Unmarshal(data, new(json.RawMessage)); err != nil {
		at := ""
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			at = fmt.Sprintf(" at byte %d", syntax.Offset)
		}
		d.problems.add("", "not a JSON text%s: %v", at, err)
		return s
	}
	top := d.object("", data, "version", "tables", "relationships")
	top.require(d, "", "version", "tables", "relationships")
	d.value("version", top.get("version"), &s.Version)
	if top.get("version") != nil && s.Version != Version {
		d.problems.add("version", "is %s, this package reads version %d", clip(top.get("version")), Version)
	}
	s.Tables = map[string]Table{}
	for _, m := range d.object("tables", top.get("tables")) {
		s.Tables[m.key] = d.table(fmt.Sprintf("tables[%q]", m.key), m.value)
	}
	var list []json.RawMessage
	d.value("relationships", top.get("relationships"), &list)
	s.Relationships = make([]Relationship, 0, len(list))
	for i, raw := range list {
		s.Relationships = append(s.Relationships, d.relationship(fmt.Sprintf("relationships[%d]", i), raw))
	}
	return s
}

func (d *decoder) table(entry string, raw json.RawMessage) Table {
	fields := d.object(entry, raw, "columns", "unique_columns", "unique_keys", "primary_key",
		"types", "comment", "column_comments", "rows", "bytes", "view")
	fields.require(d, entry, "columns")
	d.object(entry+".types", fields.get("types"))
	d.object(entry+".column_comments", fields.get("column_comments"))
	var t Table
	d.value(entry, raw, &t)
	return t
}

func (d *decoder) relationship(entry string, raw json.RawMessage) Relationship {
	fields := d.object(entry, raw, "from_table", "from_column", "to_table", "to_column",
		"from_columns", "to_columns", "type", "confidence", "cardinality", "provenance")
	// A missing confidence must not read as 0, which switches the edge off.
	fields.require(d, entry, "from_table", "to_table", "confidence")
	var r Relationship
	d.value(entry, raw, &r)
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

func (ms members) require(d *decoder, entry string, keys ...string) {
	for _, k := range keys {
		if ms != nil && ms.get(k) == nil {
			d.problems.add(entry, "the field %q is missing", k)
		}
	}
}

// object splits an object into its members; nil for anything else. Where fields
// are given, no other key is allowed. An absent value is no problem.
func (d *decoder) object(entry string, raw json.RawMessage, fields ...string) members {
	if raw == nil {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		d.problems.add(entry, "is %s, not an object", clip(raw))
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
			d.problems.add(entry, "%v", err)
			return nil
		}
		switch {
		case seen[key]:
			d.problems.add(entry, "the key %q appears twice", key)
		case len(fields) > 0 && !slices.Contains(fields, key):
			d.problems.add(entry, "unknown field %q%s", key, didYouMean(key, fields))
		case string(m.value) == "null":
			d.problems.add(entry, "the field %q is null", key)
		}
		seen[key] = true
		ms = append(ms, m)
	}
	return ms
}

func (d *decoder) value(entry string, raw json.RawMessage, into any) {
	if raw == nil {
		return
	}
	err := json.Unmarshal(raw, into)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if wrong.Field != "" {
			entry += "." + wrong.Field
		}
		d.problems.add(entry, "is a %s, not a %v", clip([]byte(wrong.Value)), wrong.Type)
	} else if err != nil {
		d.problems.add(entry, "%v", err)
	}
}

// clip keeps a message short whatever the file holds.
func clip(raw []byte) string {
	const most = 40
	if len(raw) > most {
		return string(bytes.ToValidUTF8(raw[:most], nil)) + "..."
	}
	return string(raw)
}
