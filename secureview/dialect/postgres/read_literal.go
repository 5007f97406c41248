package postgres

import (
	"strconv"
	"strings"

	"github.com/qedkit/qed/internal/sqlast"
)

// constant reads a literal. In the grammar, a minus is a part of the number.
func (r *reader) constant(m message) sqlast.Expr {
	var value field
	null, at := false, 0
	for len(m) > 0 {
		switch f := m.next(); f.number {
		case 10:
			null = f.value != 0
		case 11:
			at = int(int32(f.value))
		default:
			value = f
		}
	}
	if at >= 0 {
		r.at = sqlast.Pos(at)
	}
	if null {
		return &sqlast.Null{Pos: r.at}
	}
	switch value.number {
	case 1:
		return number(r.at, strconv.Itoa(value.data.number(1)))
	case 2:
		return r.decimal(r.at, value.data.text(1))
	case 3:
		return &sqlast.Bool{Pos: r.at, Value: value.data.flag(1)}
	case 4:
		return &sqlast.String{Pos: r.at, Value: value.data.text(1)}
	case 5:
		return r.bits(r.at, value.data.text(1))
	}
	r.unsupported(r.at, "this constant")
	return nil
}

func number(at sqlast.Pos, text string) sqlast.Expr {
	if digits, negative := strings.CutPrefix(text, "-"); negative {
		return &sqlast.Unary{Pos: at, Op: sqlast.Minus, X: &sqlast.Number{Pos: at, Text: digits}}
	}
	return &sqlast.Number{Pos: at, Text: text}
}

// decimal reads a number with a point or an exponent, or one beyond the range of an
// integer, in the form that every version of PostgreSQL reads.
func (r *reader) decimal(at sqlast.Pos, text string) sqlast.Expr {
	text = strings.ReplaceAll(text, "_", "")
	if strings.ContainsAny(text, "xXoObB") {
		r.unsupported(at, "a hexadecimal, octal or binary number beyond the range of an integer")
	}
	return number(at, text)
}

// bits reads B'..' and X'..', whose length is the length of their digits.
func (r *reader) bits(at sqlast.Pos, text string) sqlast.Expr {
	n := len(text) - 1
	if text[0] == 'x' {
		n *= 4
	} else {
		text = text[1:]
	}
	if n == 0 || n > mostPadded {
		r.unsupported(at, "a bit string that is empty or has more than "+strconv.Itoa(mostPadded)+" bits")
	}
	return &sqlast.Cast{Pos: at, X: &sqlast.String{Pos: at, Value: text}, Type: "bit(" + strconv.Itoa(n) + ")"}
}

// cast reads x::type, CAST(x AS type) and type '..'. In the grammar, TRUE and FALSE
// are casts too.
func (r *reader) cast(m message) sqlast.Expr {
	x := r.expr(m.child(1))
	at := r.pos(m, 3)
	name := r.typeName(m.child(2))
	if b, ok := x.(*sqlast.Bool); ok && name == "boolean" {
		return b
	}
	return &sqlast.Cast{Pos: at, X: x, Type: name}
}
