package postgres

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/wordset"
)

// types maps the names of types to their printed form, with a # for numbers in
// parentheses. It does not have types whose values are looked up in the catalogue
// (regclass, regproc and similar), internal types, xml, and types with a schema.
var types = map[string]string{
	"int2": "smallint", "int4": "integer", "int8": "bigint", "float4": "real", "float8": "double precision",
	"numeric": "numeric#", "bool": "boolean", "money": "money", "uuid": "uuid",
	"text": "text", "varchar": "varchar#", "bpchar": "char#", "bytea": "bytea", "bit": "bit#", "varbit": "bit varying#",
	"date": "date", "time": "time#", "timetz": "time# with time zone", "timestamp": "timestamp#",
	"timestamptz": "timestamp# with time zone", "interval": "interval#",
	"json": "json", "jsonb": "jsonb", "jsonpath": "jsonpath", "tsvector": "tsvector", "tsquery": "tsquery",
	"inet": "inet", "cidr": "cidr", "macaddr": "macaddr", "macaddr8": "macaddr8",
	"point": "point", "line": "line", "lseg": "lseg", "box": "box", "path": "path",
	"polygon": "polygon", "circle": "circle",
	"int4range": "int4range", "int8range": "int8range", "numrange": "numrange", "tsrange": "tsrange",
	"tstzrange": "tstzrange", "daterange": "daterange",
	"int4multirange": "int4multirange", "int8multirange": "int8multirange", "nummultirange": "nummultirange",
	"vector":       "vector#", // of the extension pgvector
	"tsmultirange": "tsmultirange", "tstzmultirange": "tstzmultirange", "datemultirange": "datemultirange",
}

// unbounded are the names without a length limit of types that have a length of 1
// under their usual name.
var unbounded = map[string]string{"bpchar": "bpchar", "bit": "pg_catalog.bit"}

// mostPadded is the largest length that values are padded to.
const mostPadded = 1000

// padded are the types whose values are padded to their length.
var padded = wordset.Of("bpchar bit")

var typeFields = set(1, 5, 6, 7, 8)

func (r *reader) typeName(m message) string {
	at := r.pos(m, 8)
	names := r.strings(m, 1)
	if len(names) == 2 && names[0] == "pg_catalog" {
		names = names[1:]
	}
	if len(names) == 0 {
		r.unsupported(at, "this type")
		return ""
	}
	name := names[len(names)-1]
	out, ok := types[name]
	if len(names) > 1 || !ok || !m.only(typeFields) {
		cast := sqlast.Clip("a cast to the type " + name)
		r.fail(sqlast.Unsupported, at, cast, cast+" is not supported: leave it out, because a literal takes the type of the column "+
			"that it is compared with, or cast to a type of PostgreSQL itself")
		return ""
	}
	modifiers := m.list(5)
	switch {
	case name == "interval":
		out = r.interval(modifiers)
	case len(modifiers) == 0 && unbounded[name] != "":
		out = unbounded[name]
	case len(modifiers) == 0:
		out = strings.Replace(out, "#", "", 1)
	case !strings.Contains(out, "#"):
		r.unsupported(at, "a length of the type "+name)
	default:
		lengths := lists.Map(modifiers, r.modifier)
		if n, err := strconv.Atoi(lengths[0]); padded[name] && (err != nil || n > mostPadded) {
			r.unsupported(at, fmt.Sprintf("a length of more than %d of the type %s", mostPadded, name))
		}
		out = strings.Replace(out, "#", "("+strings.Join(lengths, ", ")+")", 1)
	}
	return out + strings.Repeat("[]", len(m.list(7)))
}

func (r *reader) modifier(n message) string {
	switch e := r.expr(n).(type) {
	case *sqlast.Number:
		if _, err := strconv.Atoi(e.Text); err == nil {
			return e.Text
		}
	case *sqlast.Unary:
		if n, ok := e.X.(*sqlast.Number); ok && e.Op == sqlast.Minus {
			return "-" + n.Text
		}
	}
	r.unsupported(r.at, "this length of a type")
	return ""
}

// intervalFields are the words after INTERVAL, by the grammar's modifier.
var intervalFields = map[string]string{
	"4": " year", "2": " month", "8": " day", "1024": " hour", "2048": " minute", "4096": " second",
	"6": " year to month", "1032": " day to hour", "3080": " day to minute", "7176": " day to second",
	"3072": " hour to minute", "7168": " hour to second", "6144": " minute to second", "32767": "",
}

func (r *reader) interval(modifiers []message) string {
	if len(modifiers) == 0 {
		return "interval"
	}
	list := lists.Map(modifiers, r.modifier)
	words, ok := intervalFields[list[0]]
	if !ok {
		r.unsupported(r.at, "this kind of interval")
	}
	if len(list) == 2 {
		return "interval" + words + "(" + list[1] + ")"
	}
	return "interval" + words
}

// collations matches the names of collations that come with PostgreSQL. ICU's are named
// after a language, the C library's after a locale.
var collations = regexp.MustCompile(`^(?:C|POSIX|default|ucs_basic|unicode|pg_c_utf8|C\.(?:UTF-8|utf8)` +
	`|[\w@-]+-x-icu|\w\w_\w\w(?:\.(?i:utf-?8))?)$`)
