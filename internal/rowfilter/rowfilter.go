// Package rowfilter reads the conditions by which a policy filters the rows of its
// tables. They are the same in every SQL dialect:
//
//	customer_id IN (:customers) AND (deleted_at IS NULL OR status <> 'hidden')
//
// A condition compares columns of one table with literals, with other columns of it and,
// by = <> and IN, with parameters, whose values come from the session.
package rowfilter

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/lists"
)

// A Filter is a condition that was read. It is immutable.
type Filter struct {
	Columns    []string // that the condition reads, each once
	Parameters []string // each once

	parts []func(Writer)
}

// A Writer gets the parts of a condition, in order.
type Writer interface {
	Text(sql string)     // keywords, operators and numbers, which every dialect reads
	Column(name string)  // a column of the table
	String(value string) // a literal

	// Match is a condition in itself: the column has the value of a parameter, or one of
	// the values if the parameter is a list.
	Match(column, parameter string, list bool)
}

// Write passes the condition to w. It can be an operand of AND only in parentheses.
func (f *Filter) Write(w Writer) {
	for _, part := range f.parts {
		part(w)
	}
}

const (
	maxText  = 4 << 10
	maxDepth = 50 // parentheses and NOTs inside one another
)

// Parse reads the condition for the rows of a table.
func Parse(text, table string) (*Filter, error) {
	switch {
	case strings.TrimSpace(text) == "":
		return nil, errors.New("is empty")
	case len(text) > maxText:
		return nil, fmt.Errorf("has %d bytes: at most %d are read", len(text), maxText)
	case !utf8.ValidString(text):
		return nil, errors.New("is not valid UTF-8")
	}
	tokens, err := scan(text)
	if err != nil {
		return nil, err
	}
	p := &parser{tokens: tokens, table: table, filter: &Filter{}}
	p.or()
	if p.err == nil && p.peek().kind != end {
		p.fail("%s does not belong to the condition", p.peek())
	}
	return p.filter, p.err
}

type parser struct {
	tokens []token
	table  string
	filter *Filter
	depth  int
	err    error
}

func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("cannot be read: "+format+"; write comparisons of columns, IN, IS NULL, AND, OR and NOT", args...)
	}
}

func (p *parser) peek() token { return p.tokens[0] }

func (p *parser) next() token {
	t := p.tokens[0]
	if t.kind != end {
		p.tokens = p.tokens[1:]
	}
	return t
}

// accept reads a keyword or a sign if it is the next one.
func (p *parser) accept(text string) bool {
	if t := p.peek(); (t.kind == word || t.kind == sign) && ascii.Upper(t.text) == text {
		p.next()
		return true
	}
	return false
}

func (p *parser) expect(text string) {
	if !p.accept(text) {
		p.fail("%s stands where %s is expected", p.peek(), text)
	}
}

// emit adds a part that every dialect reads as it is.
func (p *parser) emit(sql string) {
	p.filter.parts = append(p.filter.parts, func(w Writer) { w.Text(sql) })
}

func (p *parser) or() {
	for p.and(); p.err == nil && p.accept("OR"); {
		p.emit(" OR ")
		p.and()
	}
}

func (p *parser) and() {
	for p.not(); p.err == nil && p.accept("AND"); {
		p.emit(" AND ")
		p.not()
	}
}

// not reads a condition without AND and OR. The operand of a NOT is written in
// parentheses, because servers differ in its precedence.
func (p *parser) not() {
	if p.depth++; p.depth > maxDepth {
		p.fail("it has more than %d parentheses inside one another", maxDepth)
	}
	defer func() { p.depth-- }()
	switch {
	case p.err != nil:
	case p.accept("NOT"):
		p.emit("NOT (")
		p.not()
		p.emit(")")
	case p.accept("("):
		p.emit("(")
		p.or()
		p.expect(")")
		p.emit(")")
	default:
		p.comparison()
	}
}

var operators = []string{"=", "<>", "<", "<=", ">", ">="}

