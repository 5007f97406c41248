package qed

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/prompt"
)

// maxCellText is the maximum width of a cell, in characters.
const maxCellText = 60

// WriteText writes t as plain text in aligned columns, for a terminal or a log.
// Numbers are aligned to the right, and null is NULL.
//
// Cells are untrusted: line breaks, control characters and other characters that
// cannot be printed, such as the escape sequences of a terminal, are escaped, and
// long cells are cut.
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
			rows[i][j] = formatCell(cell)
			widths[j] = max(widths[j], utf8.RuneCountInString(rows[i][j]))
			right[j] = right[j] && isNumber(cell)
		}
	}
	b := bufio.NewWriter(w)
	line := func(cells []string) {
		var pending int // spaces before the next text, so that no line ends with spaces
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

// formatCell returns the text of a cell as [Table.WriteText] writes it: NULL for
// null, numbers without an exponent where they are short, and other texts cut
// after 60 characters, with control characters escaped.
func formatCell(cell any) string {
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

// visible returns the beginning of s, with characters that cannot be printed escaped.
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

// PromptLines returns t as data for a prompt: the names of its columns and at
// most limit of its rows as JSON arrays, one on each line, with up to about size
// bytes. It also returns the number of rows in the text. Long texts are cut. The
// character < is escaped, so no cell can close a tag around the text.
func (t *Table) PromptLines(limit, size int) (text string, rows int) {
	var b strings.Builder
	head := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		head[i] = c.Name
	}
	write := func(v any) {
		line, err := json.Marshal(v)
		if err == nil { // cells of a Table always have a JSON form
			b.Write(line)
		}
	}
	write(head)
	// In a wide table, each cell is cut shorter, so that one row cannot fill a prompt.
	most := min(maxPromptCell, max(minPromptCell, size/max(1, len(head))))
	for _, row := range t.Rows[:min(limit, len(t.Rows))] {
		if b.Len() > size {
			break
		}
		short := make([]any, len(row))
		for i, cell := range row {
			if s, ok := cell.(string); ok {
				cell = prompt.Clip(s, most)
			}
			short[i] = cell
		}
		b.WriteByte('\n')
		write(short)
		rows++
	}
	return b.String(), rows
}

const (
	maxPromptCell = 300
	minPromptCell = 10
)
