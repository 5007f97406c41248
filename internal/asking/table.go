package asking

import (
	"encoding/json"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
)

// Lines writes a table's column names and at most limit of its rows as JSON arrays, one a
// line, up to about size bytes: data for a prompt. It says how many rows they are. As < is
// escaped, no row can end a tag around it.
func Lines(t *qed.Table, limit, size int) (text string, rows int) {
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
	most := min(maxCell, max(minCell, size/max(1, len(head))))
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
	maxCell = 300
	minCell = 10
)
