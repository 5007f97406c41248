package qed

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxCellText is how wide a cell of a table is shown at most, in characters.
const maxCellText = 60

// WriteText writes t as plain text in aligned columns, for a terminal or a log. Numbers stand on the right, and null is NULL.
//
// Cells are data that nobody vouches for: line breaks, control characters and whatever else cannot be seen, such as
// the escape sequences of a terminal, are written as escapes, and a long cell is cut.
func (t Table) WriteText(w io.Writer) error {
	head := make([]string, len(t.Columns))
	widths := make([]int, len(t.Columns))
	right := make([]bool, len(t.Columns))
	for j, c := range t.Columns {
		head[j] = visible(c.Name)
		widths[j] = utf8.RuneCountInString(head[j])
		right[j] = len(t.Rows) > 0
	}
	rows := make([][]string, len(t.Rows))
	for i, row := range t.Rows {
		if len(row) != len(t.Columns) {
			return fmt.Errorf("qed: table: row %d has %d cells for %d columns", i, len(row), len(t.Columns))
		}
		rows[i] = make([]string, len(row))
		for j, cell := range row {
			rows[i][j] = FormatCell(cell)
			widths[j] = max(widths[j], utf8.RuneCountInString(rows[i][j]))
			right[j] = right[j] && isNumber(cell)
		}
	}
	b := bufio.NewWriter(w)
	line := func(cells []string) {
		var pending int // spaces that are due before the next text, so that no line ends with them
		for j, cell := range cells {
			pad := widths[j] - utf8.RuneCountInString(cell)
			if right[j] {
				pending, pad = pending+pad, 0
			}
			b.WriteString(strings.Repeat(" ", pending))
			b.WriteString(cell)
			pending = pad + 2
		}
		b.WriteByte('\n')
	}
	rule := make([]string, len(widths))
	for j, width := range widths {
		rule[j] = strings.Repeat("-", width)
	}
	line(head)
	line(rule)
	for _, row := range rows {
		line(row)
	}
	switch n := len(rows); {
	case t.Truncated:
		fmt.Fprintf(b, "(the first %d rows; there are more)\n", n)
	case n == 1:
		fmt.Fprintln(b, "(1 row)")
	default:
		fmt.Fprintf(b, "(%d rows)\n", n)
	}
	return b.Flush()
}

func isNumber(cell any) bool {
	switch cell.(type) {
	case nil, int64, float64:
		return true
	}
	return false
}

// FormatCell returns the text of a cell as [Table.WriteText] writes it: NULL for
// null, numbers without an exponent where they are short, and other texts cut
// after 60 characters, with control characters escaped.
func FormatCell(cell any) string {
	switch cell := cell.(type) {
	case nil:
		return "NULL"
	case float64:
		if size := math.Abs(cell); size != 0 && (size < 1e-6 || size >= 1e15) {
			return strconv.FormatFloat(cell, 'g', -1, 64)
		}
		return strconv.FormatFloat(cell, 'f', -1, 64)
	}
	return visible(fmt.Sprint(cell))
}

// visible returns the beginning of s with everything that cannot be seen, or that a terminal obeys, as an escape.
func visible(s string) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n == maxCellText {
			b.WriteString("…")
			break
		}
		n++
		if unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteRuneToASCII(r)
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}