func (p *parser) comparison() {
	column := p.column()
	not := p.err == nil && p.accept("NOT")
	switch {
	case p.err != nil:
	case p.accept("IN"):
		p.in(column, not)
	case not:
		p.fail("%s stands where IN is expected", p.peek())
	case p.accept("IS"):
		p.addColumn(column)
		if p.accept("NOT") {
			p.emit(" IS NOT NULL")
		} else {
			p.emit(" IS NULL")
		}
		p.expect("NULL")
	default:
		op := p.next()
		if op.text == "!=" {
			op.text = "<>"
		}
		if op.kind != sign || !slices.Contains(operators, op.text) {
			p.fail("%s stands where a comparison is expected", op)
			return
		}
		p.compare(column, op.text)
	}
}

func (p *parser) compare(column, op string) {
	if p.peek().kind != parameter {
		p.addColumn(column)
		p.emit(" " + op + " ")
		p.value()
		return
	}
	switch op {
	case "=":
		p.match(column, false)
	case "<>":
		p.emit("NOT (")
		p.match(column, false)
		p.emit(")")
	default:
		p.fail("%s is compared by %s, and parameters only by =, <> and IN", p.peek(), op)
	}
}

// in reads the list of an IN. Parameters of the list are conditions of their own.
func (p *parser) in(column string, not bool) {
	if not {
		p.emit("NOT ")
	}
	p.emit("(")
	p.expect("(")
	for i := 0; p.err == nil && (i == 0 || p.accept(",")); i++ {
		if i > 0 {
			p.emit(" OR ")
		}
		if p.peek().kind == parameter {
			p.match(column, true)
			continue
		}
		p.addColumn(column)
		p.emit(" = ")
		p.literal()
	}
	p.expect(")")
	p.emit(")")
}

func (p *parser) match(column string, list bool) {
	name := p.next().text
	p.filter.Columns = lists.Add(p.filter.Columns, column)
	p.filter.Parameters = lists.Add(p.filter.Parameters, name)
	p.filter.parts = append(p.filter.parts, func(w Writer) { w.Match(column, name, list) })
}

// column reads the name of a column, which the table's name may precede.
func (p *parser) column() string {
	name := p.name()
	if p.accept(".") {
		if !ascii.EqualFold(name, p.table) {
			p.fail("%s is not %s, the only table whose columns it may name", name, p.table)
		}
		name = p.name()
	}
	return name
}

var keywords = []string{"AND", "OR", "NOT", "IN", "IS", "NULL", "TRUE", "FALSE", "BETWEEN", "LIKE", "EXISTS", "CASE", "SELECT"}

func (p *parser) name() string {
	t := p.next()
	if t.kind != quoted && (t.kind != word || slices.Contains(keywords, ascii.Upper(t.text))) {
		p.fail("%s stands where the name of a column is expected", t)
	}
	return t.text
}

func (p *parser) addColumn(name string) {
	p.filter.Columns = lists.Add(p.filter.Columns, name)
	p.filter.parts = append(p.filter.parts, func(w Writer) { w.Column(name) })
}

// value reads what a column is compared with: another column or a literal.
func (p *parser) value() {
	t := p.peek()
	if t.kind == quoted || t.kind == word && !slices.Contains(keywords, ascii.Upper(t.text)) {
		p.addColumn(p.column())
		return
	}
	p.literal()
}

func (p *parser) literal() {
	negative := p.accept("-")
	switch t := p.next(); {
	case t.kind == number && negative:
		p.emit("-" + t.text)
	case t.kind == number:
		p.emit(t.text)
	case negative:
		p.fail("%s stands where a number is expected", t)
	case t.kind == text:
		p.filter.parts = append(p.filter.parts, func(w Writer) { w.String(t.text) })
	case t.kind == word && (ascii.EqualFold(t.text, "true") || ascii.EqualFold(t.text, "false")):
		p.emit(ascii.Upper(t.text))
	default:
		p.fail("%s stands where a value is expected", t)
	}
}
