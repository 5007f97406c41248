package mysql

import (
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
)

// literal reads a literal from its source text: the grammar's value does not
// distinguish X'41' from 0x41, or 5. from 5.
func (r *reader) literal(l ast.ValueExpr) sqlast.Expr {
	at := r.pos(l)
	if at == 0 {
		return r.synthetic(l)
	}
	text := r.src[at:]
	switch c := ascii.LowerByte(text[0]); {
	case ascii.IsDigit(c), c == '.':
		return r.number(at, text)
	case c == '\'', c == '"':
		return &sqlast.String{Pos: at, Value: l.GetString()}
	case (c == 'x' || c == 'b' || c == 'n') && len(text) > 1 && text[1] == '\'':
		return r.prefixed(l, at, text)
	case c == '_':
		name := text[:wordEnd(text)]
		r.fail(sqlast.Unsupported, at, name, "character set introducers are not supported: write CONVERT(.. USING ..)")
		return nil
	}
	switch ascii.Upper(text[:wordEnd(text)]) {
	case "NULL":
		return &sqlast.Null{Pos: at}
	case "TRUE":
		return &sqlast.Bool{Pos: at, Value: true}
	case "FALSE":
		return &sqlast.Bool{Pos: at}
	}
	r.unsupported(at, "this literal")
	return nil
}

// synthetic reads a value whose offset the grammar does not keep: in LIMIT, in a
// window's frame, in TRIM, after -> and in DATE '..'.
func (r *reader) synthetic(l ast.ValueExpr) sqlast.Expr {
	at := sqlast.Pos(r.cursor)
	switch v := l.GetValue().(type) {
	case int64:
		return &sqlast.Number{Pos: at, Text: strconv.FormatInt(v, 10)}
	case uint64:
		return &sqlast.Number{Pos: at, Text: strconv.FormatUint(v, 10)}
	case decimal:
		return &sqlast.Number{Pos: at, Text: string(v)}
	case string:
		return &sqlast.String{Pos: at, Value: v}
	}
	r.unsupported(at, "this number")
	return nil
}

// numbers matches a number with an optional point and exponent, or 0x41 and 0b01, which
// are numbers if a number is expected.
var numbers = regexp.MustCompile(`^(?:0[xX](\w+)|0b([01]+)|\d*(?:\.\d+)?(?:[eE][-+]?\d+)?)`)

func (r *reader) number(at sqlast.Pos, text string) sqlast.Expr {
	found := numbers.FindStringSubmatch(text)
	out := &sqlast.Number{Pos: at, Text: found[0]}
	switch {
	case found[1] != "":
		out.Text = "0x" + found[1]
	case found[2] != "":
		out.Text = "b'" + found[2] + "'"
	case strings.HasPrefix(text[len(found[0]):], "."):
		// The grammar reads a keyword after such a point as a name.
		r.unsupported(at, "a number that ends in a point")
	}
	return out
}

// prefixed reads X'41', b'01' and N'x'.
func (r *reader) prefixed(l ast.ValueExpr, at sqlast.Pos, text string) sqlast.Expr {
	switch ascii.LowerByte(text[0]) {
	case 'n':
		return &sqlast.String{Pos: at, Value: l.GetString()}
	case 'b':
		end := strings.IndexByte(text[2:], '\'')
		return &sqlast.Number{Pos: at, Text: "b'" + text[2:2+end] + "'"}
	}
	end := strings.IndexByte(text[2:], '\'')
	value, err := hex.DecodeString(text[2 : 2+end])
	if err != nil {
		r.fail(sqlast.Syntax, at, "X", "a hexadecimal literal has an odd number of digits")
	}
	return &sqlast.Bytes{Pos: at, Value: value}
}

func wordEnd(text string) int {
	n := 0
	for n < len(text) && ascii.IsWordByte(text[n]) {
		n++
	}
	return n
}
