package secureview

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/qedkit/qed/internal/sqlast"
)

// checkUnquoted refuses arithmetic of numbers that is written like a date, such
// as 2026-03-01, 03/01/2026 or 2026-03. Engines compute it: 2022, which no column
// with dates equals. What makes it a date is its form: a year of four digits next to
// a month and a day that exist, or next to a month with a leading zero. Numbers
// without leading zeros and with spaces between are arithmetic.
func checkUnquoted(q *sqlast.Query, sql string) error {
	var found *sqlast.Error
	sqlast.Walk(q, func(n sqlast.Node) bool {
		if b, ok := n.(*sqlast.Binary); ok && found == nil {
			switch b.Op {
			case sqlast.Sub, sqlast.Div, sqlast.IntDiv:
				found = unquoted(b, sql)
			}
		}
		return found == nil
	})
	if found == nil { // not a nil *Error as an error
		return nil
	}
	return found
}

// unquoted returns an error if the last operands of a chain of one operator are
// the parts of a date.
func unquoted(b *sqlast.Binary, sql string) *sqlast.Error {
	first, second := lastOperand(b), &sqlast.Number{}
	third, ok := b.Y.(*sqlast.Number)
	if first == nil || !ok || !third.IsWhole() {
		return nil
	}
	sign := "-"
	if b.Op != sqlast.Sub {
		sign = "/"
	}
	if before, chained := b.X.(*sqlast.Binary); chained && before.Op == b.Op {
		if earlier := lastOperand(before); earlier != nil {
			first, second = earlier, first
		}
	}
	quote := ""
	switch y, m, d := datePart(first), datePart(second), datePart(third); {
	case second.Text == "" && sign == "-" && isYear(y) && isMonth(d) && startsWithZero(third, sql):
		quote = fmt.Sprintf("%04d-%02d", y, d)
	case second.Text == "":
		return nil
	case spaced(first, third, sql) && !startsWithZero(second, sql) && !startsWithZero(third, sql):
		return nil // 2000 - 10 - 5
	case startsWithZero(second, sql) && (isDay(d) && isMonth(m) || isDay(m) && y > 0 && isMonth(y) && d > 12):
		quote = "YYYY-MM-DD"
		if isYear(y) {
			quote = fmt.Sprintf("%04d-%02d-%02d", y, m, d)
		}
	case isYear(y) && isMonth(m) && isDay(d):
		quote = fmt.Sprintf("%04d-%02d-%02d", y, m, d)
	case isYear(d) && (isMonth(y) && isDay(m) || isDay(y) && isMonth(m)):
		quote = "YYYY-MM-DD"
	default:
		return nil
	}
	written := []string{first.Text}
	if second.Text != "" {
		written = append(written, second.Text)
	}
	text := strings.Join(append(written, third.Text), sign)
	return &sqlast.Error{
		Code: sqlast.UnquotedDate, Name: text, Pos: first.Pos,
		Message: fmt.Sprintf("%s is arithmetic of numbers and no date: put the date in quotes, as in '%s'", text, quote),
	}
}

// lastOperand returns the last operand of the left side of an operator if it is a
// whole number.
func lastOperand(b *sqlast.Binary) *sqlast.Number {
	x := b.X
	if before, ok := x.(*sqlast.Binary); ok && before.Op == b.Op {
		x = before.Y
	}
	n, ok := x.(*sqlast.Number)
	if !ok || !n.IsWhole() {
		return nil
	}
	return n
}

// datePart returns the value of a number that can be a part of a date, or 0.
func datePart(n *sqlast.Number) int {
	if len(n.Text) > 4 {
		return 0
	}
	v, _ := strconv.Atoi(n.Text)
	return v
}

func isYear(n int) bool  { return n >= 1000 && n <= 2999 }
func isMonth(n int) bool { return n >= 1 && n <= 12 }
func isDay(n int) bool   { return n >= 1 && n <= 31 }

// spaced reports whether there is a space between two numbers of a statement.
func spaced(from, to *sqlast.Number, sql string) bool {
	return from.Pos >= 0 && from.Pos < to.Pos && int(to.Pos) <= len(sql) && strings.Contains(sql[from.Pos:to.Pos], " ")
}

// startsWithZero reports whether a number is written with a leading zero, which
// some readers do not keep.
func startsWithZero(n *sqlast.Number, sql string) bool {
	if len(n.Text) > 1 && n.Text[0] == '0' {
		return true
	}
	at := int(n.Pos)
	return at >= 0 && at+1 < len(sql) && sql[at] == '0' && '0' <= sql[at+1] && sql[at+1] <= '9'
}
