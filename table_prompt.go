package qed

import (
	"encoding/json"
	"strings"

	"github.com/qedkit/qed/internal/prompt"
)

// PromptLines returns t as data for a prompt: the names of its columns and at
// most limit of its rows as JSON arrays, one on each line, up to about size
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
