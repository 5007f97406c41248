package dialect

import (
	"encoding/json"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/refusal"
)

// An object is a node of DuckDB's tree. Reading a field removes it, so that a field
// that nothing reads is found by [reader.done] and refused: it could be a clause
// that this package does not know.
type object map[string]any

// A reader converts DuckDB's tree into qed's tree. It keeps the first error; the
// tree is incomplete then.
type reader struct {
	at    sqlast.Pos // the last position
	depth int
	err   *sqlast.Error
}

func (r *reader) fail(code refusal.Code, at sqlast.Pos, name, message string) {
	if r.err == nil {
		r.err = &sqlast.Error{Code: code, Name: sqlast.Clip(name), Pos: at, Message: message}
	}
}

// unsupported refuses a construct. remedy says what to write instead; it may be
// empty.
func (r *reader) unsupported(construct, remedy string) {
	message := sqlast.Clip(construct) + " is not supported"
	if remedy != "" {
		message += ": " + remedy
	}
	r.fail(sqlast.Unsupported, r.at, construct, message)
}

// done refuses an object with a field that was not read.
func (r *reader) done(o object) {
	for field, v := range o {
		if r.err == nil && !isEmpty(v) {
			r.unsupported("the clause '"+field+"'", "leave it out")
		}
	}
}

// isEmpty reports whether a field is an empty text or list, which is as if it were
// missing.
func isEmpty(v any) bool {
	switch v := v.(type) {
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	}
	return false
}

func (r *reader) take(o object, key string) any {
	v := o[key]
	delete(o, key)
	return v
}

// text returns a field that is a string or missing.
func (r *reader) text(o object, key string) string {
	v, present := o[key]
	s, ok := v.(string)
	if delete(o, key); present && !ok {
		r.unsupported("the form of the clause '"+key+"'", "")
	}
	return s
}

// flag returns a field that is a truth value, or missing.
func (r *reader) flag(o object, key string, missing bool) bool {
	v, present := o[key]
	b, ok := v.(bool)
	if delete(o, key); !present {
		return missing
	}
	if !ok {
		r.unsupported("the form of the clause '"+key+"'", "")
	}
	return b
}

// object returns a field that is an object, or nil.
func (r *reader) object(o object, key string) object {
	return r.asObject(r.take(o, key), key)
}

func (r *reader) asObject(v any, key string) object {
	m, ok := v.(map[string]any)
	if v != nil && !ok {
		r.unsupported("the form of the clause '"+key+"'", "")
	}
	return m
}

// list returns a field that is a list, or nil.
func (r *reader) list(o object, key string) []any {
	v, present := o[key]
	l, ok := v.([]any)
	if delete(o, key); present && !ok {
		r.unsupported("the form of the clause '"+key+"'", "")
	}
	return l
}

func (r *reader) strings(o object, key string) []string {
	var out []string
	for _, v := range r.list(o, key) {
		s, ok := v.(string)
		if !ok || s == "" {
			r.unsupported("an empty name", "")
			return nil
		}
		out = append(out, s)
	}
	return out
}

// position reads the position of a node. A node without one has that of the node
// before it.
func (r *reader) position(o object) sqlast.Pos {
	if v, ok := r.take(o, "query_location").(json.Number); ok {
		if n, err := v.Int64(); err == nil && n <= sqlast.MaxText {
			r.at = sqlast.Pos(n)
		}
	}
	return r.at
}

// enter counts a level of nesting and reports whether to continue.
func (r *reader) enter() bool {
	if r.depth++; r.depth > sqlast.MaxDepth {
		r.fail(sqlast.TooDeep, r.at, "", "the statement nests too deep")
	}
	return r.err == nil
}

// clone returns a copy of a value of the tree.
func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, x := range v {
			out[k] = clone(x)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = clone(x)
		}
		return out
	}
	return v
}
