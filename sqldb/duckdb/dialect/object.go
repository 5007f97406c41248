package dialect

import (
	"strconv"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/refusal"
)

// A reader converts DuckDB's tree into qed's tree. It keeps the first error; the
// tree is incomplete then.
type reader struct {
	at    sqlast.Pos // the last position
	depth int
	level int // subqueries around that are values

	deepest int            // the largest level of the common table expression or statement
	heights map[string]int // that of each common table expression, by its name in lower case
	err     *sqlast.Error

	inFrom bool // the next call is a table function
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
	fields, _ := o.value.(map[string]any)
	unread := ""
	for key := range fields {
		if !o.used[key] && !o.field(key).isEmpty() && (unread == "" || key < unread) {
			unread = key
		}
	}
	if unread != "" {
		r.unsupported("the clause '"+unread+"'", "leave it out")
	}
}

// take returns a field and marks it as read.
func (r *reader) take(o object, key string) object {
	field := o.field(key)
	if !field.isNone() {
		o.used[key] = true
	}
	return field
}

// typed returns a field that has one of the kinds of value, or is missing.
func (r *reader) typed(o object, key string, kind, or byte) object {
	field := r.take(o, key)
	if k := field.kind(); k != 0 && k != kind && k != or {
		r.unsupported("the form of the clause '"+key+"'", "")
		return object{}
	}
	return field
}

// text returns a field that is a string or missing.
func (r *reader) text(o object, key string) string { return r.typed(o, key, '"', '"').string() }

// flag returns a field that is a truth value, or missing.
func (r *reader) flag(o object, key string, missing bool) bool {
	field := r.typed(o, key, 't', 'f')
	if field.isNone() {
		return missing
	}
	return field.kind() == 't'
}

func (r *reader) object(o object, key string) object { return r.typed(o, key, '{', '{') }

// list returns a field that is a list, or nil.
func (r *reader) list(o object, key string) []object { return r.typed(o, key, '[', '[').items() }

func (r *reader) strings(o object, key string) []string {
	var out []string
	for _, v := range r.list(o, key) {
		s := v.string()
		if s == "" {
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
	if text := r.take(o, "query_location").number(); text != "" {
		if n, err := strconv.ParseUint(text, 10, 31); err == nil && n <= sqlast.MaxText {
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
