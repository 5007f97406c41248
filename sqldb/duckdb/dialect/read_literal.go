package dialect

import (
	"strconv"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/wordset"
)

// integers are the types of whole numbers.
var integers = wordset.Of("TINYINT SMALLINT INTEGER BIGINT UTINYINT USMALLINT UINTEGER UBIGINT INTEGER_LITERAL")

func (r *reader) constant(o object) sqlast.Expr {
	t := r.object(o, "type")
	id := r.text(t, "id")
	info := r.object(t, "type_info")
	null := r.flag(o, "is_null", false)
	value := r.take(o, "value")
	r.done(o)
	if null {
		return &sqlast.Null{Pos: r.at}
	}
	text := value.number()
	switch {
	case id == "VARCHAR" || id == "STRING_LITERAL":
		if value.kind() != '"' || value.string() == "" && !value.isEmpty() {
			break
		}
		return &sqlast.String{Pos: r.at, Value: value.string()}
	case id == "BOOLEAN":
		if c := value.kind(); c != 't' && c != 'f' {
			break
		}
		return &sqlast.Bool{Pos: r.at, Value: value.kind() == 't'}
	case integers[id] && strings.Trim(text, "-0123456789") == "" && text != "":
		return r.signed(text)
	case id == "DOUBLE" && text != "":
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			break
		}
		return r.signed(strconv.FormatFloat(f, 'e', -1, 64)) // with an exponent it is a DOUBLE again
	case id == "DECIMAL" && text != "":
		return r.decimal(text, info)
	case id == "DECIMAL" || id == "HUGEINT" || id == "UHUGEINT":
		r.unsupported("a number of more than 18 digits", "write it as a text with a cast, as in '12345678901234567890'::HUGEINT")
		return nil
	}
	r.unsupported("a literal of the type "+id, "write a number, a text, a date or an interval")
	return nil
}

// signed returns a number. A negative one is a number with a sign.
func (r *reader) signed(text string) sqlast.Expr {
	if digits, negative := strings.CutPrefix(text, "-"); negative {
		return &sqlast.Unary{Pos: r.at, Op: sqlast.Minus, X: &sqlast.Number{Pos: r.at, Text: digits}}
	}
	return &sqlast.Number{Pos: r.at, Text: text}
}

// decimal returns a number from its digits without the point. The number is printed with
// as many digits as in the statement, because they are the width of its type: .5 is a
// DECIMAL(1, 1).
func (r *reader) decimal(digits string, info object) sqlast.Expr {
	width, scale := r.decimalType(info)
	sign := ""
	if rest, negative := strings.CutPrefix(digits, "-"); negative {
		sign, digits = "-", rest
	}
	if missing := max(width, scale) - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	// Without the point the number is an INTEGER, and a position in GROUP BY.
	return r.signed(sign + digits[:len(digits)-scale] + "." + digits[len(digits)-scale:])
}

func (r *reader) decimalType(info object) (width, scale int) {
	r.text(info, "type")
	read := func(key string) int {
		i, _ := strconv.Atoi(r.take(info, key).number())
		if i < 0 || i > 38 {
			r.unsupported("this width of a DECIMAL", "")
			return 0
		}
		return i
	}
	width, scale = read("width"), read("scale")
	r.done(info)
	return width, scale
}

// types maps the types of DuckDB to their printed form. It does not have those of several
// values, except lists, and those that a statement or a database names.
var types = map[string]string{
	"BOOLEAN": "BOOLEAN", "TINYINT": "TINYINT", "SMALLINT": "SMALLINT", "INTEGER": "INTEGER", "BIGINT": "BIGINT",
	"HUGEINT": "HUGEINT", "UTINYINT": "UTINYINT", "USMALLINT": "USMALLINT", "UINTEGER": "UINTEGER", "UBIGINT": "UBIGINT",
	"UHUGEINT": "UHUGEINT", "FLOAT": "FLOAT", "DOUBLE": "DOUBLE", "VARCHAR": "VARCHAR", "BLOB": "BLOB", "BIT": "BIT",
	"UUID": "UUID", "DATE": "DATE", "TIME": "TIME", "TIME WITH TIME ZONE": "TIMETZ", "INTERVAL": "INTERVAL",
	"TIMESTAMP": "TIMESTAMP", "TIMESTAMP_S": "TIMESTAMP_S", "TIMESTAMP_MS": "TIMESTAMP_MS", "TIMESTAMP_NS": "TIMESTAMP_NS",
	"TIMESTAMP WITH TIME ZONE": "TIMESTAMPTZ",
}

func (r *reader) typeName(o object) string {
	defer func() { r.depth-- }()
	if !r.enter() {
		return ""
	}
	id := r.text(o, "id")
	info := r.object(o, "type_info")
	r.done(o)
	name := types[id]
	switch id {
	case "DECIMAL":
		width, scale := r.decimalType(info)
		return "DECIMAL(" + strconv.Itoa(width) + ", " + strconv.Itoa(scale) + ")"
	case "LIST":
		r.text(info, "type")
		name = r.typeName(r.object(info, "child_type")) + "[]"
	case "UNBOUND":
		r.text(info, "type")
		if id = r.text(info, "name"); ascii.EqualFold(id, "json") {
			name = "JSON"
		}
	}
	if name == "" {
		r.unsupported("a cast to the type "+id, "cast to VARCHAR, a number, a date, a time or a list of these")
	}
	r.done(info)
	return name
}

// cast reads a cast. DuckDB gives it no position: it has that of its operand.
func (r *reader) cast(o object) sqlast.Expr {
	x := r.expr(r.object(o, "child"))
	if x == nil {
		return nil
	}
	at := x.At()
	name := r.typeName(r.object(o, "cast_type"))
	try := r.flag(o, "try_cast", false)
	if s, ok := x.(*sqlast.String); ok && name == "BOOLEAN" && (s.Value == "t" || s.Value == "f") {
		return &sqlast.Bool{Pos: at, Value: s.Value == "t"} // TRUE and FALSE
	}
	return &sqlast.Cast{Pos: at, X: x, Type: name, Try: try}
}

// collations are the parts of a collation that are joined by dots.
var collations = wordset.Of("nocase noaccent nfc binary c posix")

func (r *reader) collate(o object, at sqlast.Pos) sqlast.Expr {
	x := r.optional(o, "child")
	name := ascii.Lower(r.text(o, "collation"))
	for part := range strings.SplitSeq(name, ".") {
		if !collations[part] {
			r.unsupported("COLLATE "+name, "use NOCASE, NOACCENT or NFC")
		}
	}
	return &sqlast.Collate{Pos: at, X: x, Name: name}
}
