package dialect

import (
	"cmp"
	"math/big"
	"strconv"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/sqlread"
)

// integers are the types of whole numbers.
var integers = sqlread.Words("TINYINT SMALLINT INTEGER BIGINT UTINYINT USMALLINT UINTEGER UBIGINT INTEGER_LITERAL")

// constant reads the value of a literal.
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
		return r.huge(value, id, info)
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

// decimalType reads the width and the scale of a DECIMAL.
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

// huge reads a number of 128 bits.
func (r *reader) huge(o object, id string, info object) sqlast.Expr {
	part := func(key string) *big.Int {
		i, ok := new(big.Int).SetString(cmp.Or(r.take(o, key).number(), "0"), 10)
		if !ok {
			r.unsupported("this number", "")
			return new(big.Int)
		}
		return i
	}
	n := part("upper")
	n.Lsh(n, 64).Add(n, part("lower"))
	r.done(o)
	if id == "DECIMAL" {
		return r.decimal(n.String(), info)
	}
	return r.signed(n.String())
}

// types maps the types of DuckDB to their printed form. It does not have ENUM,
// UNION, GEOMETRY, and types that a statement or a database names.
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
	case "ARRAY":
		r.text(info, "type")
		child := r.typeName(r.object(info, "child_type"))
		size := r.take(info, "size").number()
		if n, err := strconv.Atoi(size); err != nil || n < 1 || n > 1000 {
			r.unsupported("an array of this size", "use a list")
		}
		name = child + "[" + size + "]"
	case "STRUCT":
		name = "STRUCT(" + strings.Join(r.fields(info), ", ") + ")"
	case "MAP":
		r.text(info, "type")
		entry := r.object(info, "child_type")
		r.text(entry, "id")
		pair := r.object(entry, "type_info")
		r.done(entry)
		fields := r.fields(pair)
		if len(fields) != 2 {
			r.unsupported("this type of a MAP", "")
			return ""
		}
		_, key, _ := strings.Cut(fields[0], " ")
		_, value, _ := strings.Cut(fields[1], " ")
		name = "MAP(" + key + ", " + value + ")"
	case "UNBOUND":
		r.text(info, "type")
		if id = r.text(info, "name"); ascii.EqualFold(id, "json") {
			name = "JSON"
		}
	}
	r.done(info)
	if name == "" {
		r.unsupported("a cast to the type "+id, "cast to VARCHAR, a number, a date or a time")
	}
	return name
}

// fields reads the fields of a STRUCT as they are printed.
func (r *reader) fields(info object) []string {
	r.text(info, "type")
	var out []string
	for _, field := range r.list(info, "child_types") {
		name := r.text(field, "first")
		if name == "" {
			r.unsupported("a STRUCT without names", "name its fields")
		}
		out = append(out, string(appendName(nil, name))+" "+r.typeName(r.object(field, "second")))
		r.done(field)
	}
	r.done(info)
	return out
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
var collations = sqlread.Words("nocase noaccent nfc binary c posix")

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
