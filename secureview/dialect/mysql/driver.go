package mysql

import (
	"encoding/hex"
	"errors"
	"io"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/format"
)

// The grammar makes its literals through global functions. Another package of the
// program may have set them already, so these are set only if there are none, and
// the reader uses nothing of a literal but the grammar's interface and the source
// text.
func init() {
	if ast.NewValueExpr != nil {
		return
	}
	ast.NewValueExpr = func(value any, _, _ string) ast.ValueExpr {
		if e, ok := value.(ast.ValueExpr); ok {
			return e
		}
		return &literal{value: value, projection: -1}
	}
	ast.NewParamMarkerExpr = func(offset int) ast.ParamMarkerExpr {
		return &parameter{literal{projection: -1}}
	}
	ast.NewDecimal = func(text string) (any, error) { return decimal(text), nil }
	ast.NewHexLiteral = func(text string) (any, error) {
		if text[0] != '0' {
			if _, err := hex.DecodeString(text[2 : len(text)-1]); err != nil {
				return nil, err
			}
		}
		return binary(text), nil
	}
	ast.NewBitLiteral = func(text string) (any, error) { return binary(text), nil }
}

type (
	decimal string // a number with a decimal point or too large for an integer, as written
	binary  string // a hexadecimal or bit literal, as written
)

// literal implements ast.ValueExpr.
type literal struct {
	ast.TexprNode
	value      any
	projection int
}

var errNotPrinted = errors.New("mysql: the grammar's tree is not printed")

func (l *literal) Restore(*format.RestoreCtx) error { return errNotPrinted }
func (l *literal) Format(io.Writer)                 {}
func (l *literal) SetValue(value any)               { l.value = value }
func (l *literal) GetValue() any                    { return l.value }
func (l *literal) GetDatumString() string           { return l.GetString() }
func (l *literal) GetProjectionOffset() int         { return l.projection }
func (l *literal) SetProjectionOffset(offset int)   { l.projection = offset }

func (l *literal) GetString() string {
	s, _ := l.value.(string)
	return s
}

func (l *literal) Accept(v ast.Visitor) (ast.Node, bool) {
	n, _ := v.Enter(l)
	return v.Leave(n)
}

// parameter implements ast.ParamMarkerExpr, a placeholder.
type parameter struct{ literal }

func (p *parameter) SetOrder(int) {}

func (p *parameter) Accept(v ast.Visitor) (ast.Node, bool) {
	n, _ := v.Enter(p)
	return v.Leave(n)
}
